// `tailrender-runtime cleanup`: before an uninstall, removes what the controller has made: devices,
// auth keys and Tailscale Services in the tailnets, what users' objects say of them in their
// status, finalizers that hold these objects, then its Secrets, ConfigMaps and Lease. Keys go
// first, so that nothing joins any more when the devices are read. Asking twice does no harm: what
// names the things in a tailnet goes last.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/jobs.h"
#include "runtime/base/log.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/operate/cleanup/clear_status.h"
#include "runtime/operate/cleanup/leftovers.h"
#include "runtime/operate/cleanup/named_devices.h"
#include "runtime/operate/context.h"

namespace runtime {

struct CleanupWish {
    bool yes = false;               // else it shows what it would do
    bool force = false;             // although proxies or the controller still run
    bool acme_accounts = false;     // also what has private keys of accounts at the ACME server
    std::string login_server = {};  // empty: the controller's Deployment says which
};

// The controller's tailnet, given its login server and the Secret of its credentials: what
// `login_server_of` and `oauth_secret_of` say.
using OwnTailnet = std::function<renderer::Result<TailnetSettings>(
    const std::string& login_server, const std::string& oauth_secret)>;

// "": done, or there is nothing to do it with.
std::string problem_of(const TailnetReply& reply, std::string_view what);

class Cleanup {
public:
    // All references outlive it.
    Cleanup(const OperateContext& context, Transport& transport, Log& log, RandomSource& random,
            CleanupWish wish, OwnTailnet own);

    void start(Next done);

private:
    struct Device {  // or key
        std::string tailnet, id;

        auto operator<=>(const Device&) const = default;
    };
    struct Service {
        std::string tailnet, name;
    };
    struct Known {  // of a device
        std::string name, parent;
    };
    void look();
    void ask();
    void prove_devices(Next next);
    Job proof(const NamedDevice& named);
    void tell_what_stays();
    void show();
    void look_at_secrets();  // again, too
    void look_at_config_map(const renderer::Value& map);
    [[nodiscard]] std::set<std::string> tailnets() const;
    [[nodiscard]] std::string reach();
    [[nodiscard]] std::string unreachable();
    [[nodiscard]] std::vector<std::string> found() const;
    // As a person knows it, with its id.
    [[nodiscard]] std::string describe(const Device& device) const;
    [[nodiscard]] bool has_lease() const;
    // Says it once there is no problem.
    Next told_of(std::string what, Next next);
    Job removal(std::string what, Job job);
    void remove();
    void remove_all_but_keys();
    void remove_what_is_proven();
    Job on_tailnet(const std::string& tailnet, std::function<void(TailnetApi&, TailnetDone)> call);
    Job release(const Service& service);
    std::vector<Job> key_jobs();
    std::vector<Job> device_jobs();
    [[nodiscard]] bool has_operators_proxies() const;
    [[nodiscard]] bool is_here() const;
    [[nodiscard]] bool has_operator() const;
    [[nodiscard]] std::vector<HeldObject> held() const;
    [[nodiscard]] bool takes_accounts() const;
    [[nodiscard]] std::vector<ServedParent> told() const;
    std::vector<Job> status_jobs();
    std::vector<Job> kube_jobs();

    OperateContext context_;
    Transport& transport_;
    Log& log_;
    RandomSource& random_;
    CleanupWish wish_;
    OwnTailnet own_;
    Next done_;
    Mirror<TailnetConfig> configs_;
    std::optional<Tailnets> tailnets_;  // once it is known where the controller's own is
    std::vector<renderer::Value> deployments_, sets_, pods_, secrets_, config_maps_, leases_;
    Objects user_services_, user_ingresses_;  // of all namespaces
    std::vector<HeldObject> held_;
    bool told_accounts_ = false;
    Served served_;
    std::set<Device> keys_;
    std::vector<NamedDevice> named_;      // what Secrets say of devices
    std::map<Device, Known> devices_;     // those that are ours, as the tailnet knows them
    std::map<Device, std::string> left_;  // why others stay
    std::set<Device> told_left_;
    std::vector<Service> services_;
    std::vector<std::string> secret_names_, config_map_names_;
    std::string mark_;         // of what is ours in the tailnets
    std::string predecessor_;  // whose Tailscale Services are ours, too
};

}  // namespace runtime
