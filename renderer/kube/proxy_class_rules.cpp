#include "renderer/kube/proxy_class_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/text_of.h"
#include "renderer/kube/image_reference.h"
#include "renderer/kube/port_number.h"
#include "renderer/kube/quantity.h"

namespace renderer::inline kube {

namespace {

using Faults = std::vector<ClassFault>;

void check_labels(std::string_view path, const Value* labels, Faults& faults) {
    for (const Member& label : members_of(labels)) {
        if (std::vector<KeyFault> found = key_faults(label.name()); !found.empty()) {
            faults.push_back({ClassRule::LabelKey, path, &label.key, std::move(found)});
        }
    }
}

void check_annotations(std::string_view path, const Value* annotations, Faults& faults) {
    if (annotations == nullptr || !annotations->is_map()) {
        return;
    }
    for (const Member& annotation : annotations->members()) {
        if (std::vector<KeyFault> found = annotation_key_faults(annotation.name());
            !found.empty()) {
            faults.push_back({ClassRule::AnnotationKey, path, &annotation.key, std::move(found)});
        }
    }
    if (annotations_size(*annotations) > kMaxAnnotations) {
        faults.push_back({ClassRule::AnnotationsSize, path, annotations});
    }
}

void check_image(std::string_view path, const Value* image, Faults& faults) {
    if (text_of(image).empty()) {
        return;
    }
    if (std::string error = parse_image_reference(image->text()).error; !error.empty()) {
        faults.push_back({ClassRule::Image, path, image, {}, std::move(error)});
    }
}

}  // namespace

std::vector<ClassFault> proxy_class_faults(const Value& spec) {
    Faults faults;
    check_labels("spec.statefulSet.labels", spec.at({"statefulSet", "labels"}), faults);
    check_annotations("spec.statefulSet.annotations", spec.at({"statefulSet", "annotations"}),
                      faults);
    if (const Value* pod = spec.at({"statefulSet", "pod"})) {
        check_labels("spec.statefulSet.pod.labels", pod->at({"labels"}), faults);
        check_annotations("spec.statefulSet.pod.annotations", pod->at({"annotations"}), faults);
        check_image("spec.statefulSet.pod.tailscaleContainer.image",
                    pod->at({"tailscaleContainer", "image"}), faults);
        check_image("spec.statefulSet.pod.tailscaleInitContainer.image",
                    pod->at({"tailscaleInitContainer", "image"}), faults);
        const Value* debug = pod->at({"tailscaleInitContainer", "debug"});
        if (debug != nullptr && debug->is_map()) {
            faults.push_back(
                {ClassRule::InitDebug, "spec.statefulSet.pod.tailscaleInitContainer.debug", debug});
        }
    }
    check_labels("spec.metrics.serviceMonitor.labels",
                 spec.at({"metrics", "serviceMonitor", "labels"}), faults);
    return faults;
}

std::string ClassPort::text() const {
    return end == 0 ? fmt::format("{}", port) : fmt::format("{}-{}", port, end);
}

std::vector<ClassPort> class_ports(const Value* spec) {
    std::vector<ClassPort> ports;
    for (const Value& entry :
         items_of(spec == nullptr ? nullptr : spec->at({"staticEndpoints", "nodePort", "ports"}))) {
        const Value* port = entry.at({"port"});
        const Value* end = entry.at({"endPort"});
        if (const auto number = port == nullptr ? std::nullopt : whole_number(*port)) {
            ports.push_back({.port = *number,
                             .end = end == nullptr ? 0 : whole_number(*end).value_or(0),
                             .port_pos = port->pos(),
                             .end_pos = end == nullptr ? entry.pos() : end->pos()});
        }
    }
    return ports;
}

std::string port_list(std::span<const ClassPort> ports) {
    std::string list;
    for (const ClassPort& port : ports) {
        list += (list.empty() ? "" : ", ") + port.text();
    }
    return list;
}

PortFault port_fault(const ClassPort& port) {
    if (!is_port_number(port.port)) {
        return PortFault::Port;
    }
    if (port.end != 0 && !is_port_number(port.end)) {
        return PortFault::End;
    }
    return port.last() < port.port ? PortFault::Order : PortFault::None;
}

bool overlaps(const ClassPort& port, std::span<const ClassPort> others) {
    return std::ranges::any_of(others, [&](const ClassPort& other) {
        return port.port <= other.last() && other.port <= port.last();
    });
}

std::vector<const ClassPort*> find_overlaps(std::span<const ClassPort> sorted) {
    std::vector<const ClassPort*> found;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (overlaps(sorted[i], sorted.subspan(i - 1, 1))) {
            found.push_back(&sorted[i]);
        }
    }
    return found;
}

}  // namespace renderer::inline kube
