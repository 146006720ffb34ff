// The settings of a pod from its environment, with containerboot's names, defaults, checks and
// messages. Pure: config_file.h reads files.
// Source: tailscale v1.104.5 cmd/containerboot/settings.go, main.go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/ip_prefix.h"
#include "runtime/base/loop.h"

namespace runtime::proxy {

using EnvironmentLookup = std::function<std::optional<std::string>(const char* name)>;

enum class CertShare { None, ReadOnly, ReadWrite };

struct Environment {
    std::string root = "/";  // TS_TEST_ONLY_ROOT: where fixed paths begin
    // For the login by `tailscale up`, without a configuration file.
    std::string auth_key = {}, client_id = {}, client_secret = {}, id_token = {}, audience = {};
    std::string hostname = {}, extra_args = {};
    std::optional<std::string> routes = {};
    std::optional<bool> accept_dns = {};
    bool auth_once = false;
    std::string config_dir = {};  // replaces all of the above: tailscaled's configuration

    // The forwarding settings. The two destinations exclude each other, and so do the two targets.
    std::string dest_ip = {}, dest_dns_name = {};
    std::string tailnet_target_ip = {}, tailnet_target_fqdn = {};
    std::string serve_config = {};    // a file
    std::string egress_config = {};   // a folder
    std::string ingress_config = {};  // a file
    bool cluster_traffic_via_ingress = false;

    bool userspace = true;
    std::string state_dir = {}, socket = {}, socks5 = {}, http_proxy = {}, daemon_args = {};
    bool in_kubernetes = false;
    std::string kube_secret = {};  // empty: no state in a Secret
    std::string kube_host = {}, kube_port = {};
    std::string pod_ip = {}, pod_ipv4 = {}, pod_ipv6 = {}, pod_uid = {}, pod_name = {};
    CertShare cert_share = CertShare::None;
    bool auto_advertise = true;
    bool udp_gro = false;
    Duration boot_timeout = std::chrono::seconds(60);

    std::optional<AddressPort> local = {};  // metrics, health and preStop listen here
    std::string local_text = {};            // as written
    bool metrics = false, health = false;
    std::optional<AddressPort> separate_health = {};
    std::string separate_health_text = {};
    std::string debug = {};  // the address of tailscaled's debug server

    // For tests of the whole process: rules do not reach the kernel.
    bool fake_netfilter = false, fake_netfilter_v6 = true;

    std::vector<std::string> notes = {};  // messages to log at start

    [[nodiscard]] bool is_one_step() const { return !config_dir.empty(); }
    [[nodiscard]] bool forwards() const {
        return !dest_ip.empty() || !dest_dns_name.empty() || !tailnet_target_ip.empty() ||
               !tailnet_target_fqdn.empty() || cluster_traffic_via_ingress ||
               !egress_config.empty() || !ingress_config.empty();
    }
    // Returns the fixed path, which begins with "/", in `root`.
    [[nodiscard]] std::string at_root(std::string_view path) const;
};

renderer::Result<Environment> read_environment(const EnvironmentLookup& lookup);

// Return the arguments of tailscaled, `tailscale up` and `tailscale set`, without the program's
// name. `config` is the path of the configuration file, empty if there is none.
std::vector<std::string> tailscaled_arguments(const Environment& environment,
                                              const std::string& config);
std::vector<std::string> up_arguments(const Environment& environment);
std::vector<std::string> set_arguments(const Environment& environment);

// Parse a bool and a duration as Go does; no value if Go refuses the text.
std::optional<bool> parse_go_bool(std::string_view text);
std::optional<Duration> parse_go_duration(std::string_view text);

}  // namespace runtime::proxy
