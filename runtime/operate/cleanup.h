// `tailrender-runtime cleanup`: before an uninstall, removes what the controller has made: devices,
// auth keys and Tailscale Services in the tailnets, then its Secrets, ConfigMaps and Lease. Keys go
// first, so that nothing joins any more when the devices are read. Asking twice does no harm: what
// names the things in a tailnet goes last.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/jobs.h"
#include "runtime/base/log.h"
#include "runtime/controller/tailnets.h"
#include "runtime/operate/context.h"

namespace runtime {

struct CleanupWish {
    bool yes = false;    // else it shows what it would do
    bool force = false;  // although proxies or the controller run
};

class Cleanup {
public:
    // All references outlive it. `own` is the controller's tailnet.
    Cleanup(const OperateContext& context, Transport& transport, Log& log, Chance& chance,
            CleanupWish wish, TailnetSettings own);

    void start(Next done);

private:
    struct Device {  // or key
        std::string tailnet, id;

        auto operator<=>(const Device&) const = default;
    };
    struct Service {
        std::string tailnet, name;
    };
    void look();
    void look_at_secrets();  // again, too
    void look_at_config_map(const renderer::Value& map);
    [[nodiscard]] std::string objection() const;
    [[nodiscard]] std::string running_proxy() const;
    [[nodiscard]] std::string operators_proxy() const;
    [[nodiscard]] std::set<std::string> tailnets() const;
    [[nodiscard]] std::string unreachable();
    [[nodiscard]] std::vector<std::string> found() const;
    void remove();
    void remove_all_but_keys();
    Job on_tailnet(const std::string& tailnet, std::function<void(TailnetApi&, TailnetDone)> call);
    Job release(const Service& service);
    std::vector<Job> key_jobs();
    std::vector<Job> device_jobs();
    std::vector<Job> kube_jobs();

    OperateContext context_;
    CleanupWish wish_;
    Next done_;
    Mirror<TailnetConfig> configs_;
    Tailnets tailnets_;
    std::vector<renderer::Value> sets_, pods_, secrets_, config_maps_, leases_;
    std::set<Device> devices_, keys_;
    std::vector<Service> services_;
    std::vector<std::string> secret_names_, config_map_names_;
    std::string mark_;         // of what is ours in the tailnets
    std::string predecessor_;  // whose Tailscale Services are ours, too
};

}  // namespace runtime
