// The features that tell what has become of proxies: the status of their parents, and the table of
// devices in `tailrender-devices`.
#pragma once

#include <map>
#include <set>
#include <string>

#include "runtime/controller/egress_status.h"
#include "runtime/controller/feature.h"
#include "runtime/controller/proxy_status.h"
#include "runtime/controller/recorder_devices.h"
#include "runtime/controller/static_endpoints.h"

namespace runtime {

// The Service that the nameserver answers at.
struct NameServer {
    std::string address;

    bool operator==(const NameServer&) const = default;
};

class ParentStatus : public Feature {
public:
    explicit ParentStatus(FeatureContext context);
    void reconcile() override;

private:
    void collect();
    Device described(const Replica& replica, Proxies& proxies);
    void write_served();
    void write_egress();
    void write_unserved();
    void write_name_server();
    void write_classes();

    FeatureContext context_;
    // As of this look: by name of the StatefulSet, and what others have been reached at.
    std::map<std::string, Proxies> proxies_;
    std::set<std::string> gone_;
    const Mirror<NameServer>& name_servers_;
    const Mirror<EgressReplica>& egress_replicas_;
    const Mirror<StaticEndpoints>& static_endpoints_;
    RecorderDevices recorder_devices_;
};

inline constexpr std::size_t kTableLimit = 900'000;  // bytes, of the 1 MiB of an object

// As many lines as there is room for in a ConfigMap, and if that is not all of them a last one that
// says how many are left out.
std::string lines_that_fit(std::string table, std::size_t limit = kTableLimit);

class DevicesTable : public Feature {
public:
    explicit DevicesTable(FeatureContext context) : context_(std::move(context)) {}
    void reconcile() override;

private:
    FeatureContext context_;
};

}  // namespace runtime
