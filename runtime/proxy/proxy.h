// The proxy of a pod. It boots as containerboot does (environment, Secret, tailscaled, login), then
// applies what the environment requests to the state that the bus reports: rules, Serve, and the
// keys of the state Secret for the controller. Level-triggered: every message causes one look at
// the whole state.
// Source: tailscale v1.104.5 cmd/containerboot/main.go.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "runtime/base/socket_transport.h"
#include "runtime/base/weakly.h"
#include "runtime/dns/lookup.h"
#include "runtime/dns/resolved_name.h"
#include "runtime/nft/reconciler.h"
#include "runtime/nft/rule_watch.h"
#include "runtime/proxy/config_copy.h"
#include "runtime/proxy/endpoints.h"
#include "runtime/proxy/followed_files.h"
#include "runtime/proxy/forwarding.h"
#include "runtime/proxy/login.h"
#include "runtime/proxy/serve.h"
#include "runtime/proxy/shutdown.h"
#include "runtime/proxy/tailscaled.h"

namespace runtime::proxy {

// Links tailscaled's socket to the path where the `tailscale` command looks for it.
void link_socket(const Environment& environment, Log& log);

// The dependencies of a proxy; all of them outlive it.
struct ProxyParts {
    AsioLoop& loop;
    Log& log;
    RandomSource& random;
    localapi::LocalApi& api;
    Transport& network;     // for servers other than tailscaled
    kube::Client* kube;     // null without a Secret
    std::string ns;         // of the Secret
    nft::Dataplane* rules;  // null when nothing is forwarded
    dns::Lookup* lookup;    // null when no DNS name is forwarded to
    bool has_v6 = true;     // the kernel supports IPv6
};

class Proxy {
public:
    Proxy(const ProxyParts& parts, Environment environment, std::string config_path,
          TailscaledConfig config);
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    // `over` is called once, with the exit code, after everything has ended.
    void start(std::function<void(int code)> over);
    // Ends the proxy, as on SIGTERM.
    void end() { finish(0, {}); }

private:
    // The steps of the boot, in this order.
    void check_rights(const OwnStateSecret::Rights& rights);
    void take_state(const OwnStateSecret::Content& content);
    void find_config();
    void follow_config();
    void take_config();
    void start_tailscaled();
    void log_in();
    void run();

    // The steps after the login.
    void follow_objects();
    void take(const localapi::BusMessage& message);
    void reload_config();
    void refresh_names();
    void advertise_services();
    void read_services();
    void look();
    bool plan_rules(const localapi::TailnetNode& self);
    [[nodiscard]] bool has_config_of_its_own() const;
    [[nodiscard]] std::vector<FollowedFiles::File> config_files() const;
    [[nodiscard]] std::vector<FollowedFiles::File> key_files() const;
    [[nodiscard]] bool are_destinations_known() const {
        return environment_.dest_dns_name.empty() || !destinations_.empty();
    }
    void ensure_forwarding(const nft::Forwarding& forwarding);
    bool find_target(ForwardingInput& input);
    void find_egress(ForwardingInput& input);
    void publish();
    void say_ready();
    std::string metrics() const;
    void warn_once(const std::string& warning);
    [[nodiscard]] std::vector<std::string> wanted_names() const;

    void finish(int code, const std::string& why);

    ProxyParts parts_;
    Environment environment_;
    std::string config_path_;
    TailscaledConfig config_;
    std::function<void(int)> over_;
    EndpointState state_;
    FollowedFiles files_;
    std::unique_ptr<ConfigCopy> copy_;  // tailscaled's configuration, if it is followed
    std::string reloaded_text_;         // the configuration that tailscaled is reloading
    std::string key_text_;              // the key's file when tailscaled was started
    Endpoints endpoints_;
    ChildProcesses children_;
    Tailscaled tailscaled_;
    std::unique_ptr<OwnStateSecret> secret_;
    bool may_write_ = false;  // the pod may write to the state Secret
    std::unique_ptr<Login> login_;
    std::unique_ptr<Shutdown> shutdown_;
    std::optional<int> exit_code_ = {};  // set while tailscaled ends
    TimerId boot_timer_ = 0;

    localapi::TailnetView view_;
    localapi::BusWatch bus_;
    std::unique_ptr<nft::Reconciler> rules_;
    std::unique_ptr<nft::RuleWatch> rule_watch_;
    std::unique_ptr<dns::ResolvedName> destination_;
    std::vector<IpAddress> destinations_, targets_;
    EgressServices egress_;
    IngressServices ingress_;
    EgressTargets programmed_;
    nft::Families forwarded_;  // the families that this process enabled in the kernel
    std::unique_ptr<WatchedFolder> egress_folder_, ingress_folder_, config_folder_;
    std::unique_ptr<Serve> serve_;
    std::vector<std::string> advertised_;
    bool is_started_ = false;    // the start was logged
    bool is_planned_ = false;    // rules were passed to rules_
    bool is_published_ = false;  // the controller's keys were passed to secret_
    bool has_egress_status_ = false, has_ingress_status_ = false;
    std::set<std::string> warned_;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
