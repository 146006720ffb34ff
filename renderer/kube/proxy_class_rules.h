// Checks of a ProxyClass beyond the schema of its CRD. Both programs use them, each with its own
// messages. Source: tailscale v1.96.5 cmd/k8s-operator/{proxyclass,nodeport-service-ports}.go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/value.h"
#include "renderer/kube/metadata_rules.h"

namespace renderer::inline kube {

enum class ClassRule : std::uint8_t {
    LabelKey,
    AnnotationKey,
    AnnotationsSize,
    Image,
    InitDebug,  // debug settings of the init container
};

struct ClassFault {
    ClassRule rule;
    std::string_view path;           // of the map or field: "spec.statefulSet.labels"
    const Value* at;                 // the key, else the value at `path`
    std::vector<KeyFault> key = {};  // of LabelKey, AnnotationKey
    std::string reason = {};         // of Image
};

// Returns the faults in the order of the operator's checks. They point into the spec.
std::vector<ClassFault> proxy_class_faults(const Value& spec);

// NodePorts of static endpoints.
struct ClassPort {
    std::int64_t port = 0, end = 0;  // end 0: a single port
    Pos port_pos, end_pos;           // end_pos: of the entry if it has no end

    [[nodiscard]] std::int64_t last() const { return end == 0 ? port : end; }
    [[nodiscard]] std::string text() const;  // "30100", "30100-30110"
};

// Returns them in the order of the class, in which they are assigned. Skips entries without a port.
// `spec` may be nullptr.
std::vector<ClassPort> class_ports(const Value* spec);
// Returns "30100-30110, 30200".
std::string port_list(std::span<const ClassPort> ports);

enum class PortFault : std::uint8_t { None, Port, End, Order };
PortFault port_fault(const ClassPort& port);

bool overlaps(const ClassPort& port, std::span<const ClassPort> others);

// Returns the ports that overlap the one before them.
std::vector<const ClassPort*> find_overlaps(std::span<const ClassPort> sorted);

}  // namespace renderer::inline kube
