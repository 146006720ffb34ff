#include "renderer/engines/templates/template_value.h"

#include <algorithm>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/templates/go_number.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
constexpr int kDeepestValue = 60;
constexpr int kMostCompared = 100'000;

// Returns the place of a member of a map at `place`.
GoPlace place_below(GoPlace place, std::string_view name, const TemplateTypes& types) {
    switch (place) {
        case GoPlace::Root:
            if (types.clusters && name == "metadata") {
                return GoPlace::Metadata;
            }
            if (types.clusters && name == "clusters") {
                return GoPlace::Clusters;
            }
            if (types.values && name == "values") {
                return GoPlace::Texts;
            }
            return !types.paths     ? GoPlace::Anywhere
                   : name == "path" ? GoPlace::Path
                                    : GoPlace::Prefix;
        case GoPlace::Prefix:
            return name == "path" ? GoPlace::Path : GoPlace::Anywhere;
        case GoPlace::Metadata:
            return name == "labels" || name == "annotations" ? GoPlace::Texts : GoPlace::Anywhere;
        case GoPlace::Path:
            return name == "segments" ? GoPlace::Texts : GoPlace::Anywhere;
        case GoPlace::Anywhere:
        case GoPlace::Texts:
        case GoPlace::Clusters:
            break;
    }
    return GoPlace::Anywhere;
}

GoElement element_at(GoPlace place, const Value& value) {
    const auto is_text = [](const Value& one) { return one.is_string(); };
    const auto is_map = [](const Value& one) { return one.is_map(); };
    const bool is_unsure =
        (place == GoPlace::Clusters && std::ranges::all_of(items_of(&value), is_map)) ||
        (place == GoPlace::Texts && std::ranges::all_of(items_of(&value), is_text) &&
         std::ranges::all_of(members_of(&value), is_text, &Member::value));
    return is_unsure ? GoElement::Unsure : GoElement::Any;
}

class Comparison {
public:
    GoEqual run(const GoValue& one, const GoValue& other, int depth) {
        if (++compared_ > kMostCompared || depth > kDeepestValue || one.is(GoKind::Unset) ||
            other.is(GoKind::Unset) || one.is(GoKind::Odd) || other.is(GoKind::Odd)) {
            return GoEqual::Unknown;
        }
        if (one.is_nothing() || other.is_nothing()) {
            return of(one.is_nothing() && other.is_nothing());
        }
        if (one.kind() != other.kind()) {
            return GoEqual::No;
        }
        return one.is_list()           ? lists(one, other, depth)
               : one.is_map()          ? maps(one, other, depth)
               : one.is_text()         ? of(one.text() == other.text())
               : one.is(GoKind::Float) ? of(one.real() == other.real())
                                       : of(one.whole() == other.whole());
    }

private:
    static GoEqual of(bool is_equal) { return is_equal ? GoEqual::Yes : GoEqual::No; }

    static bool has_unsure_type(const GoValue& one, const GoValue& other) {
        return one.element() == GoElement::Unsure || other.element() == GoElement::Unsure;
    }

    GoEqual lists(const GoValue& one, const GoValue& other, int depth) {
        if (has_unsure_type(one, other) || (one.list() != nullptr && one.list()->is_unordered) ||
            (other.list() != nullptr && other.list()->is_unordered)) {
            return GoEqual::Unknown;
        }
        if (one.element() != other.element() || one.size() != other.size() ||
            (one.list() == nullptr) != (other.list() == nullptr)) {
            return GoEqual::No;
        }
        GoEqual result = GoEqual::Yes;
        for (std::size_t i = 0; i < one.size() && result == GoEqual::Yes; ++i) {
            result = run(one.items()[i], other.items()[i], depth + 1);
        }
        return result;
    }

    GoEqual maps(const GoValue& one, const GoValue& other, int depth) {
        if (has_unsure_type(one, other)) {
            return GoEqual::Unknown;
        }
        if (one.element() != other.element() || one.size() != other.size() ||
            (one.map() == nullptr) != (other.map() == nullptr)) {
            return GoEqual::No;
        }
        if (one.map() == nullptr || one.map() == other.map()) {
            return GoEqual::Yes;
        }
        GoEqual result = GoEqual::Yes;
        for (const auto& [key, value] : one.map()->entries()) {
            const GoValue* found = other.map()->find(key);
            const GoEqual is_equal = found == nullptr ? GoEqual::No : run(value, *found, depth + 1);
            if (is_equal == GoEqual::No) {
                return is_equal;
            }
            result = is_equal == GoEqual::Unknown ? is_equal : result;
        }
        return result;
    }

    int compared_ = 0;
};

}  // namespace

GoValue GoValue::flag(bool flag) {
    GoValue value(GoKind::Bool);
    value.whole_ = flag ? 1 : 0;
    return value;
}

GoValue GoValue::integer(std::int64_t number) {
    GoValue value(GoKind::Int);
    value.whole_ = number;
    return value;
}

GoValue GoValue::integer64(std::int64_t number) {
    GoValue value(GoKind::Int64);
    value.whole_ = number;
    return value;
}

GoValue GoValue::real(double number) {
    GoValue value(GoKind::Float);
    value.real_ = number;
    return value;
}

GoValue GoValue::text(std::string text) {
    GoValue value(GoKind::Text);
    value.text_ = std::make_shared<const std::string>(std::move(text));
    return value;
}

GoValue GoValue::list(GoList* list, GoElement element) {
    GoValue value(GoKind::List);
    value.list_ = list;
    value.element_ = element;
    return value;
}

GoValue GoValue::map(GoMap* map, GoElement element) {
    GoValue value(GoKind::Map);
    value.map_ = map;
    value.element_ = element;
    return value;
}

const std::vector<GoValue>& GoValue::items() const {
    static const std::vector<GoValue> kNoItems;
    return list_ == nullptr ? kNoItems : list_->items;
}

std::size_t GoValue::size() const {
    return is_text()         ? text().size()
           : is_list()       ? items().size()
           : map_ == nullptr ? 0
           : is_map()        ? map_->entries().size()
                             : 0;
}

GoMap::Entries& GoMap::entries() {
    if (given_ != nullptr) {
        for (const Member& member : std::exchange(given_, nullptr)->members()) {
            const GoPlace place = place_below(place_, member.name(), heap_->types());
            entries_.insert_or_assign(std::string(member.name()),
                                      heap_->given(member.value, place));
        }
    }
    return entries_;
}

const GoValue* GoMap::find(std::string_view key) {
    const auto found = entries().find(key);
    return found == entries_.end() ? nullptr : &found->second;
}

GoList* TemplateHeap::list(std::vector<GoValue> items) {
    return &lists_.emplace_back(GoList{.items = std::move(items)});
}

GoMap* TemplateHeap::map() {
    return &maps_.emplace_back();
}

GoValue TemplateHeap::texts(const std::vector<std::string>& texts) {
    GoList* made = list();
    for (const std::string& text : texts) {
        made->items.push_back(GoValue::text(text));
    }
    return GoValue::list(made, GoElement::Text);
}

GoValue TemplateHeap::given(const Value& value, GoPlace place) {
    switch (value.kind()) {
        case Value::Kind::Null:
            return GoValue::nil();
        case Value::Kind::Bool:
            return GoValue::flag(value.as_bool());
        case Value::Kind::Number: {
            const std::optional<double> number = json_real(value.text());
            return number ? GoValue::real(*number) : GoValue::odd();
        }
        case Value::Kind::String:
            return GoValue::text(std::string(value.text()));
        case Value::Kind::Map:
            return GoValue::map(&maps_.emplace_back(*this, value, place), element_at(place, value));
        case Value::Kind::List:
            break;
    }
    GoList* made = list();
    made->is_given = true;
    const GoPlace below = place == GoPlace::Clusters ? GoPlace::Root : GoPlace::Anywhere;
    for (const Value& item : value.items()) {
        made->items.push_back(given(item, below));
    }
    return GoValue::list(made, element_at(place, value));
}

bool TemplateHeap::charge(std::size_t bytes) {
    charged_ += bytes;
    return charged_ <= kMostBytes;
}

bool is_true(const GoValue& value) {
    const bool has_size = value.is_text() || value.is_list() || value.is_map();
    return has_size                  ? value.size() > 0
           : value.is(GoKind::Float) ? value.real() != 0
                                     : value.whole() != 0;
}

std::string_view type_of(const GoValue& value) {
    const bool is_of_text = value.element() == GoElement::Text;
    switch (value.kind()) {
        case GoKind::Bool:
            return "bool";
        case GoKind::Int:
            return "int";
        case GoKind::Int64:
            return "int64";
        case GoKind::Float:
            return "float64";
        case GoKind::Text:
            return "string";
        case GoKind::List:
            return is_of_text                          ? "[]string"
                   : value.element() == GoElement::Int ? "[]int"
                                                       : "[]interface {}";
        case GoKind::Map:
            return is_of_text ? "map[string]string" : "map[string]interface {}";
        case GoKind::Missing:
        case GoKind::Nil:
        case GoKind::Unset:
        case GoKind::Odd:
            break;
    }
    return "<nil>";
}

std::string_view kind_of(const GoValue& value) {
    return value.is_list()      ? "slice"
           : value.is_map()     ? "map"
           : value.is_nothing() ? "invalid"
                                : type_of(value);
}

GoEqual deep_equal(const GoValue& one, const GoValue& other) {
    return Comparison().run(one, other, 0);
}

}  // namespace renderer::engines
