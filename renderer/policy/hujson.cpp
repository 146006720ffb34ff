#include "renderer/policy/hujson.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"
#include "renderer/core/json.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::policy {

namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// Each step returns false after an error.
class HujsonReader {
public:
    HujsonReader(const SourceMap& sources, SourceId source, Diagnostics& diagnostics)
        : sources_(sources),
          source_(source),
          text_(sources.text(source)),
          diagnostics_(diagnostics) {}

    bool document(Node& root) {
        if (const std::size_t bad = find_bad_utf8(text_); bad != kNowhere) {
            diagnostics_.error("bad-utf8", place(bad), "text is not UTF-8")
                .found(fmt::format("byte 0x{:02x}", static_cast<unsigned char>(text_[bad])))
                .expected("UTF-8 text");
            return false;
        }
        if (!skip() || !value(root, 0) || !skip()) {
            return false;
        }
        return at_ == text_.size() || fail("text after the end of the policy", "one value");
    }

private:
    [[nodiscard]] Pos place(std::size_t offset) const { return sources_.pos(source_, offset); }

    // Describes the text at the current place.
    [[nodiscard]] std::string found() const {
        if (at_ == text_.size()) {
            return "the end of the file";
        }
        std::size_t size = 1;
        while (at_ + size < text_.size() && is_continuation(text_[at_ + size])) {
            ++size;
        }
        return fmt::format("\"{}\"", text_.substr(at_, size));
    }

    bool fail(std::string message, std::string_view expected) {
        diagnostics_.error("hujson-syntax", place(at_), std::move(message))
            .found(found())
            .expected(expected);
        return false;
    }

    // Goes to the next byte that is neither white space nor in a comment.
    bool skip() {
        while (at_ < text_.size()) {
            if (std::string_view(" \t\r\n").find(text_[at_]) != kNowhere) {
                ++at_;
                continue;
            }
            const std::string_view start = text_.substr(at_, 2);
            const bool is_line = start == "//";
            if (!is_line && start != "/*") {
                return true;
            }
            const std::string_view end = is_line ? "\n" : "*/";
            const std::size_t found = text_.find(end, at_ + start.size());
            if (found == kNowhere) {
                diagnostics_.error("hujson-syntax", place(at_), "a comment does not end")
                    .expected(is_line ? "a line break after it" : "\"*/\"");
                return false;
            }
            at_ = found + end.size();
        }
        return true;
    }

    bool value(Node& node, int depth) {
        node.begin = at_;
        const char first = at_ < text_.size() ? text_[at_] : '\0';
        const bool is_good =
            first == '{' || first == '[' ? container(node, depth) : scalar(node, "a value");
        node.end = at_;
        return is_good;
    }

    // Reads a string, number, boolean or null.
    bool scalar(Node& node, std::string_view expected) {
        const bool is_string = at_ < text_.size() && text_[at_] == '"';
        const std::size_t end = is_string ? string_end() : word_end();
        if (end == kNowhere) {
            return fail("a string does not end", "a closing quote");
        }
        const Result<Value> read = read_json(text_.substr(at_, end - at_));
        if (end == at_ || !read) {
            return fail(end == at_ ? "unexpected text" : "this is not JSON", expected);
        }
        node.kind = read->kind();
        node.text = is_string ? std::string(read->text()) : std::string();
        at_ = end;
        return true;
    }

    [[nodiscard]] std::size_t string_end() const {
        for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
            if (text_[i] == '"') {
                return i + 1;
            }
            i += text_[i] == '\\' ? 1 : 0;
        }
        return kNowhere;
    }

    [[nodiscard]] std::size_t word_end() const {
        std::size_t end = at_;
        while (end < text_.size() && (is_alphanumeric(text_[end]) || text_[end] == '-' ||
                                      text_[end] == '+' || text_[end] == '.')) {
            ++end;
        }
        return end;
    }

    bool container(Node& node, int depth) {
        if (depth == kMaxDepth) {
            diagnostics_.error("hujson-nesting", place(at_),
                               fmt::format("nested deeper than {} levels", kMaxDepth));
            return false;
        }
        const bool is_map = text_[at_] == '{';
        const char bracket = is_map ? '}' : ']';
        node.kind = is_map ? Node::Kind::Map : Node::Kind::List;
        node.begin = at_++;
        std::map<std::string, std::size_t> places;  // of keys
        while (true) {
            if (!skip()) {
                return false;
            }
            if (at_ < text_.size() && text_[at_] == bracket) {
                ++at_;
                return true;
            }
            if (!node.entries.empty() && node.entries.back().comma == kNowhere) {
                return fail("unexpected text", is_map ? "\",\" or \"}\"" : "\",\" or \"]\"");
            }
            Entry entry;
            if ((is_map && !member_key(entry.key, places)) || !value(entry.value, depth + 1) ||
                !skip()) {
                return false;
            }
            if (at_ < text_.size() && text_[at_] == ',') {
                entry.comma = at_++;
            }
            node.entries.push_back(std::move(entry));
        }
    }

    bool member_key(Node& key, std::map<std::string, std::size_t>& places) {
        key.begin = at_;
        if (at_ == text_.size() || text_[at_] != '"') {
            return fail("unexpected text", "a key in double quotes, or \"}\"");
        }
        if (!scalar(key, "a key in double quotes")) {
            return false;
        }
        key.end = at_;
        const auto [first, is_new] = places.try_emplace(key.text, key.begin);
        if (!is_new) {
            diagnostics_
                .error("duplicate-key", place(key.begin),
                       fmt::format("duplicate key \"{}\"", key.text))
                .found(fmt::format("a second \"{}\"", key.text))
                .expected("each key once")
                .note({.pos = place(first->second), .text = "the first one is here"});
            return false;
        }
        if (!skip()) {
            return false;
        }
        if (at_ == text_.size() || text_[at_] != ':') {
            return fail("unexpected text", "\":\" after the key");
        }
        ++at_;
        return skip();
    }

    const SourceMap& sources_;
    SourceId source_;
    std::string_view text_;
    Diagnostics& diagnostics_;
    std::size_t at_ = 0;
};

}  // namespace

const Node* Node::find(std::string_view key) const {
    const auto found = std::ranges::find(
        entries, key, [](const Entry& entry) -> std::string_view { return entry.key.text; });
    return is_map() && found != entries.end() ? &found->value : nullptr;
}

const Node* Node::find_any_case(std::string_view key) const {
    constexpr auto kLower = [](char c) { return lower_case(c); };
    const auto found = std::ranges::find_if(entries, [&](const Entry& entry) {
        return std::ranges::equal(entry.key.text, key, {}, kLower, kLower);
    });
    return is_map() && found != entries.end() ? &found->value : nullptr;
}

std::string_view kind_name(const Node& node) {
    switch (node.kind) {
        case Node::Kind::Null:
            return "null";
        case Node::Kind::Bool:
            return "a boolean";
        case Node::Kind::Number:
            return "a number";
        case Node::Kind::String:
            return "a string";
        case Node::Kind::List:
            return "a list";
        case Node::Kind::Map:
            break;
    }
    return "an object";
}

std::optional<Node> read_hujson(const SourceMap& sources, SourceId source,
                                Diagnostics& diagnostics) {
    Node root;
    HujsonReader reader(sources, source, diagnostics);
    return reader.document(root) ? std::optional(std::move(root)) : std::nullopt;
}

}  // namespace renderer::policy
