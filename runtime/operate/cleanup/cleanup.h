// `tailrender-runtime cleanup`: before an uninstall, removes what the controller has created:
// devices, auth keys and Tailscale Services in the tailnets, what it has published in the status of
// users' objects, finalizers that hold these objects, then its Secrets, ConfigMaps and Lease. Keys
// go first, so that nothing joins after the devices are read. It may be repeated: an object that
// names something in a tailnet is deleted after it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/jobs.h"
#include "runtime/base/log.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/operate/cleanup/belongings.h"
#include "runtime/operate/cleanup/device_proofs.h"
#include "runtime/operate/context.h"

namespace runtime::operate {

struct CleanupOptions {
    bool yes = false;               // false: show what would be removed
    bool force = false;             // even if proxies or the controller still run
    bool acme_accounts = false;     // also the Secret with the private keys of ACME accounts
    std::string login_server = {};  // empty: that of the controller's Deployment
};

// Returns the settings of the controller's tailnet for its login server and the Secret of its
// credentials, as `login_server_of` and `oauth_secret_of` return them.
using OwnTailnet = std::function<renderer::Result<tailnet::TailnetSettings>(
    const std::string& login_server, const std::string& oauth_secret)>;

class Cleanup {
public:
    // All references outlive it.
    Cleanup(const OperateContext& context, Transport& transport, Log& log, RandomSource& random,
            CleanupOptions options, OwnTailnet own);

    void start(Next done);

private:
    void look();
    void ask();
    void tell_what_stays();
    void show();
    [[nodiscard]] std::string reach();
    [[nodiscard]] std::string unreachable();
    [[nodiscard]] std::vector<std::string> found() const;
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
    Job release(const Belongings::Service& service);
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
    CleanupOptions options_;
    OwnTailnet own_;
    Next done_;
    ClusterObjects objects_;
    Belongings ours_;
    DeviceProofs proofs_;
    std::optional<controller::Tailnets> tailnets_;  // set once the login server is known
    bool told_accounts_ = false;
};

}  // namespace runtime::operate
