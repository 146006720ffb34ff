// Functions of lists.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/engines/templates/template_functions.h"

namespace renderer::engines {

namespace {

GoValue of_no_list(TemplateCall& call, const GoValue& value) {
    return call.fail(fmt::format("it does not take {}", type_of(value)));
}

GoValue make_list(TemplateCall& call) {
    return GoValue::list(call.heap.list(call.arguments));
}

GoValue end_of_list(TemplateCall& call) {
    const GoValue& list = call.arguments[0];
    if (!list.is_list()) {
        return of_no_list(call, list);
    }
    const bool is_first = call.name == "first" || call.name == "mustFirst";
    return list.size() == 0 ? GoValue::nil()
           : is_first       ? list.items().front()
                            : list.items().back();
}

GoValue most_of_list(TemplateCall& call) {
    const GoValue& list = call.arguments[0];
    if (!list.is_list()) {
        return of_no_list(call, list);
    }
    if (list.size() == 0) {
        return GoValue::list(nullptr);
    }
    const bool is_rest = call.name == "rest" || call.name == "mustRest";
    std::vector<GoValue> items = list.items();
    items.erase(is_rest ? items.begin() : items.end() - 1);
    return GoValue::list(call.heap.list(std::move(items)));
}

GoValue reverse_list(TemplateCall& call) {
    const GoValue& list = call.arguments[0];
    if (!list.is_list()) {
        return of_no_list(call, list);
    }
    return GoValue::list(call.heap.list({list.items().rbegin(), list.items().rend()}));
}

GoValue add_to_list(TemplateCall& call) {
    const GoValue& list = call.arguments[0];
    if (!list.is_list()) {
        return of_no_list(call, list);
    }
    std::vector<GoValue> items = list.items();
    const bool is_front = call.name == "prepend" || call.name == "mustPrepend";
    items.insert(is_front ? items.begin() : items.end(), call.arguments[1]);
    return GoValue::list(call.heap.list(std::move(items)));
}

GoValue join_lists(TemplateCall& call) {
    std::vector<GoValue> items;
    for (const GoValue& list : call.arguments) {
        if (!list.is_list()) {
            return of_no_list(call, list);
        }
        items.insert(items.end(), list.items().begin(), list.items().end());
    }
    return GoValue::list(items.empty() ? nullptr : call.heap.list(std::move(items)));
}

// True if the items contain the needle. Returns nothing if the call fails.
std::optional<bool> is_in(TemplateCall& call, const GoValue& needle,
                          std::span<const GoValue> items) {
    for (const GoValue& item : items) {
        const GoEqual equal = deep_equal(needle, item);
        if (equal == GoEqual::Unknown) {
            call.fail("the type of its argument is not known");
            return std::nullopt;
        }
        if (equal == GoEqual::Yes) {
            return true;
        }
    }
    return false;
}

GoValue has_item(TemplateCall& call) {
    const GoValue& list = call.arguments[1];
    if (list.is(GoKind::Nil)) {
        return GoValue::flag(false);
    }
    return list.is_list()
               ? GoValue::flag(is_in(call, call.arguments[0], list.items()).value_or(false))
               : of_no_list(call, list);
}

// `uniq`, `without`, `compact`.
GoValue filter_list(TemplateCall& call) {
    const GoValue& list = call.arguments[0];
    if (!list.is_list()) {
        return of_no_list(call, list);
    }
    constexpr std::size_t kMostPairs = 4'000'000;
    const std::span<const GoValue> omitted = std::span(call.arguments).subspan(1);
    const bool is_uniq = call.name == "uniq" || call.name == "mustUniq";
    if (list.size() * (is_uniq ? list.size() : omitted.size()) > kMostPairs) {
        return call.fail("its result is too long");
    }
    GoList* made = call.heap.list();
    made->is_unordered = list.list() != nullptr && list.list()->is_unordered;
    for (const GoValue& item : list.items()) {
        const bool is_compact = call.name == "compact" || call.name == "mustCompact";
        const std::optional<bool> is_left_out =
            is_compact ? truth_of(item) : is_in(call, item, is_uniq ? made->items : omitted);
        if (!is_left_out) {
            return call.fail("its number is spelled in an unusual way");
        }
        if (*is_left_out == is_compact) {
            made->items.push_back(item);
        }
    }
    made->is_unordered = made->is_unordered && made->items.size() > 1;
    return GoValue::list(made);
}

// Sorts. As in sprig, a []string is sorted in place.
GoValue sort_list(TemplateCall& call) {
    const GoValue& value = call.arguments[0];
    std::vector<std::string> texts;
    if (value.is_list()) {
        texts = text_forms(call, value);
    } else {
        texts.push_back(text_form(call, value));
    }
    const bool is_sorted = std::ranges::is_sorted(texts);
    std::ranges::sort(texts);
    const bool stays = value.is_list() && value.list() != nullptr &&
                       value.element() != GoElement::Any && value.element() != GoElement::Int;
    if (!stays) {
        return call.heap.texts(texts);
    }
    if (value.list()->is_given && !is_sorted) {
        return call.fail("it would sort parameters in place");
    }
    if (value.element() == GoElement::Text) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            value.list()->items[i] = GoValue::text(texts[i]);
        }
        value.list()->is_unordered = false;
        return value;
    }
    GoValue made = call.heap.texts(texts);
    made.list()->is_given = true;
    return made;
}

GoValue to_texts(TemplateCall& call) {
    const GoValue& value = call.arguments[0];
    if (value.is_list() && value.element() == GoElement::Text) {
        return value;
    }
    GoValue made = call.heap.texts(text_forms(call, value));
    made.list()->is_given = value.element() == GoElement::Unsure;
    return made;
}

// `slice .list 1 3`. An end beyond the length fails: in Go it depends on the capacity.
GoValue slice_list(TemplateCall& call) {
    const GoValue& list = call.arguments[0];
    if (!list.is_list()) {
        return of_no_list(call, list);
    }
    if (list.size() == 0) {
        return GoValue::nil();
    }
    const auto size = static_cast<std::int64_t>(list.size());
    const std::int64_t from = call.arguments.size() > 1 ? to_int64(call, call.arguments[1]) : 0;
    const std::int64_t to = call.arguments.size() > 2 ? to_int64(call, call.arguments[2]) : size;
    if (from < 0 || from > to || to > size) {
        return call.fail(fmt::format("{} to {} is out of range", from, to));
    }
    list.list()->is_given = true;  // the result shares its items
    GoList* made = call.heap.list({list.items().begin() + from, list.items().begin() + to});
    made->is_given = true;
    return GoValue::list(made, list.element());
}

constexpr auto kLists = std::to_array<TemplateFunction>({
    {"list", "a*", make_list},           {"tuple", "a*", make_list},
    {"first", "a", end_of_list},         {"mustFirst", "a", end_of_list},
    {"last", "a", end_of_list},          {"mustLast", "a", end_of_list},
    {"rest", "a", most_of_list},         {"mustRest", "a", most_of_list},
    {"initial", "a", most_of_list},      {"mustInitial", "a", most_of_list},
    {"reverse", "a", reverse_list},      {"mustReverse", "a", reverse_list},
    {"append", "aa", add_to_list},       {"mustAppend", "aa", add_to_list},
    {"push", "aa", add_to_list},         {"mustPush", "aa", add_to_list},
    {"prepend", "aa", add_to_list},      {"mustPrepend", "aa", add_to_list},
    {"concat", "a*", join_lists},        {"has", "aa", has_item},
    {"mustHas", "aa", has_item},         {"uniq", "a", filter_list},
    {"mustUniq", "a", filter_list},      {"without", "aa*", filter_list},
    {"mustWithout", "aa*", filter_list}, {"compact", "a", filter_list},
    {"mustCompact", "a", filter_list},   {"sortAlpha", "a", sort_list},
    {"toStrings", "a", to_texts},        {"slice", "aa*", slice_list},
    {"mustSlice", "aa*", slice_list},
});

}  // namespace

std::span<const TemplateFunction> list_functions() {
    return kLists;
}

}  // namespace renderer::engines
