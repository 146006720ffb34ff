#include "renderer/engines/helm/exposing_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/contract/annotations.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/kube/kinds.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kClass = "tailscale";
constexpr std::string_view kLoadBalancer = "LoadBalancer";
// Charts use different names for it.
constexpr std::array<std::string_view, 6> kClassKeys = {
    "loadBalancerClass",          "ingressClassName", "ingressClass", "className", "class",
    "kubernetes.io/ingress.class"};
constexpr std::array<std::string_view, 3> kEgressKeys = {
    annotation::kTailnetFqdn, annotation::kTailnetIp, annotation::kOldTailnetIp};

// `--set` spells it `ingress.annotations.tailscale\.com/expose`.
bool names(std::string_view spelled, std::string_view key) {
    std::string plain(spelled);
    std::erase(plain, '\\');
    return plain.ends_with(key) &&
           (plain.size() == key.size() || plain[plain.size() - key.size() - 1] == '.');
}

bool exposes(std::string_view key, std::string_view value, const std::vector<std::string>& words) {
    if (key == "type" && value == kLoadBalancer) {
        return std::ranges::find(words, kLoadBalancer) != words.end();
    }
    const auto is_named = [key](std::string_view one) { return names(key, one); };
    // A variable may have any value, and an expression of a template, too.
    const bool is_expression = value.find("{{") != std::string_view::npos;
    const bool is_variable = is_expression || value.find("${") != std::string_view::npos;
    const bool may_be_class = value == kClass || is_expression ||
                              std::ranges::find(words, value) != words.end() ||
                              (is_variable && value.find(kClass) != std::string_view::npos);
    return (may_be_class && std::ranges::any_of(kClassKeys, is_named)) ||
           ((value == "true" || is_variable) &&
            (is_named(annotation::kExpose) || is_named(annotation::kFunnel))) ||
           (!value.empty() && std::ranges::any_of(kEgressKeys, is_named));
}

// Returns a path of JSON Patch, "/spec/type", or of Gatekeeper, `metadata.annotations."a/b"`, as
// `--set` spells it.
std::string dotted(std::string_view path) {
    std::string out(path);
    if (out.starts_with('/')) {
        std::ranges::replace(out, '/', '.');
        for (std::size_t at = out.find("~1"); at != std::string::npos; at = out.find("~1", at)) {
            out.replace(at, 2, "/");
        }
    }
    std::erase(out, '"');
    return out;
}

std::string_view way_of(std::string_view key) {
    return names(key, annotation::kFunnel) ? kByFunnel : std::string_view();
}

// Returns how anyone on the internet can reach the devices of a kind.
std::string_view way_of_kind(std::string_view kind) {
    const std::string_view way = find_kind(kind)->role.pods->public_by;
    return way == kByLoadBalancer ? way : std::string_view();
}

class ExposureSearch {
public:
    explicit ExposureSearch(const std::vector<std::string>& words) : words_(words) {}

    void visit(const Value& value, const std::string& path) {
        if (value.is_map() && spelling_of(value.find("enabled")) != "false") {
            parameter(value, path);
            custom_resource(value, path);
            for (const Member& member : value.members()) {
                const std::string inner = path.empty() ? std::string(member.name())
                                                       : fmt::format("{}.{}", path, member.name());
                if (exposes(member.name(), spelling_of(member.value), words_)) {
                    add(member.key.pos(), inner, spelling_of(member.value));
                }
                visit(member.value, inner);
            }
        } else if (value.is_list()) {
            for (std::size_t i = 0; i < value.items().size(); ++i) {
                visit(value.items()[i], fmt::format("{}[{}]", path, i));
            }
        } else if (value.is_string()) {
            text(value, path);
        }
    }

    std::vector<ExposingValue> found;

private:
    void add(Pos pos, std::string_view path, std::string_view value) {
        found.push_back({.pos = place_.known() ? place_ : pos,
                         .what = fmt::format("{}: {}", path, value),
                         .public_by = way_of(dotted(path))});
    }

    // A field and its value side by side: a parameter of Argo CD, {name: ingress.className, value:
    // tailscale}, an operation of JSON Patch, or an Assign of Gatekeeper.
    void parameter(const Value& map, const std::string& path) {
        const Value* value = map.find("value");
        value = value == nullptr ? map.at({"parameters", "assign", "value"}) : value;
        for (const std::string_view key : {"name", "path", "location"}) {
            const Value* field = map.find(key);
            const std::string name = dotted(text_of(field));
            if (name.find('.') != std::string::npos && exposes(name, spelling_of(value), words_)) {
                const std::string_view dot = path.empty() ? "" : ".";
                add(field->pos(), fmt::format("{}{}{}", path, dot, text_of(field)),
                    spelling_of(value));
            }
        }
    }

    // An object within another one, such as an item of `extraObjects`.
    void custom_resource(const Value& map, const std::string& path) {
        const std::string_view kind = text_of(map, {"kind"});
        if (!path.empty() && text_of(map, {"apiVersion"}) == kCustomVersion &&
            is_device_kind(kind)) {
            add(map.find("kind")->pos(), path + ".kind", kind);
            found.back().public_by = way_of_kind(kind);
        }
    }

    void text(const Value& value, const std::string& path) {
        const std::string_view text = value.text();
        if (!repo::mentions_input(text, words_) || depth_ == kDeepest) {
            return;
        }
        SourceMap sources;
        const SourceId source = sources.add(path, std::string(text));
        Diagnostics discarded;
        const Value inner = read_yaml(sources, source, discarded);
        const Pos outer = std::exchange(place_, place_.known() ? place_ : value.pos());
        if (discarded.has_errors()) {
            for (const ExposingValue& one : find_exposing_lines(sources, source, words_)) {
                found.push_back({place_, fmt::format("{}: {}", path, one.what), one.public_by});
            }
            place_ = outer;
            return;
        }
        ++depth_;
        visit(inner, path);
        --depth_;
        place_ = outer;
    }

    static constexpr int kDeepest = 3;  // YAML strings within YAML strings

    const std::vector<std::string>& words_;
    Pos place_;  // of the YAML string that is searched
    int depth_ = 0;
};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r-\"'");
    const std::size_t last = text.find_last_not_of(" \t\r\"',");
    return first == std::string_view::npos || last < first ? ""
                                                           : text.substr(first, last - first + 1);
}

// Returns the parts of a line with a flow map, `annotations: {a: b, c: d}`, or the line. An
// expression of a template, `{{ .Values.a }}`, stays whole.
std::vector<std::string_view> flow_parts_of(std::string_view line) {
    std::vector<std::string_view> parts;
    while (!line.empty()) {
        std::size_t end = line.find_first_of("{},");
        while (end != std::string_view::npos && line.substr(end).starts_with("{{")) {
            const std::size_t close = line.find("}}", end);
            end = close == std::string_view::npos ? close : line.find_first_of("{},", close + 2);
        }
        end = std::min(end, line.size());
        parts.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return parts;
}

}  // namespace

bool is_device_kind(std::string_view kind) {
    const Kind* found = find_kind(kind);
    return found != nullptr && found->is_custom() && found->role.pods &&
           found->role.pods->are_devices;
}

std::vector<ExposingValue> find_exposing_values(const Value& root,
                                                const std::vector<std::string>& words) {
    ExposureSearch search(words);
    search.visit(root, {});
    return std::move(search.found);
}

std::vector<ExposingValue> find_exposing_lines(const SourceMap& sources, SourceId source,
                                               const std::vector<std::string>& words) {
    std::vector<ExposingValue> found;
    const std::string_view text = sources.text(source);
    const bool has_custom = text.find(kCustomVersion) != std::string_view::npos;
    for (const std::string_view line : split(text, '\n')) {
        if (trimmed(line).starts_with('#')) {
            continue;
        }
        for (const std::string_view part : flow_parts_of(line)) {
            const std::size_t colon = part.find(": ");
            if (colon == std::string_view::npos) {
                continue;
            }
            const std::string_view key = trimmed(part.substr(0, colon));
            const std::string_view rest = part.substr(colon + 2);
            const std::string_view value = trimmed(rest.substr(0, rest.find(" #")));
            const bool is_device = has_custom && key == "kind" && is_device_kind(value);
            if (is_device || exposes(key, value, words)) {
                found.push_back(
                    {.pos = sources.pos(source, static_cast<std::size_t>(key.data() - text.data())),
                     .what = fmt::format("{}: {}", key, value),
                     .public_by = is_device ? way_of_kind(value) : way_of(key)});
            }
        }
    }
    return found;
}

}  // namespace renderer::engines
