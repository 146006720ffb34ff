#include "renderer/core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace renderer::inline core {

namespace {

// True for U+2028 and U+2029, which break lines in JavaScript; Go escapes them.
bool is_line_separator(std::string_view text, std::size_t i) {
    return text.substr(i, 2) == "\xE2\x80" && i + 2 < text.size() &&
           (text[i + 2] == '\xA8' || text[i + 2] == '\xA9');
}

void write_byte_escaped(char byte, std::string& out) {
    constexpr std::string_view kBytes = "\"\\\n\r\t\b\f";
    constexpr std::string_view kLetters = "\"\\nrtbf";
    const std::size_t known = kBytes.find(byte);
    if (known == std::string_view::npos) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
        out += {'\\', kLetters[known]};
    }
}

void write_text(std::string_view text, std::string& out) {
    out += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == '"' || byte == '\\' || byte == '<' || byte == '>' || byte == '&' ||
            byte < 0x20) {
            write_byte_escaped(text[i], out);
        } else if (byte == 0xE2 && is_line_separator(text, i)) {
            out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
            i += 2;
        } else {
            out += text[i];
        }
    }
    out += '"';
}

// Returns the decimal spelling that JSON allows: without underscores, plus signs, leading zeros or
// bare points.
std::string json_spelling(std::string_view yaml) {
    std::string digits(yaml);
    std::erase(digits, '_');
    const bool negative = digits.starts_with('-');
    std::string_view rest = digits;
    rest.remove_prefix(negative || rest.starts_with('+') ? 1 : 0);
    rest.remove_prefix(std::min(rest.find_first_not_of('0'), rest.size()));
    std::string result = negative ? "-" : "";
    if (rest.empty() || rest.front() < '0' || rest.front() > '9') {
        result += '0';
    }
    const std::size_t point = rest.find('.');
    const bool bare = point != std::string_view::npos &&
                      (point + 1 == rest.size() || rest[point + 1] < '0' || rest[point + 1] > '9');
    return result.append(rest.substr(0, point))
        .append(point == std::string_view::npos ? "" : rest.substr(bare ? point + 1 : point));
}

// JSON numbers are decimal, so YAML's other spellings are converted. Infinity and NaN, which JSON
// has no number for, become strings.
void write_number(const Value& value, std::string& out) {
    const std::string_view spelling = value.text();
    if (nlohmann::json::accept(spelling)) {
        out += spelling;
    } else if (const std::optional<std::int64_t> number = value.as_int()) {
        fmt::format_to(std::back_inserter(out), "{}", *number);
    } else if (const std::string json = json_spelling(spelling); nlohmann::json::accept(json)) {
        out += json;
    } else {
        write_text(spelling, out);
    }
}

struct Layout {
    bool sorted = false;
    bool pretty = false;
};

class JsonEmitter {
public:
    JsonEmitter(Layout layout, std::string& out) : layout_(layout), out_(out) {}

    void value(const Value& value, std::size_t depth) {
        switch (value.kind()) {
            case Value::Kind::Null:
                out_ += "null";
                break;
            case Value::Kind::Bool:
                out_ += value.as_bool() ? "true" : "false";
                break;
            case Value::Kind::Number:
                write_number(value, out_);
                break;
            case Value::Kind::String:
                write_text(value.text(), out_);
                break;
            case Value::Kind::List:
                list(value, depth);
                break;
            case Value::Kind::Map:
                map(value, depth);
                break;
        }
    }

private:
    void list(const Value& value, std::size_t depth) {
        out_ += '[';
        for (const Value& item : value.items()) {
            separate(&item == value.items().data(), depth + 1);
            this->value(item, depth + 1);
        }
        finish(value.size(), depth, ']');
    }

    void map(const Value& value, std::size_t depth) {
        std::vector<const Member*> members;
        for (const Member& member : value.members()) {
            members.push_back(&member);
        }
        if (layout_.sorted) {
            std::ranges::sort(members, {}, [](const Member* member) { return member->name(); });
        }
        out_ += '{';
        for (const Member* member : members) {
            separate(member == members.front(), depth + 1);
            write_text(member->name(), out_);
            out_ += layout_.pretty ? ": " : ":";
            this->value(member->value, depth + 1);
        }
        finish(value.size(), depth, '}');
    }

    void separate(bool first, std::size_t depth) {
        if (!first) {
            out_ += ',';
        }
        line(depth);
    }

    void finish(std::size_t count, std::size_t depth, char close) {
        if (count > 0) {
            line(depth);
        }
        out_ += close;
    }

    void line(std::size_t depth) {
        if (layout_.pretty) {
            out_ += '\n';
            out_.append(2 * depth, ' ');
        }
    }

    Layout layout_;
    std::string& out_;
};

std::string write(const Value& value, Layout layout, std::size_t depth = 0) {
    std::string out;
    JsonEmitter(layout, out).value(value, depth);
    return out;
}

enum class BeyondLimits { IsAnError, IsLeftOut };

// Receives nlohmann's events and builds a Value.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Builder(BeyondLimits beyond) : beyond_(beyond) {}

    bool null() override { return put(Value()); }
    bool boolean(bool flag) override { return put(Value(flag)); }
    bool number_integer(number_integer_t number) override { return put(Value(number)); }
    bool number_unsigned(number_unsigned_t number) override {
        return put(Value::number(fmt::format("{}", number)));
    }
    bool number_float(number_float_t /*number*/, const string_t& spelling) override {
        return put(Value::number(spelling));
    }
    bool string(string_t& text) override { return put(Value(text)); }
    bool binary(binary_t& /*bytes*/) override { return false; }
    bool start_object(std::size_t /*size*/) override { return open(Value::map()); }
    bool start_array(std::size_t /*size*/) override { return open(Value::list()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        if (too_deep_ > 0) {
            return true;
        }
        const bool is_second = has_key(name);
        open_.back().is_left_out = is_second;
        if (is_second && beyond_ == BeyondLimits::IsAnError) {
            error = fmt::format("duplicate key \"{}\"", name);
            return false;
        }
        open_.back().key = name;
        return true;
    }
    bool parse_error(std::size_t offset, const std::string& /*token*/,
                     const nlohmann::json::exception& /*exception*/) override {
        error = fmt::format("not JSON at byte {}", offset);
        return false;
    }

    Value root;
    std::string error;

private:
    struct Open {
        Value value;
        std::string key;             // of the member whose value is next
        std::set<std::string> seen;  // keys of a large object
        bool is_left_out = false;    // that value is skipped
    };

    // Searches the innermost object. A large one gets an index; an object of a megabyte would take
    // seconds otherwise.
    bool has_key(const std::string& name) {
        constexpr std::size_t kLarge = 32;
        Open& object = open_.back();
        if (object.value.size() < kLarge) {
            return object.value.find(name) != nullptr;
        }
        if (object.seen.empty()) {
            for (const Member& member : object.value.members()) {
                object.seen.emplace(member.name());
            }
        }
        return !object.seen.insert(name).second;
    }

    bool open(Value value) {
        constexpr std::size_t kMaxJsonDepth = 100;
        if (open_.size() >= kMaxJsonDepth && beyond_ == BeyondLimits::IsLeftOut) {
            ++too_deep_;
            return true;
        }
        if (open_.size() >= kMaxJsonDepth) {
            error = fmt::format("nested deeper than {} levels", kMaxJsonDepth);
            return false;
        }
        open_.push_back({.value = std::move(value), .key = {}, .seen = {}});
        return true;
    }

    bool close() {
        if (too_deep_ > 0) {
            return --too_deep_ > 0 || put(Value());
        }
        Value value = std::move(open_.back().value);
        open_.pop_back();
        return put(std::move(value));
    }

    bool put(Value value) {
        if (too_deep_ > 0 || (!open_.empty() && open_.back().is_left_out)) {
            return true;
        }
        if (open_.empty()) {
            root = std::move(value);
        } else if (Open& parent = open_.back(); parent.value.is_list()) {
            parent.value.append(std::move(value));
        } else {
            parent.value.add(Value(parent.key), std::move(value));
        }
        return true;
    }

    BeyondLimits beyond_;
    std::vector<Open> open_;
    std::size_t too_deep_ = 0;  // open lists and maps beyond the limit
};

Result<Value> read_with(std::string_view text, BeyondLimits beyond) {
    Builder builder(beyond);
    if (!nlohmann::json::sax_parse(text, &builder)) {
        return Error{{.rule = "json-syntax", .message = builder.error}};
    }
    return std::move(builder.root);
}

}  // namespace

std::string write_json(const Value& value) {
    return write(value, {});
}
std::string write_json_sorted(const Value& value) {
    return write(value, {.sorted = true});
}
std::string write_json_pretty(const Value& value) {
    return write(value, {.pretty = true});
}

std::string JsonPieces::begin(const Value& map, std::string_view list) {
    std::string out = write_json_pretty(map);
    out.resize(out.size() - 2);  // without the line of the bracket
    return fmt::format("{},\n  \"{}\": [", out, list);
}

std::string JsonPieces::item(const Value& item) {
    const std::string_view comma = std::exchange(has_items_, true) ? "," : "";
    return fmt::format("{}\n    {}", comma, write(item, {.pretty = true}, 2));
}

std::string JsonPieces::end(const Value& rest) {
    std::string out = has_items_ ? "\n  ]" : "]";
    if (rest.size() == 0) {
        return out + "\n}";
    }
    return out.append(",").append(write_json_pretty(rest), 1);
}

Result<Value> read_json(std::string_view text) {
    return read_with(text, BeyondLimits::IsAnError);
}
Result<Value> read_json_within_limits(std::string_view text) {
    return read_with(text, BeyondLimits::IsLeftOut);
}

}  // namespace renderer::inline core
