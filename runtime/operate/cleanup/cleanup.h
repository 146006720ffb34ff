// `tailrender-runtime cleanup`: before an uninstall, removes what the controller has created:
// devices, auth keys and Tailscale Services in the tailnets, what it has published in the status of
// users' objects, finalizers that hold these objects, then its Secrets, ConfigMaps and Lease. Keys
// go first, so that nothing joins after the devices are read. It may be repeated: an object that
// names something in a tailnet is deleted after it.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/contract/tailnet_config.h"
#include "renderer/core/result.h"
#include "runtime/base/jobs.h"
#include "runtime/base/log.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/operate/cleanup/clear_status.h"
#include "runtime/operate/cleanup/leftovers.h"
#include "runtime/operate/cleanup/named_devices.h"
#include "runtime/operate/context.h"

namespace runtime::operate {

struct CleanupWish {
    bool yes = false;               // false: show what would be removed
    bool force = false;             // even if proxies or the controller still run
    bool acme_accounts = false;     // also the Secret with the private keys of ACME accounts
    std::string login_server = {};  // empty: that of the controller's Deployment
};

// Returns the settings of the controller's tailnet for its login server and the Secret of its
// credentials, as `login_server_of` and `oauth_secret_of` return them.
using OwnTailnet = std::function<renderer::Result<tailnet::TailnetSettings>(
    const std::string& login_server, const std::string& oauth_secret)>;

// Returns "" if the request succeeded or its object does not exist, else a message about `what`.
std::string problem_of(const tailnet::Reply& reply, std::string_view what);

class Cleanup {
public:
    // All references outlive it.
    Cleanup(const OperateContext& context, Transport& transport, Log& log, RandomSource& random,
            CleanupWish wish, OwnTailnet own);

    void start(Next done);

private:
    struct Device {  // or an auth key
        std::string tailnet, id;

        auto operator<=>(const Device&) const = default;
    };
    struct Service {
        std::string tailnet, name;
    };
    struct Known {  // what is shown of a device
        std::string name, parent;
    };
    void look();
    void ask();
    void prove_devices(Next next);
    Job proof(const NamedDevice& named);
    void tell_what_stays();
    void show();
    void look_at_secrets();  // also a second time
    void look_at_config_map(const renderer::Value& map);
    [[nodiscard]] std::set<std::string> tailnets() const;
    [[nodiscard]] std::string reach();
    [[nodiscard]] std::string unreachable();
    [[nodiscard]] std::vector<std::string> found() const;
    // Returns how a device is shown to people: its name, id and parent.
    [[nodiscard]] std::string describe(const Device& device) const;
    [[nodiscard]] bool has_lease() const;
    // Returns a Next that prints that `what` was removed, unless there is a problem, and calls
    // `next`.
    Next told_of(std::string what, Next next);
    Job removal(std::string what, Job job);
    void remove();
    void remove_all_but_keys();
    void remove_what_is_proven();
    Job on_tailnet(const std::string& tailnet,
                   std::function<void(tailnet::Api&, tailnet::Done)> call);
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
    controller::Mirror<renderer::TailnetConfig> configs_;
    std::optional<controller::Tailnets> tailnets_;  // set once the login server is known
    std::vector<renderer::Value> deployments_, sets_, pods_, secrets_, config_maps_, leases_;
    Objects user_services_, user_ingresses_;  // of all namespaces
    std::vector<HeldObject> held_;
    bool told_accounts_ = false;
    Served served_;
    std::set<Device> keys_;
    std::vector<NamedDevice> named_;      // the devices that Secrets name
    std::map<Device, Known> devices_;     // our devices, as the tailnet shows them
    std::map<Device, std::string> left_;  // devices that stay, and why
    std::set<Device> told_left_;
    std::vector<Service> services_;
    std::vector<std::string> secret_names_, config_map_names_;
    std::string mark_;         // marks our keys and Tailscale Services
    std::string predecessor_;  // the operator whose Tailscale Services are also ours
};

}  // namespace runtime::operate
