// Values of Go as its templates see them: which of its types one has decides what functions make of
// it, or whether they take it. They live as long as the heap that made them, since lists and maps
// are shared, and may hold each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

enum class GoKind : std::uint8_t {
    Missing,  // no value at all: `<no value>`
    Nil,      // of type interface{}
    Bool,
    Int,
    Int64,
    Float,
    Text,
    List,
    Map,
    Unset,  // "" or nothing, by the type of the map that lacks the key
    Odd,    // a number that only Go can read
};

// What a list or a map holds. Unsure: texts (of a list of clusters, maps) or anything, by whether a
// generator made it or a document.
enum class GoElement : std::uint8_t { Any, Text, Int, Unsure };

// Where generators put what has types of its own.
enum class GoPlace : std::uint8_t { Anywhere, Root, Metadata, Texts, Path, Prefix, Clusters };

// Which of them a set has.
struct TemplateTypes {
    bool clusters = false;
    bool paths = false;
    bool values = false;
};

class TemplateHeap;
struct GoList;
class GoMap;

class GoValue {
public:
    GoValue() = default;  // Missing
    static GoValue nil() { return GoValue(GoKind::Nil); }
    static GoValue unset() { return GoValue(GoKind::Unset); }
    static GoValue odd() { return GoValue(GoKind::Odd); }
    static GoValue flag(bool flag);
    static GoValue integer(std::int64_t number);    // int
    static GoValue integer64(std::int64_t number);  // int64
    static GoValue real(double number);
    static GoValue text(std::string text);
    // A null pointer is Go's nil of that type.
    static GoValue list(GoList* list, GoElement element = GoElement::Any);
    static GoValue map(GoMap* map, GoElement element = GoElement::Any);

    [[nodiscard]] GoKind kind() const { return kind_; }
    [[nodiscard]] bool is(GoKind kind) const { return kind_ == kind; }
    [[nodiscard]] bool is_nothing() const { return is(GoKind::Missing) || is(GoKind::Nil); }
    [[nodiscard]] bool is_integer() const { return is(GoKind::Int) || is(GoKind::Int64); }
    [[nodiscard]] bool is_text() const { return is(GoKind::Text); }
    [[nodiscard]] bool is_list() const { return is(GoKind::List); }
    [[nodiscard]] bool is_map() const { return is(GoKind::Map); }

    [[nodiscard]] bool flag() const { return whole_ != 0; }
    [[nodiscard]] std::int64_t whole() const { return whole_; }
    [[nodiscard]] double real() const { return real_; }
    [[nodiscard]] const std::string& text() const { return *text_; }
    [[nodiscard]] GoList* list() const { return list_; }
    [[nodiscard]] GoMap* map() const { return map_; }
    [[nodiscard]] GoElement element() const { return element_; }

    // Of a list; none of a nil one.
    [[nodiscard]] const std::vector<GoValue>& items() const;
    [[nodiscard]] std::size_t size() const;  // of a text, list or map

private:
    explicit GoValue(GoKind kind) : kind_(kind) {}

    GoKind kind_ = GoKind::Missing;
    GoElement element_ = GoElement::Any;
    std::shared_ptr<const std::string> text_;
    union {
        std::int64_t whole_ = 0;
        double real_;
        GoList* list_;
        GoMap* map_;
    };
};

struct GoList {
    std::vector<GoValue> items = {};
    bool is_given = false;      // belongs to the parameters, which other templates read as well
    bool is_unordered = false;  // in the order of Go's maps, which is another one each time
};

// Of the parameters, or made by a template.
class GoMap {
public:
    using Entries = std::map<std::string, GoValue, std::less<>>;

    GoMap() = default;
    GoMap(TemplateHeap& heap, const Value& given, GoPlace place)
        : heap_(&heap), given_(&given), place_(place) {}

    [[nodiscard]] bool is_given() const { return heap_ != nullptr; }
    Entries& entries();
    [[nodiscard]] const GoValue* find(std::string_view key);

private:
    Entries entries_;
    TemplateHeap* heap_ = nullptr;
    const Value* given_ = nullptr;  // until it is asked for
    GoPlace place_ = GoPlace::Anywhere;
};

class TemplateHeap {
public:
    explicit TemplateHeap(TemplateTypes types = {}) : types_(types) {}

    GoList* list(std::vector<GoValue> items = {});
    GoMap* map();
    GoValue texts(const std::vector<std::string>& texts);  // []string
    // The value must live as long as this.
    GoValue given(const Value& value, GoPlace place);

    // False: a template has made more than it may.
    bool charge(std::size_t bytes);
    [[nodiscard]] const TemplateTypes& types() const { return types_; }

private:
    TemplateTypes types_;
    std::deque<GoList> lists_;
    std::deque<GoMap> maps_;
    std::size_t charged_ = 0;
};

// What `if` asks of a value.
bool is_true(const GoValue& value);

// As `%T` prints it.
std::string_view type_of(const GoValue& value);

// As reflect.Kind prints it.
std::string_view kind_of(const GoValue& value);

// reflect.DeepEqual. Unknown: it is a matter of types that are not known, or takes too long.
enum class GoEqual : std::uint8_t { No, Yes, Unknown };
GoEqual deep_equal(const GoValue& one, const GoValue& other);

}  // namespace renderer
