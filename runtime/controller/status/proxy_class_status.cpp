#include "runtime/controller/status/proxy_class_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/image_reference.h"
#include "renderer/kube/name_grammar.h"

namespace runtime {

using renderer::is_alphanumeric;
using renderer::kMaxLabel;
using renderer::lower_case;
using renderer::Member;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::size_t kMaxPrefix = 253;
constexpr std::size_t kMaxAnnotations = std::size_t{256} << 10U;

// Kubernetes' own words: k8s.io/apimachinery v0.34.0 pkg/util/validation.
constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kPrefixRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

struct Range {
    std::int64_t port = 0, end = 0;  // end 0: one port

    [[nodiscard]] std::int64_t last() const { return end == 0 ? port : end; }
    [[nodiscard]] bool is_valid() const { return port != 0 && port <= last(); }
    [[nodiscard]] std::string text() const {
        return end == 0 ? fmt::format("{}", port) : fmt::format("{}-{}", port, end);
    }
};
using Ranges = std::vector<Range>;

std::vector<std::string> key_faults(std::string_view key) {
    std::vector<std::string> faults;
    std::string_view name = key;
    if (const std::size_t slash = key.find('/'); slash != std::string_view::npos) {
        const std::string_view prefix = key.substr(0, slash);
        name = key.substr(slash + 1);
        if (name.find('/') != std::string_view::npos) {
            return {
                fmt::format("a qualified name {} with an optional DNS subdomain prefix and '/' "
                            "(e.g. 'example.com/MyName')",
                            kNameRule)};
        }
        if (prefix.empty()) {
            faults.emplace_back("prefix part must be non-empty");
        } else if (prefix.size() > kMaxPrefix) {
            faults.push_back(
                fmt::format("prefix part must be no more than {} characters", kMaxPrefix));
        }
        if (!prefix.empty() && !renderer::is_dotted_name(prefix)) {
            faults.push_back(fmt::format("prefix part {}", kPrefixRule));
        }
    }
    if (name.empty()) {
        faults.emplace_back("name part must be non-empty");
    } else if (name.size() > kMaxLabel) {
        faults.push_back(fmt::format("name part must be no more than {} characters", kMaxLabel));
    }
    if (!renderer::is_name_of(name, is_alphanumeric, "-_.")) {
        faults.push_back(fmt::format("name part {}", kNameRule));
    }
    return faults;
}

class Faults {
public:
    void add(std::string_view path, const Value& found, std::string_view detail) {
        add(fmt::format("{}: Invalid value: {}: {}", path, renderer::write_json(found), detail));
    }
    void add(std::string text) {
        if (std::find(all_.begin(), all_.end(), text) == all_.end()) {
            all_.push_back(std::move(text));
        }
    }
    [[nodiscard]] std::string text() const {
        return all_.size() < 2 ? fmt::format("{}", fmt::join(all_, ""))
                               : fmt::format("[{}]", fmt::join(all_, ", "));
    }

private:
    std::vector<std::string> all_;
};

void check_keys(std::string_view path, const Value* entries, Faults& faults) {
    if (entries == nullptr || !entries->is_map()) {
        return;
    }
    const bool are_annotations = path.ends_with("annotations");
    std::size_t size = 0;
    for (const Member& member : entries->members()) {
        // The case of annotations does not matter.
        const std::string key =
            are_annotations ? lower_case(member.name()) : std::string(member.name());
        size += key.size() + text_of(member.value).size();
        for (const std::string& fault : key_faults(key)) {
            faults.add(path, Value(member.name()), fault);
        }
    }
    if (are_annotations && size > kMaxAnnotations) {
        faults.add(
            fmt::format("{}: Too long: may not be more than {} bytes", path, kMaxAnnotations));
    }
}

Ranges ranges_of(const Value& spec) {
    Ranges ranges;
    const Value* list = spec.at({"staticEndpoints", "nodePort", "ports"});
    const auto number = [](const Value* value) {
        return value == nullptr ? 0 : value->as_int().value_or(0);
    };
    if (list != nullptr && list->is_list()) {
        ranges.reserve(list->size());
        for (const Value& range : list->items()) {
            ranges.push_back(
                {.port = number(range.at({"port"})), .end = number(range.at({"endPort"}))});
        }
    }
    return ranges;
}

// The first fault of a class's ports; sorts them when it is about their order.
std::string ports_fault(std::string_view name, Ranges& ranges,
                        const std::map<std::string, Ranges>& taken) {
    for (const Range& range : ranges) {
        if (!range.is_valid()) {
            return fmt::format("port range \"{}\" is invalid", range.text());
        }
    }
    for (const Range& range : ranges) {
        for (const auto& [other, others] : taken) {
            for (const Range& there : others) {
                if (range.port <= there.last() && there.port <= range.last()) {
                    return fmt::format(
                        "port ranges for ProxyClass \"{}\" clash with existing ProxyClass \"{}\"",
                        name, other);
                }
            }
        }
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.port < b.port; });
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].port <= ranges[i - 1].last()) {
            return fmt::format("overlapping ranges: \"{}\" and \"{}\"", ranges[i - 1].text(),
                               ranges[i].text());
        }
    }
    return {};
}

std::string faults_of(const Parent& its_class, std::map<std::string, Ranges>& taken) {
    const Value& spec = its_class.spec;
    Faults faults;
    check_keys(".spec.statefulSet.labels", spec.at({"statefulSet", "labels"}), faults);
    check_keys(".spec.statefulSet.annotations", spec.at({"statefulSet", "annotations"}), faults);
    check_keys(".spec.statefulSet.pod.labels", spec.at({"statefulSet", "pod", "labels"}), faults);
    check_keys(".spec.statefulSet.pod.annotations", spec.at({"statefulSet", "pod", "annotations"}),
               faults);
    for (const std::string_view container : {"tailscaleContainer", "tailscaleInitContainer"}) {
        const Value* image = spec.at({"statefulSet", "pod", container, "image"});
        const std::string error =
            text_of(image).empty() ? "" : renderer::parse_image_reference(text_of(image)).error;
        if (!error.empty()) {
            faults.add(fmt::format("spec.statefulSet.pod.{}.image", container), *image, error);
        }
    }
    if (const Value* debug = spec.at({"statefulSet", "pod", "tailscaleInitContainer", "debug"})) {
        faults.add("spec.statefulSet.pod.tailscaleInitContainer.debug", *debug,
                   "debug settings cannot be configured on the init container");
    }
    check_keys(".spec.metrics.serviceMonitor.labels",
               spec.at({"metrics", "serviceMonitor", "labels"}), faults);
    Ranges ranges = ranges_of(spec);
    if (const std::string fault = ports_fault(its_class.name, ranges, taken); !fault.empty()) {
        std::vector<std::string> texts;
        texts.reserve(ranges.size());
        for (const Range& range : ranges) {
            texts.push_back(range.text());
        }
        faults.add("spec.staticEndpoints.nodePort.ports",
                   Value(fmt::format("{}", fmt::join(texts, ", "))), fault);
    }
    if (faults.text().empty()) {
        taken[its_class.name] = std::move(ranges);
    }
    return faults.text();
}

bool is_ready(const Parent& its_class) {
    const Value status = its_class.status.unpack();
    const Value* conditions = status.at({"conditions"});
    if (conditions == nullptr || !conditions->is_list()) {
        return false;
    }
    return std::any_of(conditions->items().begin(), conditions->items().end(),
                       [&](const Value& condition) {
                           const Value* seen = condition.at({"observedGeneration"});
                           return text_of(condition.at({"type"})) == kClassReady &&
                                  text_of(condition.at({"status"})) == "True" && seen != nullptr &&
                                  seen->as_int() == its_class.generation;
                       });
}

}  // namespace

std::map<std::string, std::string> class_faults(const Mirror<Parent>::Objects& classes) {
    std::map<std::string, std::string> found;
    std::map<std::string, Ranges> taken;
    for (const bool ready : {true, false}) {
        for (const auto& [unused, its_class] : classes) {
            if (is_ready(its_class) == ready) {
                found[its_class.name] = faults_of(its_class, taken);
            }
        }
    }
    return found;
}

}  // namespace runtime
