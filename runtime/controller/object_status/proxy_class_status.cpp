#include "runtime/controller/object_status/proxy_class_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/proxy_class_rules.h"

namespace runtime::controller {

using renderer::ClassFault;
using renderer::ClassRule;
using renderer::KeyFault;
using renderer::text_of;
using renderer::Value;

namespace {

// Messages of Kubernetes: k8s.io/apimachinery v0.34.0 pkg/util/validation.
constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kPrefixRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

using Ports = std::vector<renderer::ClassPort>;

std::string text_of_key_fault(KeyFault fault) {
    switch (fault) {
        case KeyFault::ManySlashes:
            return fmt::format(
                "a qualified name {} with an optional DNS subdomain prefix and '/' "
                "(e.g. 'example.com/MyName')",
                kNameRule);
        case KeyFault::NoPrefix:
            return "prefix part must be non-empty";
        case KeyFault::LongPrefix:
            return fmt::format("prefix part must be no more than {} characters",
                               renderer::kMaxSubdomain);
        case KeyFault::BadPrefix:
            return fmt::format("prefix part {}", kPrefixRule);
        case KeyFault::NoName:
            return "name part must be non-empty";
        case KeyFault::LongName:
            return fmt::format("name part must be no more than {} characters", renderer::kMaxLabel);
        case KeyFault::BadName:
            break;
    }
    return fmt::format("name part {}", kNameRule);
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

void word(const ClassFault& fault, Faults& faults) {
    switch (fault.rule) {
        case ClassRule::LabelKey:
        case ClassRule::AnnotationKey:
            for (const KeyFault key : fault.key) {
                faults.add(fmt::format(".{}", fault.path), *fault.at, text_of_key_fault(key));
            }
            break;
        case ClassRule::AnnotationsSize:
            faults.add(fmt::format(".{}: Too long: may not be more than {} bytes", fault.path,
                                   renderer::kMaxAnnotations));
            break;
        case ClassRule::Image:
            faults.add(fault.path, *fault.at, fault.reason);
            break;
        case ClassRule::InitDebug:
            faults.add(fault.path, *fault.at,
                       "debug settings cannot be configured on the init container");
            break;
    }
}

// Returns the first fault of a class's ports; sorts them if it is about their order.
std::string ports_fault(std::string_view name, Ports& ports,
                        const std::map<std::string, Ports>& taken) {
    for (const renderer::ClassPort& port : ports) {
        if (port_fault(port) != renderer::PortFault::None) {
            return fmt::format("port range \"{}\" is invalid", port.text());
        }
    }
    for (const renderer::ClassPort& port : ports) {
        for (const auto& [other, others] : taken) {
            if (overlaps(port, others)) {
                return fmt::format(
                    "port ranges for ProxyClass \"{}\" clash with existing ProxyClass \"{}\"", name,
                    other);
            }
        }
    }
    std::ranges::stable_sort(ports, {}, &renderer::ClassPort::port);
    const auto found = find_overlaps(ports);
    return found.empty() ? ""
                         : fmt::format("overlapping ranges: \"{}\" and \"{}\"",
                                       std::prev(found.front())->text(), found.front()->text());
}

std::string faults_of(const Parent& its_class, std::map<std::string, Ports>& taken) {
    Faults faults;
    for (const ClassFault& fault : renderer::proxy_class_faults(its_class.spec)) {
        word(fault, faults);
    }
    Ports ports = renderer::class_ports(&its_class.spec);
    if (const std::string fault = ports_fault(its_class.name, ports, taken); !fault.empty()) {
        faults.add("spec.staticEndpoints.nodePort.ports", Value(renderer::port_list(ports)), fault);
    }
    if (faults.text().empty()) {
        taken[its_class.name] = std::move(ports);
    }
    return faults.text();
}

bool is_class_ready(const Parent& its_class) {
    const Value status = its_class.status.unpack();
    return std::ranges::any_of(renderer::items_of(status.find("conditions")),
                               [&](const Value& condition) {
                                   const Value* seen = condition.find("observedGeneration");
                                   return text_of(condition.find("type")) == kClassReady &&
                                          text_of(condition.find("status")) == "True" &&
                                          seen != nullptr && seen->as_int() == its_class.generation;
                               });
}

}  // namespace

std::map<std::string, std::string> class_faults(const Mirror<Parent>::Objects& classes) {
    std::map<std::string, std::string> found;
    std::map<std::string, Ports> taken;
    for (const bool ready : {true, false}) {
        for (const auto& [unused, its_class] : classes) {
            if (is_class_ready(its_class) == ready) {
                found[its_class.name] = faults_of(its_class, taken);
            }
        }
    }
    return found;
}

}  // namespace runtime::controller
