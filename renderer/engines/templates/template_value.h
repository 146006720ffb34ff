// Go values as templates see them: the Go type of a value decides what functions return for it, or
// whether they accept it. Values are valid as long as the heap that made them, since lists and maps
// are shared and may contain each other.
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

namespace renderer::engines {

enum class GoKind : std::uint8_t {
    Missing,  // no value at all; printed as `<no value>`
    Nil,      // a nil interface{}
    Bool,
    Int,
    Int64,
    Float,
    Text,
    List,
    Map,
    Unset,  // the value of a key that a map lacks: "" or nothing, by the type of the map
    Odd,    // a number that only Go can read
};

// The element type of a list or map. Unsure: string (for a list of clusters, map) if a generator
// made it, any if it comes from a document.
enum class GoElement : std::uint8_t { Any, Text, Int, Unsure };

// Where in the parameters a value is. Generators use types of their own in these places.
enum class GoPlace : std::uint8_t { Anywhere, Root, Metadata, Texts, Path, Prefix, Clusters };

// The generators' parameters that an ApplicationSet has.
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
    // A null pointer is a typed nil, as in Go.
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

    // Returns the items of a list, none for a nil list.
    [[nodiscard]] const std::vector<GoValue>& items() const;
    [[nodiscard]] std::size_t size() const;  // of a string, list or map

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
    bool is_given = false;      // belongs to the parameters, which other templates also read
    bool is_unordered = false;  // is in Go's map order, which differs between runs
};

// A map of the parameters, or one that a template made.
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
    const Value* given_ = nullptr;  // until it is first accessed
    GoPlace place_ = GoPlace::Anywhere;
};

class TemplateHeap {
public:
    explicit TemplateHeap(TemplateTypes types = {}) : types_(types) {}

    GoList* list(std::vector<GoValue> items = {});
    GoMap* map();
    GoValue texts(const std::vector<std::string>& texts);  // []string
    // Wraps a value of the parameters, which must outlive the heap.
    GoValue given(const Value& value, GoPlace place);

    // Counts memory. Returns false if the template has used more than it may.
    bool charge(std::size_t bytes);
    [[nodiscard]] const TemplateTypes& types() const { return types_; }

private:
    TemplateTypes types_;
    std::deque<GoList> lists_;
    std::deque<GoMap> maps_;
    std::size_t charged_ = 0;
};

// Returns the truth of a value, as `if` does.
bool is_true(const GoValue& value);

// Returns the type of a value as `%T` prints it.
std::string_view type_of(const GoValue& value);

// Returns the kind of a value as reflect.Kind prints it.
std::string_view kind_of(const GoValue& value);

// reflect.DeepEqual. Unknown: the result depends on types that are not known, or takes too long.
enum class GoEqual : std::uint8_t { No, Yes, Unknown };
GoEqual deep_equal(const GoValue& one, const GoValue& other);

}  // namespace renderer::engines
