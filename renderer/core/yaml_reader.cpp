#include "renderer/core/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <streambuf>
#include <string>
#include <utility>

#include "renderer/core/plain_scalar.h"
#include "renderer/core/utf8.h"

namespace renderer {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

// Leaves the parser from inside an event; carries what the user is told. Never leaves this file.
struct Refusal {
    Diagnostic diagnostic;
};

class MemoryBuffer : public std::streambuf {
public:
    explicit MemoryBuffer(std::string_view text) {
        char* begin = const_cast<char*>(text.data());
        setg(begin, begin, begin + text.size());
    }
};

// Builds the tree from yaml-cpp's events: expands aliases and merge keys, finds duplicate keys.
class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(const SourceMap& sources, SourceId source, std::size_t base)
        : sources_(sources), source_(source), base_(base) {}

    Value take() { return std::move(root_); }

    [[nodiscard]] Pos pos(const YAML::Mark& mark) const {
        const auto offset = base_ + static_cast<std::size_t>(std::max(mark.pos, 0));
        return sources_.pos(source_, std::min(offset, sources_.text(source_).size()));
    }

    void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        finish(Value(), pos(mark), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            refuse(pos(mark), "yaml-alias", "alias stands inside the node that it names",
                   "an alias behind the end of its anchor's node",
                   "remove the alias: a value cannot contain itself", open_anchor(anchor));
        }
        const std::size_t nodes = found->second.nodes;
        alias_nodes_ += nodes;
        if (alias_nodes_ > kMaxAliasNodes) {
            refuse(pos(mark), "yaml-alias",
                   fmt::format("aliases expand to more than {} nodes", kMaxAliasNodes),
                   fmt::format("at most {} nodes out of aliases in a document", kMaxAliasNodes),
                   "write the values out, or nest fewer aliases", found->second.value.pos());
        }
        finish(found->second.value.clone(), found->second.value.pos(), 0);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        const Pos place = pos(mark);
        if (tag == "?" && text == "<<" && expects_key()) {
            frames_.back().merge_key = true;
            frames_.back().key_pos = place;
            return;
        }
        finish(scalar(place, tag, text), place, anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, anchor, Value::list());
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, anchor, Value::map());
    }
    void OnMapEnd() override {
        refuse_duplicates(frames_.back().value);
        merge(frames_.back());
        close();
    }

private:
    struct Frame {
        Value value;  // the list or map being filled
        Pos pos;
        YAML::anchor_t anchor = 0;
        std::optional<Value> key;  // of the member whose value comes next
        bool merge_key = false;    // that member is `<<`
        Pos key_pos;
        std::vector<Value> merges;
    };
    struct Anchored {
        Value value;
        std::size_t nodes;
    };

    [[noreturn]] static void refuse(Pos place, std::string rule, std::string message,
                                    std::string expected, std::string hint, Pos other = {},
                                    std::string_view note = "the anchor is here") {
        Diagnostic diagnostic{.rule = std::move(rule), .pos = place, .message = std::move(message)};
        diagnostic.expected = std::move(expected);
        diagnostic.hint = std::move(hint);
        if (other.known()) {
            diagnostic.notes.push_back({.pos = other, .text = std::string(note)});
        }
        throw Refusal{std::move(diagnostic)};
    }

    [[nodiscard]] bool expects_key() const {
        return !frames_.empty() && frames_.back().value.is_map() && !frames_.back().key &&
               !frames_.back().merge_key;
    }

    [[nodiscard]] Pos open_anchor(YAML::anchor_t anchor) const {
        const auto frame = std::ranges::find(frames_, anchor, &Frame::anchor);
        return frame == frames_.end() ? Pos{} : frame->pos;
    }

    static Value scalar(Pos place, const std::string& tag, const std::string& text) {
        if (tag == "?") {
            return resolve_plain(text);
        }
        if (find_bad_utf8(text) != std::string_view::npos) {
            return Value(std::string_view(repair_escapes(place, text)));
        }
        if (tag == "!" || tag.empty() || tag == fmt::format("{}str", kCoreTag)) {
            return Value(std::string_view(text));
        }
        const std::pair<std::string_view, Value::Kind> core[] = {{"int", Value::Kind::Number},
                                                                 {"float", Value::Kind::Number},
                                                                 {"bool", Value::Kind::Bool},
                                                                 {"null", Value::Kind::Null}};
        for (const auto& [name, kind] : core) {
            if (tag == fmt::format("{}{}", kCoreTag, name) && plain_kind(text) == kind) {
                return resolve_plain(text);
            }
        }
        refuse(place, "yaml-tag", fmt::format("tag \"{}\" does not fit here", tag),
               "plain YAML: maps, lists, strings, numbers, booleans and null",
               "remove the tag; Kubernetes objects need none");
    }

    // yaml-cpp 0.7 turns the escapes \N and \_ into the single bytes 0x85 and 0xA0.
    static std::string repair_escapes(Pos place, std::string text) {
        for (std::size_t bad = 0; (bad = find_bad_utf8(text)) != std::string::npos;) {
            if (text[bad] != '\x85' && text[bad] != '\xA0') {
                refuse(place, "yaml-syntax", "an escape in this text is no Unicode character",
                       "escapes of Unicode characters",
                       "surrogates stand for none alone: write the character itself");
            }
            text.insert(bad, 1, '\xC2');
        }
        return text;
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Value value) {
        const Pos place = pos(mark);
        if (frames_.size() >= kMaxDepth) {
            refuse(place, "yaml-nesting", fmt::format("nested deeper than {} levels", kMaxDepth),
                   fmt::format("at most {} levels", kMaxDepth), "flatten the document",
                   frames_.front().pos, "the outermost level is here");
        }
        const std::string_view kind = value.is_map() ? "map" : "seq";
        if (tag != "?" && !tag.empty() && tag != "!" &&
            tag != fmt::format("{}{}", kCoreTag, kind)) {
            refuse(place, "yaml-tag", fmt::format("tag \"{}\" does not fit here", tag),
                   "plain YAML: maps, lists, strings, numbers, booleans and null",
                   "remove the tag; Kubernetes objects need none");
        }
        if (expects_key()) {
            refuse(place, "yaml-key",
                   fmt::format("{} stands where a key is expected", kind_name(value)), "a string",
                   "quote the key, or put a blank behind its colon");
        }
        value.set_pos(place);
        Frame& frame = frames_.emplace_back();
        frame.value = std::move(value);
        frame.pos = place;
        frame.anchor = anchor;
    }

    void close() {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        finish(std::move(frame.value), frame.pos, frame.anchor);
    }

    // A node is complete: remember it if it has an anchor, and hand it to its parent.
    void finish(Value value, Pos place, YAML::anchor_t anchor) {
        value.set_pos(place);
        if (anchor != 0) {
            anchors_.insert_or_assign(anchor, Anchored{value.clone(), count_nodes(value)});
        }
        if (frames_.empty()) {
            root_ = std::move(value);
            return;
        }
        Frame& parent = frames_.back();
        if (parent.value.is_list()) {
            parent.value.append(std::move(value));
        } else if (parent.merge_key) {
            parent.merge_key = false;
            add_merge(parent, std::move(value));
        } else if (!parent.key) {
            parent.key = key_text(std::move(value), place);
        } else {
            parent.value.add(std::move(*parent.key), std::move(value));
            parent.key.reset();
        }
    }

    // Keys are strings, as in JSON: `80:` and `true:` become "80" and "true".
    static Value key_text(Value value, Pos place) {
        Value key;
        switch (value.kind()) {
            case Value::Kind::String:
                return value;
            case Value::Kind::Number:
                key = Value(value.text());
                break;
            case Value::Kind::Bool:
                key = value.as_bool() ? Value("true") : Value("false");
                break;
            case Value::Kind::Null:
                key = Value("null");
                break;
            case Value::Kind::List:
            case Value::Kind::Map:
                refuse(place, "yaml-key",
                       fmt::format("{} stands where a key is expected", kind_name(value)),
                       "a string", "quote the key, or put a blank behind its colon");
        }
        key.set_pos(place);
        return key;
    }

    static void add_merge(Frame& frame, Value value) {
        if (value.is_map()) {
            frame.merges.push_back(std::move(value));
            return;
        }
        const bool maps = value.is_list() && std::ranges::all_of(value.items(), &Value::is_map);
        if (!maps) {
            refuse(frame.key_pos, "yaml-merge",
                   fmt::format("merge key \"<<\" has {} as its value", kind_name(value)),
                   "a map or a list of maps", "name an anchor of a map: \"<<: *base\"");
        }
        for (Value& item : value.items()) {
            frame.merges.push_back(std::move(item));
        }
    }

    // Own keys win over merged ones, earlier merges over later ones.
    static void merge(Frame& frame) {
        for (const Value& merged : frame.merges) {
            for (const Member& member : merged.members()) {
                if (frame.value.find(member.name()) == nullptr) {
                    frame.value.add(member.key.clone(), member.value.clone());
                }
            }
        }
    }

    static void refuse_duplicates(const Value& map) {
        const std::span<const Member> members = map.members();
        if (members.size() < 2) {
            return;
        }
        std::vector<const Member*> sorted;
        sorted.reserve(members.size());
        for (const Member& member : members) {
            sorted.push_back(&member);
        }
        std::ranges::sort(sorted, [](const Member* a, const Member* b) {
            const auto order = a->name() <=> b->name();
            return order != 0 ? order < 0 : a->key.pos() < b->key.pos();
        });
        const auto same = [](const Member* a, const Member* b) { return a->name() == b->name(); };
        const auto twin = std::ranges::adjacent_find(sorted, same);
        if (twin == sorted.end()) {
            return;
        }
        const Member& second = **(twin + 1);
        Diagnostic diagnostic{.rule = "duplicate-key", .pos = second.key.pos()};
        diagnostic.message = fmt::format("key \"{}\" stands twice in one map", second.name());
        diagnostic.found = fmt::format("a second \"{}\"", second.name());
        diagnostic.expected = "each key once";
        diagnostic.hint = "remove one of them; tools disagree about which one counts";
        diagnostic.notes.push_back({.pos = (*twin)->key.pos(), .text = "the first one is here"});
        throw Refusal{std::move(diagnostic)};
    }

    static std::size_t count_nodes(const Value& value) {
        std::size_t nodes = 1;
        if (value.is_list()) {
            for (const Value& item : value.items()) {
                nodes += count_nodes(item);
            }
        } else if (value.is_map()) {
            for (const Member& member : value.members()) {
                nodes += count_nodes(member.value) + 1;
            }
        }
        return nodes;
    }

    const SourceMap& sources_;
    SourceId source_;
    std::size_t base_;  // offset of the parsed text in the source
    Value root_;
    std::vector<Frame> frames_;
    std::map<YAML::anchor_t, Anchored> anchors_;
    std::size_t alias_nodes_ = 0;
};

Diagnostic bad_character(Pos place, std::string_view rest) {
    const auto byte = static_cast<unsigned char>(rest.front());
    if (find_bad_utf8(rest.substr(0, 4)) == 0) {
        return {.rule = "bad-utf8",
                .pos = place,
                .message = "text is not UTF-8",
                .found = fmt::format("byte 0x{:02x}", byte),
                .expected = "UTF-8 text",
                .hint = "save the file as UTF-8; put binary data in base64"};
    }
    return {.rule = "yaml-character",
            .pos = place,
            .message = "control character in the text",
            .found = fmt::format("byte 0x{:02x}", byte),
            .expected = "printable characters, blanks, tabs and line ends",
            .hint = "write it as an escape in double quotes; put binary data in base64"};
}

// A tab at the start of the line is what such an error nearly always is about.
std::optional<Pos> tab_before(const SourceMap& sources, SourceId source, Pos place) {
    const std::string_view text = sources.text(source);
    const std::size_t offset = std::min(sources.offset_of(place), text.size());
    const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    std::size_t i = newline == std::string_view::npos ? 0 : newline + 1;
    while (i < text.size() && text[i] == ' ') {
        ++i;
    }
    return i < text.size() && text[i] == '\t' ? std::optional(sources.pos(source, i))
                                              : std::nullopt;
}

Diagnostic syntax_error(const SourceMap& sources, SourceId source, Pos place, std::string message) {
    if (const std::optional<Pos> tab = tab_before(sources, source, place)) {
        return {.rule = "tab-indentation",
                .pos = *tab,
                .message = "tab in the indentation",
                .found = "a tab",
                .expected = "blanks",
                .hint = "YAML indents with blanks only"};
    }
    Diagnostic diagnostic{.rule = "yaml-syntax", .pos = place, .message = std::move(message)};
    diagnostic.expected = "YAML";
    diagnostic.hint = "look at the quotes, brackets and indentation at this place and above it";
    if (diagnostic.message.starts_with("the referenced anchor is not defined")) {
        diagnostic.message = "alias names an anchor that is not defined before it";
        diagnostic.expected = "an anchor of that name above";
        diagnostic.hint = "anchors do not reach over the \"---\" between documents";
    }
    return diagnostic;
}

}  // namespace

Value read_yaml(const SourceMap& sources, SourceId source, RawDocument range,
                Diagnostics& diagnostics) {
    std::size_t begin = range.begin;
    std::string_view text = sources.text(source).substr(begin, range.end - begin);
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
        begin += kByteOrderMark.size();
    }
    if (const std::size_t bad = find_bad_character(text); bad != std::string_view::npos) {
        diagnostics.add(bad_character(sources.pos(source, begin + bad), text.substr(bad)));
        return {};
    }
    MemoryBuffer buffer(text);
    std::istream stream(&buffer);
    TreeBuilder builder(sources, source, begin);
    try {
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        Value root = builder.take();
        if (parser && parser.HandleNextDocument(builder)) {
            diagnostics.add({.rule = "yaml-syntax",
                             .pos = root.pos(),
                             .message = "more than one document where one is expected",
                             .hint = "separate documents with a line \"---\""});
            return {};
        }
        return root;
    } catch (Refusal& refusal) {
        diagnostics.add(std::move(refusal.diagnostic));
    } catch (const YAML::Exception& error) {
        diagnostics.add(syntax_error(sources, source, builder.pos(error.mark), error.msg));
    }
    return {};
}

Value read_yaml(const SourceMap& sources, SourceId source, Diagnostics& diagnostics) {
    return read_yaml(sources, source, {0, sources.text(source).size()}, diagnostics);
}

}  // namespace renderer
