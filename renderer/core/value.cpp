#include "renderer/core/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "renderer/base/check.h"

namespace renderer::inline core {

namespace {

constexpr std::size_t kMaxSize = (std::size_t{1} << 27U) - 1;

constexpr std::array<std::pair<std::string_view, int>, 7> kRadixPrefixes = {
    {{"0x", 16}, {"0X", 16}, {"0b", 2}, {"0B", 2}, {"0o", 8}, {"0O", 8}, {"0", 8}}};

}  // namespace

// The array of a list (of Value) or of a map (of Member) follows its header in the same allocation.
struct Value::Block {
    std::uint32_t capacity;
    std::uint32_t pad[3];

    template <typename T>
    T* data() {
        return reinterpret_cast<T*>(this + 1);
    }
    template <typename T>
    static Block* make(std::uint32_t capacity) {
        auto* block = static_cast<Block*>(std::malloc(sizeof(Block) + sizeof(T) * capacity));
        CHECK(block != nullptr);
        block->capacity = capacity;
        return block;
    }
};

Value::Value(Kind kind, Storage storage, std::size_t size) : block_(nullptr) {
    CHECK(size <= kMaxSize);
    meta_ = static_cast<std::uint32_t>(kind) | (static_cast<std::uint32_t>(storage) << 3U) |
            (static_cast<std::uint32_t>(size) << 5U);
}

Value& Value::operator=(Value&& other) noexcept {
    if (this != &other) {
        Value old(std::move(*this));
        meta_ = std::exchange(other.meta_, 0);
        pos_ = other.pos_;
        block_ = other.block_;
    }
    return *this;
}

void Value::reset() {
    if (is_list() && block_ != nullptr) {
        std::destroy_n(block_->data<Value>(), size());
        std::free(block_);
    } else if (is_map() && block_ != nullptr) {
        std::destroy_n(block_->data<Member>(), size());
        std::free(block_);
    } else if (storage() == Storage::Owned) {
        std::free(owned_);
    }
    meta_ = 0;
}

Value Value::make_text(Kind kind, std::string_view text) {
    if (text.size() <= sizeof(inline_)) {
        Value value(kind, Storage::Inline, text.size());
        std::copy(text.begin(), text.end(), value.inline_);
        return value;
    }
    Value value(kind, Storage::Owned, text.size());
    value.owned_ = static_cast<char*>(std::malloc(text.size()));
    CHECK(value.owned_ != nullptr);
    std::memcpy(value.owned_, text.data(), text.size());
    return value;
}

Value Value::borrowed(std::string_view static_text) {
    Value value(Kind::String, Storage::Borrowed, static_text.size());
    value.borrowed_ = static_text.data();
    return value;
}

Value::Value(std::string_view text) : Value(make_text(Kind::String, text)) {}

Value::Value(bool flag) : Value(Kind::Bool, Storage::None, 0) {
    flag_ = flag;
}

Value::Value(int number) : Value(std::int64_t{number}) {}

Value::Value(std::int64_t number) : Value() {
    char digits[24];
    const std::to_chars_result end = std::to_chars(std::begin(digits), std::end(digits), number);
    *this = make_text(Kind::Number, std::string_view(digits, end.ptr));
}

Value Value::number(std::string_view spelling) {
    return make_text(Kind::Number, spelling);
}

template <typename T>
void Value::reserve(std::size_t count) {
    if (count > 0) {
        block_ = Block::make<T>(static_cast<std::uint32_t>(count));
    }
}

Value Value::list(std::initializer_list<Item> items) {
    Value value(Kind::List, Storage::None, 0);
    value.reserve<Value>(items.size());
    for (const Item& item : items) {
        value.append(std::move(item.value));
    }
    return value;
}

Value Value::map(std::initializer_list<Field> fields) {
    Value value(Kind::Map, Storage::None, 0);
    value.reserve<Member>(fields.size());
    for (const Field& field : fields) {
        value.add(std::move(field.key), std::move(field.value));
    }
    return value;
}

bool Value::as_bool() const {
    CHECK(is_bool());
    return flag_;
}

// Decimal, or with the prefix 0x, 0b, 0o or 0 (octal); underscores between digits are ignored.
std::optional<std::int64_t> Value::as_int() const {
    if (!is_number()) {
        return std::nullopt;
    }
    std::string digits(text());
    std::erase(digits, '_');
    std::string_view rest = digits;
    const bool negative = rest.starts_with('-');
    rest.remove_prefix(negative || rest.starts_with('+') ? 1 : 0);
    int base = 10;
    for (const auto& [prefix, radix] : kRadixPrefixes) {
        if (rest.size() > prefix.size() && rest.starts_with(prefix)) {
            rest.remove_prefix(prefix.size());
            base = radix;
            break;
        }
    }
    std::int64_t number = 0;
    const char* end = rest.data() + rest.size();
    const std::from_chars_result parsed = std::from_chars(rest.data(), end, number, base);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < 0) {
        return std::nullopt;
    }
    return negative ? -number : number;
}

void Value::set_size(std::size_t size) {
    CHECK(size <= kMaxSize);
    meta_ = (meta_ & 31U) | (static_cast<std::uint32_t>(size) << 5U);
}

template <typename T>
T& Value::emplace_back(T element) {
    const std::size_t count = size();
    if (block_ == nullptr || count == block_->capacity) {
        Block* grown = Block::make<T>(static_cast<std::uint32_t>(count == 0 ? 2 : count * 2));
        if (block_ != nullptr) {
            std::uninitialized_move_n(block_->data<T>(), count, grown->data<T>());
            std::destroy_n(block_->data<T>(), count);
            std::free(block_);
        }
        block_ = grown;
    }
    T* place = new (block_->data<T>() + count) T(std::move(element));
    set_size(count + 1);
    return *place;
}

std::span<const Value> Value::items() const {
    return const_cast<Value*>(this)->items();
}

std::span<Value> Value::items() {
    CHECK(is_list());
    return block_ == nullptr ? std::span<Value>() : std::span(block_->data<Value>(), size());
}

Value& Value::append(Value item) {
    CHECK(is_list());
    return emplace_back(std::move(item));
}

std::span<const Member> Value::members() const {
    return const_cast<Value*>(this)->members();
}

std::span<Member> Value::members() {
    CHECK(is_map());
    return block_ == nullptr ? std::span<Member>() : std::span(block_->data<Member>(), size());
}

const Member* Value::find_member(std::string_view key) const {
    if (!is_map()) {
        return nullptr;
    }
    for (const Member& member : members()) {
        if (member.name() == key) {
            return &member;
        }
    }
    return nullptr;
}

const Value* Value::find(std::string_view key) const {
    const Member* member = find_member(key);
    return member == nullptr ? nullptr : &member->value;
}

Value* Value::find(std::string_view key) {
    return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::put(Value key, Value value) {
    if (Value* existing = find(key.text())) {
        *existing = std::move(value);
        return *existing;
    }
    return add(std::move(key), std::move(value));
}

Value& Value::add(Value key, Value value) {
    CHECK(is_map());
    return emplace_back(Member{std::move(key), std::move(value)}).value;
}

bool Value::erase(std::string_view key) {
    const Member* member = find_member(key);
    if (member == nullptr) {
        return false;
    }
    const std::span<Member> all = members();
    const auto index = static_cast<std::size_t>(member - all.data());
    std::move(all.begin() + static_cast<std::ptrdiff_t>(index) + 1, all.end(),
              all.begin() + static_cast<std::ptrdiff_t>(index));
    std::destroy_at(&all.back());
    set_size(all.size() - 1);
    return true;
}

const Value* Value::at(std::initializer_list<std::string_view> path) const {
    const Value* value = this;
    for (const std::string_view key : path) {
        value = value->find(key);
        if (value == nullptr) {
            return nullptr;
        }
    }
    return value;
}

Value Value::clone() const {
    Value copy;
    switch (kind()) {
        case Kind::Null:
            break;
        case Kind::Bool:
            copy = Value(flag_);
            break;
        case Kind::Number:
        case Kind::String:
            copy = storage() == Storage::Borrowed ? borrowed(text()) : make_text(kind(), text());
            break;
        case Kind::List:
            copy = list();
            copy.reserve<Value>(size());
            for (const Value& item : items()) {
                copy.append(item.clone());
            }
            break;
        case Kind::Map:
            copy = map();
            copy.reserve<Member>(size());
            for (const Member& member : members()) {
                copy.add(member.key.clone(), member.value.clone());
            }
            break;
    }
    copy.set_pos(pos());
    return copy;
}

bool operator==(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) {
        return false;
    }
    switch (a.kind()) {
        case Value::Kind::Null:
            return true;
        case Value::Kind::Bool:
            return a.flag_ == b.flag_;
        case Value::Kind::Number:
        case Value::Kind::String:
            return a.text() == b.text();
        case Value::Kind::List:
            return std::ranges::equal(a.items(), b.items());
        case Value::Kind::Map:
            return a.size() == b.size() && std::ranges::all_of(a.members(), [&](const Member& m) {
                       const Value* other = b.find(m.name());
                       return other != nullptr && *other == m.value;
                   });
    }
    return false;
}

void put_if(Value& map, bool condition, Value key, Value value) {
    if (condition) {
        map.add(std::move(key), std::move(value));
    }
}

std::string_view kind_name(const Value& value) {
    constexpr std::array<std::string_view, 6> kNames = {"null",     "a boolean", "a number",
                                                        "a string", "a list",    "a map"};
    return kNames[static_cast<std::size_t>(value.kind())];
}

}  // namespace renderer::inline core
