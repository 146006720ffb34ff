#include "renderer/engines/helm/values_files.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "renderer/repo/config_file.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kFlag = "--set";
constexpr std::size_t kMaxIndex = 65536;  // as in Helm

// One step of a key path: a name, or an index of the list before it.
struct Step {
    std::string name = {};
    std::optional<std::size_t> index = {};
    std::size_t offset = 0;
};

Value typed(std::string_view text, bool escaped) {
    if (text == "true" || text == "false") {
        return Value(text == "true");
    }
    if (text == "null") {
        return {};
    }
    std::int64_t number = 0;
    const std::from_chars_result parsed =
        std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = !text.empty() && parsed.ec == std::errc() && !escaped &&
                       parsed.ptr == text.data() + text.size();
    if (whole && (text == "0" || !text.starts_with('0'))) {
        return Value(number);
    }
    return Value(text);
}

class SetParser {
public:
    SetParser(const SourceMap& sources, SourceId source, const std::vector<Value>& layers,
              Value& root, Diagnostics& diagnostics)
        : sources_(sources),
          source_(source),
          text_(sources.text(source)),
          layers_(layers),
          root_(root),
          diagnostics_(diagnostics) {}

    void parse() {
        while (at_ < text_.size() && parse_assignment()) {
        }
    }

private:
    [[nodiscard]] Pos pos(std::size_t offset) const { return sources_.pos(source_, offset); }

    bool fail(std::size_t offset, std::string message, std::string_view hint) {
        diagnostics_.error("invalid-set", pos(offset), std::move(message))
            .expected("key.path=value")
            .hint(hint);
        return false;
    }

    // Returns the text up to an unescaped stop character, which is not consumed.
    std::string until(std::string_view stops, bool* escaped = nullptr) {
        std::string out;
        for (; at_ < text_.size() && stops.find(text_[at_]) == std::string_view::npos; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
                ++at_;
                if (escaped != nullptr) {
                    *escaped = true;
                }
            }
            out += text_[at_];
        }
        return out;
    }

    bool parse_index(std::vector<Step>& path) {
        const std::size_t open = at_++;
        const std::string digits = until("]");
        std::size_t index = 0;
        const std::from_chars_result parsed =
            std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (at_ == text_.size() || parsed.ec != std::errc() || index > kMaxIndex ||
            parsed.ptr != digits.data() + digits.size()) {
            return fail(open, fmt::format("invalid list index \"[{}\"", digits),
                        "write an index as [0]");
        }
        ++at_;
        path.push_back({.index = index, .offset = open});
        return true;
    }

    bool parse_path(std::vector<Step>& path) {
        while (true) {
            const std::size_t begin = at_;
            Step step{.name = until(".[=,"), .offset = begin};
            if (step.name.empty()) {
                return fail(begin, "empty key in --set", "write --set a.b=value");
            }
            path.push_back(std::move(step));
            while (at_ < text_.size() && text_[at_] == '[') {
                if (!parse_index(path)) {
                    return false;
                }
            }
            if (at_ == text_.size() || text_[at_] == ',') {
                return fail(begin,
                            fmt::format("no value for key \"{}\" in --set",
                                        text_.substr(begin, at_ - begin)),
                            "commas separate assignments; write \\, for a comma in a value");
            }
            if (text_[at_++] == '=') {
                return true;
            }
        }
    }

    Value parse_scalar(std::string_view stops) {
        const std::size_t begin = at_;
        bool escaped = false;
        const std::string text = until(stops, &escaped);
        Value value = typed(text, escaped);
        value.set_pos(pos(begin));
        return value;
    }

    Value parse_value() {
        if (at_ == text_.size() || text_[at_] != '{') {
            return parse_scalar(",");
        }
        Value list = Value::list();
        list.set_pos(pos(at_++));
        while (at_ < text_.size() && text_[at_] != '}') {
            list.append(parse_scalar(",}"));
            at_ += at_ < text_.size() && text_[at_] == ',' ? 1 : 0;
        }
        at_ += at_ < text_.size() ? 1 : 0;
        return list;
    }

    bool parse_assignment() {
        std::vector<Step> path;
        if (!parse_path(path)) {
            return false;
        }
        Value value = parse_value();
        if (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
        }
        return assign(path, std::move(value));
    }

    // Returns the value that a lower layer has at the first `count` steps of the path.
    [[nodiscard]] const Value* below(const std::vector<Step>& path, std::size_t count) const {
        for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
            const Value* value = &*layer;
            for (std::size_t i = 0; i < count && value != nullptr; ++i) {
                value = path[i].index ? nullptr : value->find(path[i].name);
            }
            if (value != nullptr) {
                return value;
            }
        }
        return nullptr;
    }

    bool assign(const std::vector<Step>& path, Value value) {
        Value* place = &root_;
        for (std::size_t i = 0; i < path.size(); ++i) {
            const Step& step = path[i];
            place = step.index ? item_at(*place, path, i) : member_at(*place, step);
            if (place == nullptr) {
                return fail(step.offset,
                            fmt::format("index {} is past the end of the list", *step.index),
                            "set the items in order");
            }
        }
        *place = std::move(value);
        return true;
    }

    Value* member_at(Value& place, const Step& step) const {
        if (!place.is_map()) {
            place = Value::map();
            place.set_pos(pos(step.offset));
        }
        if (Value* found = place.find(step.name)) {
            return found;
        }
        Value key(step.name);
        key.set_pos(pos(step.offset));
        return &place.add(std::move(key), {});
    }

    Value* item_at(Value& place, const std::vector<Step>& path, std::size_t at) const {
        if (!place.is_list()) {
            const Value* lower = below(path, at);
            place = lower != nullptr && lower->is_list() ? lower->clone() : Value::list();
        }
        const std::size_t index = *path[at].index;
        if (index == place.size()) {
            place.append({});
        }
        return index < place.size() ? &place.items()[index] : nullptr;
    }

    const SourceMap& sources_;
    SourceId source_;
    std::string_view text_;
    const std::vector<Value>& layers_;
    Value& root_;
    Diagnostics& diagnostics_;
    std::size_t at_ = 0;
};

}  // namespace

void add_values_file(const repo::SourceTree& tree, const std::string& path, Pos pos,
                     SourceMap& sources, std::vector<Value>& layers, Diagnostics& diagnostics) {
    repo::ConfigFile file =
        repo::read_config(tree, path, pos, sources, diagnostics, Repeated::AsHelm);
    if (file.root.is_map()) {
        layers.push_back(std::move(file.root));
    } else if (!file.root.is_null()) {
        diagnostics.error("wrong-type", file.root.pos(), "a values file must be a map")
            .found(kind_name(file.root))
            .expected("a map of Helm values");
    }
}

void add_sets(const std::vector<std::string>& sets, SourceMap& sources, std::vector<Value>& layers,
              Diagnostics& diagnostics) {
    if (sets.empty()) {
        return;
    }
    Value root = Value::map();
    for (const std::string& set : sets) {
        const SourceId source = sources.add(std::string(kFlag), set);
        SetParser(sources, source, layers, root, diagnostics).parse();
    }
    layers.push_back(std::move(root));
}

namespace {

void replace_text(Value& value, std::string_view place, std::string_view text) {
    if (value.is_map()) {
        for (Member& member : value.members()) {
            replace_text(member.value, place, text);
        }
    } else if (value.is_list()) {
        for (Value& item : value.items()) {
            replace_text(item, place, text);
        }
    } else if (value.is_string() && value.text() == place) {
        value = text;
    }
}

}  // namespace

void add_text_set(std::string_view path, std::string_view text, SourceMap& sources,
                  std::vector<Value>& layers) {
    constexpr std::string_view kPlace = "the-text";
    const std::size_t before = layers.size();
    Diagnostics discarded;
    add_sets({fmt::format("{}={}", path, kPlace)}, sources, layers, discarded);
    if (layers.size() > before) {
        replace_text(layers.back(), kPlace, text);
    }
}

}  // namespace renderer::engines
