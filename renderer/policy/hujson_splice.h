// Inserts entries into a HuJSON text, and changes no byte of it. They are indented as the text is,
// and end with a comma where its other entries do. A text without comments and trailing commas is
// JSON, and stays so.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/policy/hujson.h"

namespace renderer::policy {

// An entry to insert. It has a value on one line, or entries of its own in brackets.
struct NewEntry {
    std::string comment = {};  // lines above it, without "//"; "" for none
    std::string key = {};      // "" for an item of a list
    std::string value = {};    // JSON, such as `["tag:web"]`; "" if it has entries
    std::vector<NewEntry> entries = {};
    bool is_list = false;  // of entries without keys
};

// Returns text as a JSON string, for NewEntry::value.
std::string json_string(std::string_view text);
std::string json_list(const std::vector<std::string>& texts);  // `["a", "b"]`

// Returns the entry on one line, without its comment.
std::string entry_text(const NewEntry& entry);

class HujsonSplice {
public:
    // The arguments must outlive the object.
    HujsonSplice(std::string_view text, const Node& root);

    // Adds an entry at the end of a list or an object of the text.
    void add(const Node& container, NewEntry entry);

    [[nodiscard]] std::string result() const;

private:
    using Insertions = std::multimap<std::size_t, std::string>;  // by offset

    void look_at(const Node& node);
    [[nodiscard]] std::size_t line_begin(std::size_t offset) const;
    [[nodiscard]] bool is_first_on_line(std::size_t offset) const;
    [[nodiscard]] std::string line_indent(std::size_t offset) const;
    [[nodiscard]] std::string entry_indent(const Node& container) const;
    [[nodiscard]] std::string lines(const std::vector<NewEntry>& entries, const std::string& indent,
                                    bool ends_with_comma) const;
    void insert(const Node& container, const std::vector<NewEntry>& entries,
                Insertions& insertions) const;
    void insert_lines(const Node& container, const std::vector<NewEntry>& entries,
                      Insertions& insertions) const;
    void insert_in_line(const Node& container, const std::vector<NewEntry>& entries,
                        Insertions& insertions) const;

    std::string_view text_;
    const Node& root_;
    std::string unit_ = "  ";  // indentation of one level
    std::string line_end_ = "\n";
    bool has_comments_ = false;
    std::size_t with_comma_ = 0, without_comma_ = 0;  // containers on several lines
    std::vector<std::pair<const Node*, std::vector<NewEntry>>> added_;
};

}  // namespace renderer::policy
