#include "renderer/policy/hujson_splice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/base/split.h"
#include "renderer/core/json.h"

namespace renderer::policy {

namespace {

constexpr std::size_t kNoComma = std::string_view::npos;

bool has_comment(std::string_view space) {
    return space.find('/') != std::string_view::npos;
}

std::size_t begin_of(const Entry& entry) {
    return entry.key.end > 0 ? entry.key.begin : entry.value.begin;
}

std::string key_text(const NewEntry& entry) {
    return entry.key.empty() ? std::string() : json_string(entry.key) + ": ";
}

std::string in_line(const std::vector<NewEntry>& entries) {
    std::string text;
    for (const NewEntry& entry : entries) {
        text += (text.empty() ? "" : ", ") + entry_text(entry);
    }
    return text;
}

// True if a comment is between the entries of a container, at any depth.
bool holds_comment(std::string_view text, const Node& node) {
    std::size_t at = node.begin + 1;
    for (const Entry& entry : node.entries) {
        const bool has_key = entry.key.end > 0;
        if (has_comment(text.substr(at, begin_of(entry) - at)) ||
            (has_key &&
             has_comment(text.substr(entry.key.end, entry.value.begin - entry.key.end))) ||
            holds_comment(text, entry.value)) {
            return true;
        }
        at = entry.value.end;
    }
    return (node.is_list() || node.is_map()) && has_comment(text.substr(at, node.end - 1 - at));
}

}  // namespace

std::string json_string(std::string_view text) {
    return write_json(Value(text));
}

std::string json_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) {
        list += (list.empty() ? "" : ", ") + json_string(text);
    }
    return fmt::format("[{}]", list);
}

std::string entry_text(const NewEntry& entry) {
    return key_text(entry) + (entry.value.empty()
                                  ? fmt::format("{}{}{}", entry.is_list ? '[' : '{',
                                                in_line(entry.entries), entry.is_list ? ']' : '}')
                                  : entry.value);
}

HujsonSplice::HujsonSplice(std::string_view text, const Node& root) : text_(text), root_(root) {
    const std::size_t line_end = text.find('\n');
    if (line_end != std::string_view::npos && line_end > 0 && text[line_end - 1] == '\r') {
        line_end_ = "\r\n";
    }
    has_comments_ = has_comment(text.substr(0, root.begin)) || has_comment(text.substr(root.end)) ||
                    holds_comment(text, root);
    look_at(root);
    for (const Entry& entry : root.entries) {
        if (is_first_on_line(begin_of(entry)) && begin_of(entry) > line_begin(begin_of(entry))) {
            unit_ = line_indent(begin_of(entry));
            break;
        }
    }
}

// Counts how containers on several lines end.
void HujsonSplice::look_at(const Node& node) {
    for (const Entry& entry : node.entries) {
        look_at(entry.value);
    }
    if (!node.entries.empty() && is_first_on_line(node.end - 1)) {
        ++(node.entries.back().comma == kNoComma ? without_comma_ : with_comma_);
    }
}

std::size_t HujsonSplice::line_begin(std::size_t offset) const {
    const std::size_t before = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
    return before == std::string_view::npos ? 0 : before + 1;
}

bool HujsonSplice::is_first_on_line(std::size_t offset) const {
    const std::size_t begin = line_begin(offset);
    return begin > 0 &&
           text_.substr(begin, offset - begin).find_first_not_of(" \t") == std::string_view::npos;
}

// Returns the white space at the beginning of the line.
std::string HujsonSplice::line_indent(std::size_t offset) const {
    const std::string_view line = text_.substr(line_begin(offset));
    return std::string(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
}

std::string HujsonSplice::entry_indent(const Node& container) const {
    for (const Entry& entry : container.entries) {
        if (is_first_on_line(begin_of(entry))) {
            return line_indent(begin_of(entry));
        }
    }
    const std::size_t bracket = container.end - 1;
    return line_indent(is_first_on_line(bracket) ? bracket : container.begin) + unit_;
}

std::string HujsonSplice::lines(const std::vector<NewEntry>& entries, const std::string& indent,
                                bool ends_with_comma) const {
    std::string text;
    for (const NewEntry& entry : entries) {
        std::string_view comment =
            has_comments_ || with_comma_ > 0 ? entry.comment : std::string_view();
        while (!comment.empty()) {
            text += fmt::format("{}// {}{}", indent, as_lines(on_one_line(take(comment, '\n'))),
                                line_end_);
        }
        text += indent + key_text(entry);
        text += entry.value.empty()
                    ? fmt::format("{}{}{}{}{}", entry.is_list ? '[' : '{', line_end_,
                                  lines(entry.entries, indent + unit_, ends_with_comma), indent,
                                  entry.is_list ? ']' : '}')
                    : entry.value;
        text += (&entry == &entries.back() && !ends_with_comma ? "" : ",") + line_end_;
    }
    return text;
}

void HujsonSplice::add(const Node& container, NewEntry entry) {
    auto place = std::ranges::find(added_, &container, &decltype(added_)::value_type::first);
    if (place == added_.end()) {
        place = added_.insert(place, {&container, {}});
    }
    place->second.push_back(std::move(entry));
}

// Inserts lines before that of the closing bracket.
void HujsonSplice::insert_lines(const Node& container, const std::vector<NewEntry>& entries,
                                Insertions& insertions) const {
    bool ends_with_comma = with_comma_ > without_comma_ || (has_comments_ && without_comma_ == 0);
    if (!container.entries.empty()) {
        const Entry& last = container.entries.back();
        ends_with_comma = last.comma != kNoComma;
        if (!ends_with_comma) {
            insertions.emplace(last.value.end, ",");
        }
    }
    const std::string text = lines(entries, entry_indent(container), ends_with_comma);
    const std::size_t bracket = container.end - 1;
    if (is_first_on_line(bracket)) {
        insertions.emplace(line_begin(bracket), text);
    } else {  // the container is empty, on one line
        insertions.emplace(container.begin + 1, line_end_ + text + line_indent(container.begin));
    }
}

void HujsonSplice::insert_in_line(const Node& container, const std::vector<NewEntry>& entries,
                                  Insertions& insertions) const {
    const std::string text = in_line(entries);
    if (container.entries.empty()) {
        insertions.emplace(container.end - 1, text);
    } else if (const Entry& last = container.entries.back(); last.comma == kNoComma) {
        insertions.emplace(last.value.end, ", " + text);
    } else {
        insertions.emplace(last.comma + 1, fmt::format(" {},", text));
    }
}

void HujsonSplice::insert(const Node& container, const std::vector<NewEntry>& entries,
                          Insertions& insertions) const {
    const bool has_lines = is_first_on_line(container.end - 1);
    const std::string_view inside =
        text_.substr(container.begin + 1, container.end - container.begin - 2);
    // `{}` in a text of several lines becomes several lines, but `[]` of strings does not.
    const bool is_opened = container.entries.empty() &&
                           inside.find_first_not_of(" \t") == std::string_view::npos &&
                           (container.is_map() || entries.front().value.empty()) &&
                           (is_first_on_line(root_.end - 1) || &container == &root_);
    if (has_lines || is_opened) {
        insert_lines(container, entries, insertions);
    } else {
        insert_in_line(container, entries, insertions);
    }
}

std::string HujsonSplice::result() const {
    Insertions insertions;
    for (const auto& [container, entries] : added_) {
        insert(*container, entries, insertions);
    }
    std::string result;
    std::size_t at = 0;
    for (const auto& [offset, text] : insertions) {
        result.append(text_.substr(at, offset - at)).append(text);
        at = offset;
    }
    return result.append(text_.substr(at));
}

}  // namespace renderer::policy
