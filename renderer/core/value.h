// The tree that every YAML or JSON document is read into: null, bool, number, string, list, map,
// each with its position. A node has 16 bytes; strings of up to 8 bytes are inline, string literals
// are borrowed, everything else is owned. Maps keep insertion order. A number keeps its spelling,
// so `1.0` and `0644` survive. Move-only: copying is spelled `clone()`. Comments, anchors and
// styles are not kept; documents that need them are passed through as bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "renderer/base/check.h"
#include "renderer/core/pos.h"

namespace renderer::inline core {

struct Member;
struct Item;
struct Field;

class Value {
public:
    enum class Kind : std::uint8_t { Null, Bool, Number, String, List, Map };

    Value() = default;  // null
    Value(Value&& other) noexcept
        : meta_(std::exchange(other.meta_, 0)), pos_(other.pos_), block_(other.block_) {}
    Value& operator=(Value&& other) noexcept;
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;
    ~Value() {
        if (owns_memory()) {
            reset();
        }
    }

    // Implicit on purpose: generated objects read like the YAML that they make.
    // NOLINTBEGIN(google-explicit-constructor)
    // A string literal is borrowed for the life of the program; any other text is copied.
    template <std::size_t N>
    Value(const char (&literal)[N]) : Value(borrowed(std::string_view(literal, N - 1))) {}
    template <std::size_t N>
    Value(char (&buffer)[N]) = delete;  // its text may end before the value does
    Value(std::string_view text);
    Value(const std::string& text) : Value(std::string_view(text)) {}
    // A pointer has neither the length nor the lifetime of its text.
    template <typename T>
    requires std::is_pointer_v<T> Value(T)
    = delete;
    Value(bool flag);
    Value(int number);
    Value(std::int64_t number);
    // NOLINTEND(google-explicit-constructor)

    // The text must live as long as the program.
    static Value borrowed(std::string_view static_text);
    static Value number(std::string_view spelling);  // keeps the source's spelling
    static Value list(std::initializer_list<Item> items = {});
    static Value map(std::initializer_list<Field> fields = {});

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(meta_ & 7U); }
    [[nodiscard]] bool is_null() const { return kind() == Kind::Null; }
    [[nodiscard]] bool is_bool() const { return kind() == Kind::Bool; }
    [[nodiscard]] bool is_number() const { return kind() == Kind::Number; }
    [[nodiscard]] bool is_string() const { return kind() == Kind::String; }
    [[nodiscard]] bool is_list() const { return kind() == Kind::List; }
    [[nodiscard]] bool is_map() const { return kind() == Kind::Map; }

    [[nodiscard]] Pos pos() const { return Pos{pos_}; }
    void set_pos(Pos pos) { pos_ = pos.offset; }

    // Checked access: a wrong kind is a bug in the caller and aborts.
    [[nodiscard]] bool as_bool() const;
    // For a String or Number (its spelling).
    [[nodiscard]] std::string_view text() const {
        CHECK(is_string() || is_number());
        return {storage() == Storage::Inline ? inline_ : borrowed_, size()};
    }
    [[nodiscard]] std::optional<std::int64_t> as_int() const;  // nothing if it is not an integer

    // For lists.
    [[nodiscard]] std::span<const Value> items() const;
    [[nodiscard]] std::span<Value> items();
    Value& append(Value item);

    // For maps. `find` is linear: the maps that are searched are small.
    [[nodiscard]] std::span<const Member> members() const;
    [[nodiscard]] std::span<Member> members();
    [[nodiscard]] const Value* find(std::string_view key) const;
    [[nodiscard]] Value* find(std::string_view key);
    [[nodiscard]] const Member* find_member(std::string_view key) const;
    Value& put(Value key, Value value);  // replaces an existing member of that name
    Value& add(Value key, Value value);  // appends; the caller guarantees that the key is new
    bool erase(std::string_view key);

    // For strings, lists and maps.
    [[nodiscard]] std::size_t size() const { return meta_ >> 5U; }

    // `find` along a path of keys; nullptr if one is missing or not a map.
    [[nodiscard]] const Value* at(std::initializer_list<std::string_view> path) const;

    [[nodiscard]] Value clone() const;

    // Same kind and content. Positions, member order and storage are ignored.
    friend bool operator==(const Value& a, const Value& b);

private:
    enum class Storage : std::uint8_t { None, Inline, Owned, Borrowed };
    struct Block;  // header of a list's or map's heap array

    Value(Kind kind, Storage storage, std::size_t size);
    static Value make_text(Kind kind, std::string_view text);
    [[nodiscard]] Storage storage() const { return static_cast<Storage>((meta_ >> 3U) & 3U); }
    [[nodiscard]] bool owns_memory() const {
        return is_list() || is_map() || storage() == Storage::Owned;
    }
    void set_size(std::size_t size);
    template <typename T>
    void reserve(std::size_t count);  // the list or map must be empty
    void reset();
    template <typename T>
    T& emplace_back(T element);

    std::uint32_t meta_ = 0;  // kind: 3 bits, storage: 2 bits, size: 27 bits
    std::uint32_t pos_ = 0;
    union {
        char inline_[8];
        char* owned_;
        const char* borrowed_;
        Block* block_;
        bool flag_;
    };
};

static_assert(sizeof(Value) == 16);

struct Member {
    Value key;  // always a String
    Value value;

    [[nodiscard]] std::string_view name() const { return key.text(); }
};

// The elements of nested initializer lists: Value::map({{"name", "web"}, {"ports",
// Value::list({80})}}). Mutable because std::initializer_list hands out const elements and a Value
// can only be moved.
struct Field {
    mutable Value key;
    mutable Value value;
};

struct Item {
    // NOLINTBEGIN(google-explicit-constructor,bugprone-forwarding-reference-overload)
    template <typename T>
    requires std::constructible_from<Value, T&&> Item(T&& item) : value(std::forward<T>(item)) {}
    // NOLINTEND(google-explicit-constructor,bugprone-forwarding-reference-overload)

    mutable Value value;
};

// Appends {key: value} when the condition holds, for optional fields of generated objects.
void put_if(Value& map, bool condition, Value key, Value value);

// Returns a list of copies of the texts.
Value text_list(const auto& texts) {
    Value list = Value::list();
    for (const std::string_view text : texts) {
        list.append(text);
    }
    return list;
}

// Returns the name of a value's kind for messages: "null", "a boolean", "a number", "a string", "a
// list", "a map".
std::string_view kind_name(const Value& value);

}  // namespace renderer::inline core
