// The proxy after the login: turns the reports of the bus, the files and the resolver into rules,
// Serve, and the state Secret's keys for the controller. Level-triggered: every message causes one
// look at the whole state.
// Source: tailscale v1.104.5 cmd/containerboot/main.go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/weakly.h"
#include "runtime/localapi/bus_watch.h"
#include "runtime/proxy/config_follower.h"
#include "runtime/proxy/endpoints.h"
#include "runtime/proxy/group_files.h"
#include "runtime/proxy/live_forwarding.h"
#include "runtime/proxy/proxy_parts.h"
#include "runtime/proxy/serve.h"
#include "runtime/proxy/state_secret.h"

namespace runtime::proxy {

class Runner {
public:
    // `secret` is null if the pod may not write to its state Secret. `failed` ends the proxy. All
    // references outlive it.
    Runner(const ProxyParts& parts, const Environment& environment, FollowedFiles& files,
           ConfigFollower& config, OwnStateSecret* secret, EndpointState& state,
           std::function<void(const std::string& why)> failed);

    void start();
    // After it nothing is written any more.
    void stop();
    // The serve config's text may have changed.
    void look_at_serve();
    [[nodiscard]] bool are_rules_applied() const {
        return forwarding_ == nullptr || forwarding_->is_applied();
    }

private:
    void follow_objects();
    void take(const localapi::BusMessage& message);
    void refresh_names();
    void advertise_services();
    void read_services();
    void look();
    void publish();
    void say_ready();
    [[nodiscard]] std::vector<std::string> wanted_names() const;

    ProxyParts parts_;
    const Environment& environment_;
    FollowedFiles& files_;
    ConfigFollower& config_;
    OwnStateSecret* secret_;
    EndpointState& state_;
    std::function<void(const std::string&)> failed_;

    localapi::TailnetView view_;
    localapi::BusWatch bus_;
    GroupFiles groups_;
    std::unique_ptr<LiveForwarding> forwarding_;  // null when nothing is forwarded
    std::unique_ptr<Serve> serve_;
    std::vector<std::string> advertised_;
    bool is_over_ = false;
    bool is_started_ = false;    // the start was logged
    bool is_published_ = false;  // the controller's keys were passed to secret_
    bool has_egress_status_ = false, has_ingress_status_ = false;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
