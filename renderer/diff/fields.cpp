#include "renderer/diff/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"
#include "renderer/core/json.h"
#include "renderer/diff/list_rules.h"

namespace renderer {
namespace {

constexpr std::size_t kMaxShown = 160;
constexpr std::size_t kContext = 40;

bool is_word(std::string_view key) {
    return !key.empty() && std::ranges::all_of(key, [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '_';
    });
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
    const auto pair = std::ranges::mismatch(a, b);
    return static_cast<std::size_t>(pair.in1 - a.begin());
}

// As JSON, but with `<`, `>` and `&` as they are: this is for people.
std::string json_for_people(const Value& value) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kEscapes = {
        {{"\\u003c", "<"}, {"\\u003e", ">"}, {"\\u0026", "&"}}};
    std::string text = write_json_sorted(value);
    for (const auto& [escape, character] : kEscapes) {
        for (auto at = text.find(escape); at != std::string::npos; at = text.find(escape, at + 1)) {
            const bool escaped = at > 0 && text[at - 1] == '\\';
            if (!escaped) {
                text.replace(at, escape.size(), character);
            }
        }
    }
    return text;
}

class Comparer {
public:
    explicit Comparer(std::string_view kind) : kind_(kind) {}

    void compare(const std::string& path, std::string_view field, const Value& before,
                 const Value& after) {
        if (before.is_map() && after.is_map()) {
            maps(path, before, after);
        } else if (before.is_list() && after.is_list()) {
            lists(path, field, before, after);
        } else if (!(before == after)) {
            add(path, before, after);
        }
    }

    std::vector<FieldChange> take() {
        std::ranges::stable_sort(changes_, {}, &FieldChange::path);
        return std::move(changes_);
    }

private:
    void add(const std::string& path, const Value& before, const Value& after) {
        const FieldEdit edit = before.is_null()  ? FieldEdit::Added
                               : after.is_null() ? FieldEdit::Removed
                                                 : FieldEdit::Changed;
        std::size_t skipped = 0;  // what long texts have in common
        if (before.is_string() && after.is_string()) {
            skipped = common_prefix(before.text(), after.text());
        }
        changes_.push_back({path, edit, before.is_null() ? "" : shown_value(before, skipped),
                            after.is_null() ? "" : shown_value(after, skipped)});
    }

    void maps(const std::string& path, const Value& before, const Value& after) {
        static const Value kAbsent{};
        for (const Member& member : before.members()) {
            const Value* other = after.find(member.name());
            compare(child_path(path, member.name()), member.name(), member.value,
                    other != nullptr ? *other : kAbsent);
        }
        for (const Member& member : after.members()) {
            if (before.find(member.name()) == nullptr) {
                compare(child_path(path, member.name()), member.name(), kAbsent, member.value);
            }
        }
    }

    void lists(const std::string& path, std::string_view field, const Value& before,
               const Value& after) {
        const ListRule rule = list_rule(kind_, field, before, after);
        const std::size_t changes = changes_.size();
        switch (rule.order) {
            case ListOrder::Keyed:
                keyed(path, rule.keys, before, after);
                break;
            case ListOrder::Set:
                sets(path, before, after);
                break;
            case ListOrder::Matters:
                sequences(path, field, before, after);
                return;
        }
        // The pods' controller compares templates as they are written.
        if (changes_.size() == changes && path.starts_with(kPodTemplate) &&
            is_reordered(before, after)) {
            changes_.push_back({path, FieldEdit::Reordered, "", ""});
        }
    }

    static bool is_reordered(const Value& before, const Value& after) {
        const auto label = [](const Value& item) { return write_json_sorted(item); };
        return !std::ranges::equal(before.items(), after.items(), {}, label, label);
    }

    void keyed(const std::string& path, const std::vector<std::string_view>& keys,
               const Value& before, const Value& after) {
        static const Value kAbsent{};
        std::map<std::string, std::pair<const Value*, const Value*>> items;
        for (const Value& item : before.items()) {
            items[item_label(item, keys)].first = &item;
        }
        for (const Value& item : after.items()) {
            items[item_label(item, keys)].second = &item;
        }
        for (const auto& [label, pair] : items) {
            compare(fmt::format("{}[{}]", path, label), {},
                    pair.first != nullptr ? *pair.first : kAbsent,
                    pair.second != nullptr ? *pair.second : kAbsent);
        }
    }

    void sets(const std::string& path, const Value& before, const Value& after) {
        std::vector<const Value*> gone;
        std::multimap<std::string, const Value*> left;
        for (const Value& item : after.items()) {
            left.emplace(write_json_sorted(canonical(kind_, {}, item)), &item);
        }
        for (const Value& item : before.items()) {
            const auto found = left.find(write_json_sorted(canonical(kind_, {}, item)));
            if (found != left.end()) {
                left.erase(found);
            } else {
                gone.push_back(&item);
            }
        }
        if (gone.size() == 1 && left.size() == 1) {  // the same item with another content
            compare(path + "[]", {}, *gone.front(), *left.begin()->second);
            return;
        }
        for (const Value* item : gone) {
            add(path + "[]", *item, Value());
        }
        for (const auto& [text, item] : left) {
            add(path + "[]", Value(), *item);
        }
    }

    // What both begin and end with is the same; what is left is compared item by item.
    void sequences(const std::string& path, std::string_view field, const Value& before,
                   const Value& after) {
        static const Value kAbsent{};
        const auto a = before.items();
        const auto b = after.items();
        std::size_t begin = 0;
        while (begin < a.size() && begin < b.size() && a[begin] == b[begin]) {
            ++begin;
        }
        std::size_t end = 0;
        while (end < a.size() - begin && end < b.size() - begin &&
               a[a.size() - 1 - end] == b[b.size() - 1 - end]) {
            ++end;
        }
        const std::size_t count = std::max(a.size(), b.size()) - end;
        for (std::size_t i = begin; i < count; ++i) {
            compare(fmt::format("{}[{}]", path, i), field, i < a.size() - end ? a[i] : kAbsent,
                    i < b.size() - end ? b[i] : kAbsent);
        }
    }

    std::string_view kind_;
    std::vector<FieldChange> changes_;
};

}  // namespace

std::string child_path(std::string_view path, std::string_view key) {
    if (is_word(key)) {
        return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
    }
    return fmt::format("{}[{}]", path, write_json(Value(key)));
}

std::string shown_value(const Value& value, std::size_t skipped) {
    std::string text = json_for_people(value);
    if (text.size() <= kMaxShown) {
        return text;
    }
    std::size_t begin = skipped > kContext ? std::min(skipped - kContext, text.size() - 1) : 0;
    while (begin > 0 && is_continuation(text[begin])) {
        --begin;
    }
    std::size_t end = std::min(begin + kMaxShown, text.size());
    while (end < text.size() && is_continuation(text[end])) {
        --end;
    }
    return fmt::format("{}{}{} ({} bytes)", begin > 0 ? "…" : "", text.substr(begin, end - begin),
                       end < text.size() ? "…" : "", text.size());
}

std::vector<FieldChange> compare_fields(std::string_view kind, const Value& before,
                                        const Value& after) {
    Comparer comparer(kind);
    comparer.compare({}, {}, before, after);
    return comparer.take();
}

}  // namespace renderer
