// Fuzz target: for any files of a group, its pods report valid JSON. The report of an egress group
// has every Service, and each port is forwarded or named as skipped. The text of an ingress group
// reads back as the same services.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/check.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/proxy/group_services.h"

namespace {

using namespace runtime::proxy;

void check_egress(std::string_view bytes) {
    auto services = read_egress_services(bytes);
    if (!services) {
        return;
    }
    const EgressTargets targets = {.services = std::move(*services), .addresses = {}};
    std::size_t ports = 0;
    for (const auto& [name, service] : targets.services) {
        ports += service.ports.size();
    }
    std::vector<std::string> skipped;
    CHECK(egress_ports(targets, skipped).size() + skipped.size() == ports);
    const auto report = renderer::read_json(egress_status(targets, "10.0.0.1", "fd00::1"));
    CHECK(report.has_value());
    CHECK(renderer::members_of(report->find("services")).size() == targets.services.size());
}

void check_ingress(std::string_view bytes) {
    const auto services = read_ingress_services(bytes);
    if (!services) {
        return;
    }
    CHECK(renderer::read_json(ingress_status(*services, "10.0.0.1", "")).has_value());
    const auto again = read_ingress_services(services->text);
    CHECK(again.has_value());
    CHECK(again->text == services->text);
    CHECK(again->pairs.size() == services->pairs.size());
}

}  // namespace

extern "C" int fuzz_group_services(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check_egress(bytes);
    check_ingress(bytes);
    return 0;
}
