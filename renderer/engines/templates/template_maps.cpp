// Functions of maps. As in sprig, `set`, `unset` and `merge` change a map in place; they fail for a
// map of the parameters, which other templates also read.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "renderer/engines/templates/template_functions.h"

namespace renderer::engines {

namespace {

constexpr int kDeepestMerge = 60;
constexpr std::size_t kMostMerged = 100'000;

GoValue make_map(TemplateCall& call) {
    GoMap* made = call.heap.map();
    for (std::size_t i = 0; i < call.arguments.size(); i += 2) {
        const bool has_value = i + 1 < call.arguments.size();
        made->entries().insert_or_assign(text_form(call, call.arguments[i]),
                                         has_value ? call.arguments[i + 1] : GoValue::text(""));
    }
    return GoValue::map(made);
}

const GoValue* entry_of(const GoValue& map, std::string_view key) {
    return map.map() == nullptr ? nullptr : map.map()->find(key);
}

GoValue look_up_key(TemplateCall& call) {
    const GoValue* found = entry_of(call.arguments[0], call.text(1));
    if (call.name == "hasKey") {
        return GoValue::flag(found != nullptr);
    }
    return found == nullptr ? GoValue::text("") : *found;
}

// `dig "a" "b" "default" .map`.
GoValue dig_up(TemplateCall& call) {
    if (call.arguments.size() < 3) {
        return call.fail(fmt::format("{} arguments", call.arguments.size()));
    }
    const std::size_t keys = call.arguments.size() - 2;
    for (std::size_t i = 0; i < keys; ++i) {
        if (!call.arguments[i].is_text()) {
            return call.fail(fmt::format("its key is {}", type_of(call.arguments[i])));
        }
    }
    GoValue value = call.last();
    for (std::size_t i = 0; i < keys; ++i) {
        if (!value.is_map() || value.element() != GoElement::Any) {
            return call.fail(fmt::format("\"{}\" of {}", call.text(i), type_of(value)));
        }
        const GoValue* found = entry_of(value, call.text(i));
        if (found == nullptr) {
            return call.arguments[keys];
        }
        value = GoValue(*found);
    }
    return value;
}

GoValue change_map(TemplateCall& call) {
    const GoValue& map = call.arguments[0];
    if (map.map() == nullptr) {
        return call.name == "unset" ? map : call.fail("its argument is nil");
    }
    const bool is_known = map.map()->find(call.text(1)) != nullptr;
    if (map.map()->is_given() && (call.name == "set" || is_known)) {
        return call.fail("it would change parameters");
    }
    if (call.name == "unset") {
        map.map()->entries().erase(call.text(1));
    } else {
        map.map()->entries().insert_or_assign(call.text(1), call.arguments[2]);
    }
    return map;
}

// `pick`, `omit`.
GoValue select_entries(TemplateCall& call) {
    GoMap* made = call.heap.map();
    if (call.arguments[0].map() != nullptr) {
        const auto keys = std::span(call.arguments).subspan(1);
        for (const auto& [key, value] : call.arguments[0].map()->entries()) {
            bool is_named = false;
            for (const GoValue& one : keys) {
                is_named = is_named || one.text() == key;
            }
            if (is_named == (call.name == "pick")) {
                made->entries().emplace(key, value);
            }
        }
    }
    return GoValue::map(made);
}

GoValue pluck_values(TemplateCall& call) {
    std::vector<GoValue> found;
    for (const GoValue& map : std::span(call.arguments).subspan(1)) {
        if (const GoValue* value = entry_of(map, call.text(0))) {
            found.push_back(*value);
        }
    }
    return GoValue::list(call.heap.list(std::move(found)));
}

GoValue list_entries(TemplateCall& call) {
    std::vector<GoValue> found;
    const bool is_keys = call.name == "keys";
    for (const GoValue& map : call.arguments) {
        if (map.map() != nullptr) {
            for (const auto& [key, value] : map.map()->entries()) {
                found.push_back(is_keys ? GoValue::text(key) : value);
            }
        }
    }
    GoList* made = call.heap.list(std::move(found));
    made->is_unordered = made->items.size() > 1;
    return GoValue::list(made, is_keys ? GoElement::Text : GoElement::Any);
}

// ---- merge: dario.cat/mergo

class Merge {
public:
    Merge(TemplateCall& call, bool overwrites) : call_(call), overwrites_(overwrites) {}

    void run(GoMap& into, const GoValue& from) {
        std::set<const GoMap*> known;
        if (!is_tree(GoValue::map(&into), known, 0) || !is_tree(from, known, 0)) {
            call_.fail("a map contains itself");
            return;
        }
        merge(into, from, 0);
    }

private:
    // True if no map occurs twice in the value. Otherwise the result would depend on the order of
    // maps, which is random in Go.
    bool is_tree(const GoValue& value, std::set<const GoMap*>& known, int depth) {
        if (depth > kDeepestMerge || known.size() > kMostMerged) {
            return false;
        }
        const auto is_one = [&](const GoValue& one) { return is_tree(one, known, depth + 1); };
        if (value.is_list()) {
            return value.size() < kMostMerged && std::ranges::all_of(value.items(), is_one);
        }
        if (!value.is_map() || value.map() == nullptr) {
            return true;
        }
        return known.insert(value.map()).second &&
               std::ranges::all_of(value.map()->entries(), is_one,
                                   &GoMap::Entries::value_type::second);
    }

    void put(GoMap& into, const std::string& key, const GoValue& value) {
        if (into.is_given()) {
            call_.fail("it would change parameters");
            return;
        }
        into.entries().insert_or_assign(key, value);
    }

    void merge(GoMap& into, const GoValue& from, int depth) {
        if (from.map() == nullptr || depth > kDeepestMerge) {
            return;
        }
        for (const auto& [key, value] : from.map()->entries()) {
            if (call_.failure.empty()) {
                entry(into, key, value, depth);
            }
        }
    }

    void entry(GoMap& into, const std::string& key, const GoValue& value, int depth) {
        const GoValue* known = into.find(key);
        if (value.is_nothing() && !overwrites_) {
            return;
        }
        if (value.is_nothing()) {
            return put(into, key, value);
        }
        if (value.is_map() && known != nullptr && known->is_map()) {
            return maps(into, key, *known, value, depth);
        }
        const std::optional<bool> is_set = known == nullptr ? false : truth_of(*known);
        if (!is_set || value.is(GoKind::Odd)) {
            call_.fail("its number is spelled in an unusual way");
            return;
        }
        if (overwrites_ || !*is_set) {
            put(into, key, value);
        }
    }

    void maps(GoMap& into, const std::string& key, const GoValue& known, const GoValue& value,
              int depth) {
        if (known.element() != GoElement::Any || value.element() != GoElement::Any ||
            known.map() == nullptr || value.map() == nullptr) {
            call_.fail("the type of a map is not known");
            return;
        }
        merge(*known.map(), value, depth + 1);
        if (known.size() == 0 && call_.failure.empty()) {
            put(into, key, value);
        }
    }

    TemplateCall& call_;
    bool overwrites_;
};

GoValue merge_maps(TemplateCall& call) {
    GoValue into = call.arguments[0];
    const bool overwrites = call.name.ends_with("Overwrite");
    for (const GoValue& from : std::span(call.arguments).subspan(1)) {
        if (into.map() == nullptr && from.map() != nullptr) {
            into = GoValue::map(call.heap.map());
        }
        if (into.map() != nullptr && call.failure.empty()) {
            Merge(call, overwrites).run(*into.map(), from);
        }
    }
    return into;
}

// ----

GoValue copied(TemplateCall& call, const GoValue& value, int depth) {
    if (depth > kDeepestMerge || !call.heap.charge(sizeof(GoValue))) {
        return call.fail("its result is too long");
    }
    if (value.is_list() && value.list() != nullptr) {
        GoList* made = call.heap.list();
        made->is_unordered = value.list()->is_unordered;
        for (const GoValue& item : value.items()) {
            made->items.push_back(copied(call, item, depth + 1));
        }
        made->is_given = value.element() == GoElement::Unsure;
        return GoValue::list(made, value.element());
    }
    if (value.is_map() && value.map() != nullptr) {
        GoMap* made = call.heap.map();
        for (const auto& [key, one] : value.map()->entries()) {
            made->entries().emplace(key, copied(call, one, depth + 1));
        }
        return GoValue::map(made, value.element());
    }
    return value.is_list() || value.is_map() ? call.fail("its argument is nil") : value;
}

GoValue copy_deeply(TemplateCall& call) {
    return call.arguments[0].is(GoKind::Nil) ? call.fail("its argument is nil")
                                             : copied(call, call.arguments[0], 0);
}

constexpr auto kMaps = std::to_array<TemplateFunction>({
    {"dict", "a*", make_map},
    {"get", "ms", look_up_key},
    {"hasKey", "ms", look_up_key},
    {"dig", "a*", dig_up},
    {"set", "msa", change_map},
    {"unset", "ms", change_map},
    {"pick", "ms*", select_entries},
    {"omit", "ms*", select_entries},
    {"pluck", "sm*", pluck_values},
    {"keys", "m*", list_entries},
    {"values", "m", list_entries},
    {"merge", "mm*", merge_maps},
    {"mustMerge", "mm*", merge_maps},
    {"mergeOverwrite", "mm*", merge_maps},
    {"mustMergeOverwrite", "mm*", merge_maps},
    {"deepCopy", "a", copy_deeply},
    {"mustDeepCopy", "a", copy_deeply},
});

}  // namespace

std::span<const TemplateFunction> map_functions() {
    return kMaps;
}

}  // namespace renderer::engines
