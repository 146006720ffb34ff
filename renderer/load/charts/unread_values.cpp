#include "renderer/load/charts/unread_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/load/load.h"

namespace renderer {

namespace {

constexpr std::string_view kNotKnownText = "value-that-is-not-known";

// Settings of what is rendered, as paths: a layer decides one where it has a value there.
constexpr std::array<std::string_view, 10> kRendering = {
    "loginServer",
    "ingressClass.name",
    "ingressClass.enabled",
    "operatorConfig.extraEnv",
    "proxyConfig.defaultTags",
    "proxyConfig.defaultProxyClass",
    "proxyConfig.firewallMode",
    "proxyConfig.image.repository",
    "proxyConfig.image.tag",
    "proxyConfig.image.digest",
};

// Where the controller is rendered, these count as well.
constexpr std::array<std::string_view, 8> kInstalling = {
    "operatorConfig", "apiServerProxyConfig", "imagePullSecrets", "annotations",
    "nameOverride",   "fullnameOverride",     "installCRDs",      "tailrender",
};

std::vector<std::string_view> steps_of(std::string_view path) {
    std::vector<std::string_view> steps;
    while (!path.empty()) {
        std::string_view step = take(path, '.');
        steps.push_back(step.substr(0, step.find('[')));
    }
    return steps;
}

// One of them holds the other.
bool overlap(std::string_view a, std::string_view b) {
    const std::vector<std::string_view> left = steps_of(a);
    const std::vector<std::string_view> right = steps_of(b);
    const std::size_t count = std::min(left.size(), right.size());
    return std::equal(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count),
                      right.begin());
}

// What is in a map that is there may still be decided by another layer.
bool decides(const Value& layer, std::string_view path) {
    const Value* value = &layer;
    for (const std::string_view step : steps_of(path)) {
        value = value == nullptr ? nullptr : value->find(step);
    }
    return value != nullptr && !value->is_map();
}

Pos place_in_holder(const SourceMap& sources, const Value& value, std::size_t offset) {
    const Pos whole = value.pos();
    if (!whole.known()) {
        return whole;
    }
    const std::string_view file = sources.text(sources.source_of(whole));
    const std::size_t at = sources.offset_of(whole);
    if (at >= file.size() || file[at] != '|') {
        return whole;
    }
    const std::string_view text = value.text();
    const std::size_t last = text.find_last_not_of(" \n");
    offset = last == std::string_view::npos ? 0 : std::min(offset, last);
    std::size_t begin = file.find('\n', at);
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end < offset && begin != std::string_view::npos;
         end = text.find('\n', start)) {
        start = end + 1;
        begin = file.find('\n', begin + 1);
    }
    if (begin == std::string_view::npos) {
        return whole;
    }
    const std::string_view written = file.substr(begin + 1, file.find('\n', begin + 1) - begin - 1);
    const std::string_view line = text.substr(start, text.find('\n', start) - start);
    return written.ends_with(line)
               ? sources.pos(sources.source_of(whole),
                             begin + 1 + written.size() - line.size() + (offset - start))
               : whole;
}

template <typename Place>
Value read_chart_text(std::string_view text, std::string name, SourceMap& sources,
                      const Place& place, Diagnostics& said) {
    const SourceId source = sources.add(std::move(name), std::string(text));
    Diagnostics found;
    Value values = read_yaml(sources, source, found, Repeated::AsHelm);
    if (!values.is_map() && !values.is_null()) {
        found.error("wrong-type", values.pos(), "the values of a chart must be a map")
            .found(kind_name(values))
            .expected("a map of Helm values");
        values = Value();
    }
    const auto move_place = [&](Pos& pos) {
        if (pos.known() && sources.source_of(pos) == source) {
            const Pos moved = place(sources.offset_of(pos));
            pos = moved.known() ? moved : pos;
        }
    };
    for (Diagnostic diagnostic : found.all()) {
        move_place(diagnostic.pos);
        for (Note& note : diagnostic.notes) {
            move_place(note.pos);
        }
        said.add(std::move(diagnostic));
    }
    return values;
}

// Of a list all is hidden with one of its items: what a setting takes is the whole list.
bool hides_any(const Value& value) {
    return is_hidden_value(text_of(value)) || std::ranges::any_of(items_of(&value), hides_any) ||
           std::ranges::any_of(members_of(&value),
                               [](const Member& member) { return hides_any(member.value); });
}

void take_hidden_below(Value& values, const std::string& path, std::vector<std::string>& found) {
    std::vector<std::string> hidden;
    for (Member& member : values.members()) {
        const std::string own = fmt::format("{}{}{}", path, path.empty() ? "" : ".", member.name());
        if (member.value.is_map()) {
            take_hidden_below(member.value, own, found);
        } else if (hides_any(member.value)) {
            hidden.emplace_back(member.name());
            found.push_back(own);
        }
    }
    for (const std::string& name : hidden) {
        values.erase(name);
    }
}

// So are Secrets called that hold what the operator logs in with.
bool may_name_credentials(std::string_view name) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](char c) { return lower_case(c); });
    return std::ranges::any_of(
        std::array<std::string_view, 5>{"oauth", "credential", "client-id", "clientid",
                                        "client-secret"},
        [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

constexpr std::string_view kWays =
    "with --values FILE, or as \"values\" of the cluster in .tailrender.yaml";

class Judge {
public:
    Judge(std::size_t given, const Loaded& loaded) : loaded_(loaded) {
        keys_.assign(kRendering.begin(), kRendering.end());
        if (loaded.operator_bundle) {
            keys_.insert(keys_.end(), kInstalling.begin(), kInstalling.end());
        }
        for (std::size_t i = given; i < loaded.values.size(); ++i) {
            is_given_ = is_given_ || std::ranges::any_of(keys_, [&](std::string_view key) {
                            return key != "tailrender" && decides(loaded.values[i], key);
                        });
        }
    }

    // False: it does not matter.
    bool judge(UnreadValues& one) const {
        if (one.kind == Unread::Refused) {
            one.diagnostic.severity = is_given_ ? Severity::Warning : Severity::Error;
            return true;
        }
        std::vector<std::string_view> open;
        bool is_decided = false;
        for (const std::string_view key : keys_) {
            if (one.target.empty() || overlap(key, one.target)) {
                const bool decided = is_decided_above(key, one.below);
                is_decided = is_decided || decided;
                if (!decided) {
                    open.push_back(key);
                }
            }
        }
        if (open.empty() || is_given_) {
            return false;
        }
        const bool is_assumed =
            one.kind == Unread::Optional || (one.kind == Unread::Secret && one.target.empty() &&
                                             (is_decided || may_name_credentials(one.name)));
        say(one, is_assumed, open);
        return true;
    }

private:
    [[nodiscard]] bool is_decided_above(std::string_view key, std::size_t below) const {
        for (std::size_t i = below; i < loaded_.values.size(); ++i) {
            if (decides(loaded_.values[i], key)) {
                return true;
            }
        }
        return false;
    }

    static void say(UnreadValues& one, bool is_assumed, const std::vector<std::string_view>& open) {
        Diagnostic& diagnostic = one.diagnostic;
        diagnostic.severity = is_assumed ? Severity::Warning : Severity::Error;
        diagnostic.rule = "unread-values";
        const bool is_secret = one.kind == Unread::Secret;
        diagnostic.message = is_secret
                                 ? "the operator's chart has values in a Secret, which is not read"
                                 : "the operator's chart has values that are not in this tree";
        if (is_assumed) {
            diagnostic.expected =
                is_secret ? "nothing but credentials in it, which is assumed here"
                          : "nothing there in the cluster either, which is assumed here";
            diagnostic.hint = fmt::format("if it sets more, give that {}", kWays);
            return;
        }
        constexpr std::size_t kMost = 3;
        const std::size_t shown = std::min(open.size(), kMost);
        std::vector<std::string_view> named(open.begin(),
                                            open.begin() + static_cast<std::ptrdiff_t>(shown));
        if (one.target.empty()) {
            named = {"proxyConfig.defaultTags", "loginServer", "ingressClass"};
        }
        diagnostic.expected =
            fmt::format("values that can be read: they decide what is rendered, such as {}",
                        fmt::join(named, ", "));
        diagnostic.hint = fmt::format(
            "give {} {}", one.target.empty() ? "them, without credentials," : "it", kWays);
    }

    const Loaded& loaded_;
    std::vector<std::string_view> keys_;
    bool is_given_ = false;
};

}  // namespace

Value read_values_text(const Value& text, std::string name, SourceMap& sources, Diagnostics& said) {
    return read_chart_text(
        text_of(text), std::move(name), sources,
        [&](std::size_t offset) { return place_in_holder(sources, text, offset); }, said);
}

Value read_values_text(std::string_view text, std::string name, Pos pos, SourceMap& sources,
                       Diagnostics& said) {
    return read_chart_text(
        text, std::move(name), sources, [&](std::size_t) { return pos; }, said);
}

void note_said(const Diagnostics& said, const std::string& object, std::size_t below,
               std::vector<UnreadValues>& unread, Diagnostics& warnings) {
    for (Diagnostic diagnostic : said.all()) {
        diagnostic.object = object;
        if (diagnostic.severity == Severity::Warning) {
            warnings.add(std::move(diagnostic));
            continue;
        }
        if (diagnostic.rule == "yaml-syntax" || diagnostic.rule == "wrong-type") {
            diagnostic.hint = fmt::format(
                "helm refuses these values of the operator's chart: correct them, or give them {}",
                kWays);
        }
        unread.push_back(
            {.kind = Unread::Refused, .below = below, .diagnostic = std::move(diagnostic)});
    }
}

std::vector<std::string> take_hidden(Value& values) {
    std::vector<std::string> found;
    if (values.is_map()) {
        take_hidden_below(values, {}, found);
    }
    return found;
}

bool is_hidden_value(std::string_view text) {
    return text.starts_with("ENC[") || text.find(kNotKnownText) != std::string_view::npos;
}

std::string with_hidden_templates(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t open = text.find("{{");
        const std::size_t close = text.find("}}", open);
        out += text.substr(0, open);
        if (open == std::string_view::npos || close == std::string_view::npos) {
            break;
        }
        out += kNotKnownText;
        text.remove_prefix(close + 2);
    }
    return out;
}

void judge_unread_values(std::size_t given, Loaded& loaded) {
    const Judge judge(given, loaded);
    std::vector<UnreadValues> kept;
    for (UnreadValues& one : loaded.unread_values) {
        if (judge.judge(one)) {
            kept.push_back(std::move(one));
        }
    }
    loaded.unread_values = std::move(kept);
}

}  // namespace renderer
