// Reads HuJSON, the format of a tailnet's policy file: JSON (RFC 8259) with comments and trailing
// commas. Every value keeps the bytes that it spans, so that text can be inserted beside it and
// comments and order are kept. A duplicate key is an error, as in Tailscale's reader. Source:
// github.com/tailscale/hujson.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer::policy {

struct Entry;

struct Node {
    using Kind = Value::Kind;

    Kind kind = Kind::Null;
    std::size_t begin = 0, end = 0;  // bytes of the text, with quotes and brackets
    std::string text = {};           // a String without quotes and escapes
    std::vector<Entry> entries;

    [[nodiscard]] bool is_string() const { return kind == Kind::String; }
    [[nodiscard]] bool is_list() const { return kind == Kind::List; }
    [[nodiscard]] bool is_map() const { return kind == Kind::Map; }
    // Returns the value of a key of a Map, or nullptr.
    [[nodiscard]] const Node* find(std::string_view key) const;
    // The same for names of sections and fields, which have no case.
    [[nodiscard]] const Node* find_any_case(std::string_view key) const;
};

// A member of a Map, or an item of a List, which has no key.
struct Entry {
    Node key = {};
    Node value = {};
    std::size_t comma = std::string_view::npos;  // of the comma behind the value, if there is one
};

// Returns "null", "a boolean", "a number", "a string", "a list" or "an object".
std::string_view kind_name(const Node& node);

// Reads the whole text of a source. Returns nothing after an error, which is in `diagnostics`
// (rules "hujson-syntax", "hujson-nesting", "duplicate-key", "bad-utf8").
std::optional<Node> read_hujson(const SourceMap& sources, SourceId source,
                                Diagnostics& diagnostics);

}  // namespace renderer::policy
