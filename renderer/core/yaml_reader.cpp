#include "renderer/core/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <streambuf>
#include <string>
#include <utility>

#include "renderer/base/check.h"
#include "renderer/base/utf8.h"
#include "renderer/core/alias_keys.h"
#include "renderer/core/block_reader.h"
#include "renderer/core/implicit_key.h"
#include "renderer/core/merge_keys.h"
#include "renderer/core/plain_scalar.h"
#include "renderer/core/repeated_keys.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_refusals.h"

namespace renderer::inline core {

namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";
constexpr std::size_t kNodeBytes = 256;  // this many bytes of text weigh as much as a node
constexpr std::size_t kMaxAnchoredNodes = 10 * kMaxAliasNodes;

// Thrown to leave the parser inside an event, with the error for the user; caught in this file.
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

struct Parsed {
    Repeated repeated;
    Value root = {};
    Diagnostics diagnostics = {};
    std::set<std::size_t> alias_keys = {};  // where alias keys begin
};

// Builds the tree from yaml-cpp's events: expands aliases and merge keys, finds duplicate keys.
class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(const SourceMap& sources, SourceId source, std::size_t base, const SpacedText& text,
                Parsed& out)
        : sources_(sources), source_(source), base_(base), text_(text), out_(out) {}

    Value take() { return std::move(root_); }

    [[nodiscard]] Pos pos(const YAML::Mark& mark) const {
        const std::size_t offset = base_ + offset_of(mark);
        return sources_.pos(source_, std::min(offset, sources_.text(source_).size()));
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (mark.pos == document_begin_) {
            throw Refusal{syntax_error(sources_, pos(mark), "expected a value")};
        }
        document_begin_ = mark.pos;
        anchors_.clear();
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        refuse_lone_key();
        finish(Value(), pos(mark), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            refuse(pos(mark), "yaml-alias", "alias inside the node that it refers to",
                   "an alias after the end of its anchor's node",
                   "remove the alias: a value cannot contain itself", open_anchor(anchor));
        }
        const std::size_t nodes = found->second.nodes;
        alias_nodes_ += nodes;
        if (alias_nodes_ > kMaxAliasNodes) {
            refuse(pos(mark), "yaml-alias",
                   fmt::format("aliases expand to more than {} nodes", kMaxAliasNodes),
                   fmt::format("at most {} nodes from aliases in a document", kMaxAliasNodes),
                   "repeat the values, or nest fewer aliases", found->second.value.pos());
        }
        const bool is_key = expects_key();
        if (is_key) {
            out_.alias_keys.insert(offset_of(mark));
        }
        finish(found->second.value.clone(), is_key ? pos(mark) : found->second.value.pos(), 0);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        const Pos place = pos(mark);
        if (text == "<<" && expects_key() &&
            (tag == "?" || tag == fmt::format("{}merge", kCoreTag))) {
            Frame& frame = frames_.back();
            if (frame.key_pos.known()) {
                add_repeated(duplicate_key("<<", frame.key_pos, place));
            }
            frame.merge_key = true;
            frame.key_pos = place;
            frame.above = frame.value.size();
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
                    YAML::EmitterStyle::value style) override {
        open(mark, tag, anchor, Value::map());
        frames_.back().is_block = style == YAML::EmitterStyle::Block;
    }
    void OnMapEnd() override {
        refuse_duplicates(frames_.back());
        Frame& frame = frames_.back();
        if (const Member* own = overridden_member(frame.value, frame.above, frame.merges)) {
            out_.diagnostics.add(overridden_key(own->name(), own->key.pos(), frame.key_pos));
        }
        merge_into(frame.value, std::move(frame.merges));
        close();
    }

private:
    [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
        return text_.original_offset(static_cast<std::size_t>(std::max(mark.pos, 0)));
    }

    struct Frame {
        Value value;  // the list or map being filled
        Pos pos;
        YAML::anchor_t anchor = 0;
        std::optional<Value> key;  // of the member whose value is next
        bool merge_key = false;    // that member is `<<`
        bool is_block = false;
        Pos key_pos;  // of the last `<<`
        std::vector<Value> merges;
        std::size_t above = 0;  // keys above the last `<<`
    };
    struct Anchored {
        Value value;
        std::size_t nodes;
    };

    [[noreturn]] static void refuse(Pos place, std::string rule, std::string message,
                                    std::string expected, std::string hint, Pos other = {},
                                    std::string_view note = "the anchor is here") {
        Diagnostic diagnostic{.rule = std::move(rule),
                              .pos = place,
                              .message = std::move(message),
                              .expected = std::move(expected),
                              .hint = std::move(hint)};
        if (other.known()) {
            diagnostic.notes.push_back({.pos = other, .text = std::string(note)});
        }
        throw Refusal{std::move(diagnostic)};
    }

    [[nodiscard]] bool expects_key() const {
        return !frames_.empty() && frames_.back().value.is_map() && !frames_.back().key &&
               !frames_.back().merge_key;
    }

    // yaml-cpp reads a line without a colon (a truncated file) as a key without a value.
    void refuse_lone_key() const {
        if (frames_.empty() || !frames_.back().is_block || !frames_.back().key) {
            return;
        }
        const Pos place = frames_.back().key->pos();
        const std::string_view text = sources_.text(source_);
        const std::size_t at = sources_.offset_of(place);
        const std::size_t before = text.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
        const bool explicit_key = at > 0 && before < at && text[before] == '?';
        if (!explicit_key && !begins_with_implicit_key(text.substr(at))) {
            throw Refusal{syntax_error(sources_, place, "a key without a colon")};
        }
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
            return Value(std::string_view(repair_escapes(text)));
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
        refuse_tag(place, tag);
    }

    [[noreturn]] static void refuse_tag(Pos place, const std::string& tag) {
        refuse(place, "yaml-tag", fmt::format("tag \"{}\" does not fit here", tag),
               "plain YAML: maps, lists, strings, numbers, booleans and null",
               "remove the tag; Kubernetes objects need none");
    }

    [[noreturn]] void refuse_key(Pos place, const Value& value) const {
        throw Refusal{wrong_key(sources_, source_, place, value)};
    }

    // yaml-cpp 0.7 turns the escapes \N and \_ into the single bytes 0x85 and 0xA0. It makes no
    // other bytes that are not UTF-8.
    static std::string repair_escapes(std::string text) {
        for (std::size_t bad = 0; (bad = find_bad_utf8(text)) != std::string::npos;) {
            CHECK(text[bad] == '\x85' || text[bad] == '\xA0');
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
            refuse_tag(place, tag);
        }
        if (expects_key()) {
            refuse_key(place, value);
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

    // Called when a node is complete: remembers it if it has an anchor, and hands it to its parent.
    void finish(Value value, Pos place, YAML::anchor_t anchor) {
        value.set_pos(place);
        if (anchor != 0) {
            remember(anchor, value);
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

    // A value too large for any alias is not kept, since nested anchors would multiply it.
    void remember(YAML::anchor_t anchor, const Value& value) {
        const std::size_t nodes = count_nodes(value);
        const bool usable = nodes <= kMaxAliasNodes;
        anchored_nodes_ += usable ? nodes : 0;
        if (anchored_nodes_ > kMaxAnchoredNodes) {
            refuse(value.pos(), "yaml-alias",
                   fmt::format("anchors name more than {} nodes", kMaxAnchoredNodes),
                   fmt::format("at most {} nodes with anchors in a document", kMaxAnchoredNodes),
                   "remove anchors that no alias uses");
        }
        Value kept = usable ? value.clone() : Value();
        kept.set_pos(value.pos());
        anchors_.insert_or_assign(anchor, Anchored{std::move(kept), nodes});
    }

    // Keys are strings, as in JSON: `80:` and `true:` become "80" and "true".
    [[nodiscard]] Value key_text(Value value, Pos place) const {
        if (value.is_string()) {
            return value;
        }
        if (value.is_list() || value.is_map()) {
            refuse_key(place, value);
        }
        Value key(value.is_number() ? value.text()
                  : value.is_null() ? "null"
                  : value.as_bool() ? "true"
                                    : "false");
        key.set_pos(place);
        return key;
    }

    void add_merge(Frame& frame, Value value) const {
        if (value.is_map()) {
            add_merged_map(frame, std::move(value));
            return;
        }
        const bool maps = value.is_list() && std::ranges::all_of(value.items(), &Value::is_map);
        if (!maps) {
            refuse(frame.key_pos, "yaml-merge",
                   fmt::format("merge key \"<<\" has {} as its value", kind_name(value)),
                   "a map or a list of maps", "refer to an anchor of a map: \"<<: *base\"");
        }
        if (out_.repeated == Repeated::AsHelm) {
            std::ranges::reverse(value.items());
        }
        for (Value& item : value.items()) {
            add_merged_map(frame, std::move(item));
        }
    }

    // For helm, merged keys win over keys above them, and keys below win over merged ones.
    void add_merged_map(Frame& frame, Value value) const {
        if (out_.repeated == Repeated::Refused) {
            frame.merges.push_back(std::move(value));
            return;
        }
        for (Member& member : value.members()) {
            frame.value.add(std::move(member.key), std::move(member.value));
        }
    }

    void add_repeated(Diagnostic mistake) {
        out_.diagnostics.add(out_.repeated == Repeated::Refused
                                 ? std::move(mistake)
                                 : as_helm_reads_it(std::move(mistake)));
    }

    // Reports all duplicates. Reading continues with the last one of each.
    void refuse_duplicates(Frame& frame) {
        const std::vector<RepeatedKey> repeated = repeated_keys(frame.value);
        for (const RepeatedKey& key : repeated) {
            frame.value.erase(key.name);
        }
        const bool as_helm = out_.repeated == Repeated::AsHelm;
        for (Diagnostic& mistake : duplicate_keys(repeated, frame.pos, as_helm)) {
            add_repeated(std::move(mistake));
        }
    }

    static std::size_t count_nodes(const Value& value) {
        const bool is_leaf = !value.is_list() && !value.is_map();
        std::size_t nodes = 1 + (is_leaf ? value.size() / kNodeBytes : 0);
        for (const Value& item : items_of(&value)) {
            nodes += count_nodes(item);
        }
        for (const Member& member : members_of(&value)) {
            nodes += count_nodes(member.value) + 1 + member.key.size() / kNodeBytes;
        }
        return nodes;
    }

    const SourceMap& sources_;
    SourceId source_;
    std::size_t base_;  // offset of the parsed text in the source
    const SpacedText& text_;
    Parsed& out_;
    Value root_;
    std::vector<Frame> frames_;
    std::map<YAML::anchor_t, Anchored> anchors_;
    std::size_t alias_nodes_ = 0;
    std::size_t anchored_nodes_ = 0;
    int document_begin_ = -1;
};

// Returns the one document that is not blank; Null if all are.
Value only_document(std::istream& stream, TreeBuilder& builder, Parsed& out) {
    YAML::Parser parser(stream);
    Value root;
    while (parser && parser.HandleNextDocument(builder)) {
        Value next = builder.take();
        if (!next.is_null() && !root.is_null()) {
            Diagnostic second = second_document(root.pos(), next.pos());
            if (out.repeated == Repeated::Refused) {
                throw Refusal{std::move(second)};
            }
            out.diagnostics.add(as_helm_reads_it(std::move(second)));
            return root;
        }
        if (!next.is_null() || !root.pos().known()) {
            root = std::move(next);
        }
    }
    return root;
}

Parsed parse(const SourceMap& sources, SourceId source, std::size_t begin, const SpacedText& text,
             Repeated repeated) {
    MemoryBuffer buffer(text.text());
    std::istream stream(&buffer);
    Parsed parsed{repeated};
    TreeBuilder builder(sources, source, begin, text, parsed);
    try {
        parsed.root = only_document(stream, builder, parsed);
    } catch (Refusal& refusal) {
        parsed.diagnostics.add(std::move(refusal.diagnostic));
    } catch (const YAML::Exception& error) {
        parsed.diagnostics.add(syntax_error(sources, builder.pos(error.mark), error.msg));
    }
    return parsed;
}

}  // namespace

Value read_any_style(const SourceMap& sources, SourceId source, std::size_t begin,
                     std::string_view text, Diagnostics& diagnostics, Repeated repeated) {
    std::vector<AliasKey> keys = find_alias_keys(text);
    Parsed parsed = parse(sources, source, begin, SpacedText(text, keys), repeated);
    const auto is_none = [&](const AliasKey& key) {
        return !parsed.alias_keys.contains(key.begin);
    };
    if (std::erase_if(keys, is_none) > 0) {
        parsed = parse(sources, source, begin, SpacedText(text, keys), repeated);
    }
    const bool failed = parsed.diagnostics.has_errors();
    diagnostics.append(std::move(parsed.diagnostics));
    return failed ? Value() : std::move(parsed.root);
}

Value read_yaml(const SourceMap& sources, SourceId source, RawDocument range,
                Diagnostics& diagnostics, Repeated repeated) {
    std::size_t begin = range.begin;
    std::string_view text = sources.text(source).substr(begin, range.end - begin);
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
        begin += kByteOrderMark.size();
    }
    if (text.size() > kMaxDocumentBytes) {
        diagnostics.add(too_large(sources.pos(source, begin), text.size()));
        return {};
    }
    if (const std::size_t bad = find_bad_character(text); bad != std::string_view::npos) {
        diagnostics.add(bad_character(sources.pos(source, begin + bad), text.substr(bad)));
        return {};
    }
    if (std::optional<Value> simple = read_block_style(sources, source, begin, text)) {
        return std::move(*simple);
    }
    if (const std::optional<std::size_t> directive = find_open_directive(text)) {
        diagnostics.add(open_directive(sources.pos(source, begin + *directive)));
        return {};
    }
    return read_any_style(sources, source, begin, text, diagnostics, repeated);
}

Value read_yaml(const SourceMap& sources, SourceId source, Diagnostics& diagnostics,
                Repeated repeated) {
    return read_yaml(sources, source, {0, sources.text(source).size()}, diagnostics, repeated);
}

}  // namespace renderer::inline core
