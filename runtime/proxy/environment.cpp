#include "runtime/proxy/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "renderer/base/split.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/ports.h"
#include "runtime/proxy/go_text.h"

namespace runtime::proxy {

namespace {

constexpr std::string_view kDefaultSocket = "/tmp/tailscaled.sock";

renderer::Error refusal(std::string message) {
    return {{.rule = "invalid-environment",
             .message = "invalid configuration: invalid configuration: " + std::move(message)}};
}

class Reader {
public:
    explicit Reader(const EnvironmentLookup& lookup) : lookup_(lookup) {}

    [[nodiscard]] std::optional<std::string> find(std::string_view name) const {
        return lookup_(name.data());
    }
    // A variable that is set to "" counts as unset.
    [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = "") const {
        std::string value = find(name).value_or("");
        return value.empty() ? std::string(otherwise) : value;
    }
    [[nodiscard]] bool flag(std::string_view name, bool otherwise) const {
        return parse_go_bool(text(name)).value_or(otherwise);
    }

private:
    const EnvironmentLookup& lookup_;
};

void read_login(const Reader& in, Environment& out) {
    out.auth_key = in.text(renderer::variable::kAuthKey, in.text(renderer::variable::kOldAuthKey));
    out.client_id = in.text(renderer::variable::kClientId);
    out.client_secret = in.text(renderer::variable::kClientSecret);
    out.id_token = in.text(renderer::variable::kIdToken);
    out.audience = in.text(renderer::variable::kAudience);
    out.hostname = in.text(renderer::variable::kHostname);
    out.routes = in.find(renderer::variable::kRoutes);
    out.accept_dns = parse_go_bool(in.text(renderer::variable::kAcceptDns));
    out.extra_args = in.text(renderer::variable::kExtraArgs);
    out.auth_once = in.flag(renderer::variable::kAuthOnce, false);
    out.config_dir = in.text(renderer::variable::kConfigDir);
}

void read_forwarding(const Reader& in, Environment& out) {
    out.dest_ip = in.text(renderer::variable::kDestIp);
    out.dest_dns_name = in.text(renderer::variable::kDestDnsName);
    out.tailnet_target_ip = in.text(renderer::variable::kTailnetTargetIp);
    out.tailnet_target_fqdn = in.text(renderer::variable::kTailnetTargetFqdn);
    out.serve_config = in.text(renderer::variable::kServeConfig);
    out.egress_config = in.text(renderer::variable::kEgressConfig);
    out.ingress_config = in.text(renderer::variable::kIngressConfig);
    out.cluster_traffic_via_ingress =
        in.flag("EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS", false);
    out.fake_netfilter = in.flag(renderer::variable::kFakeNetfilter, false);
    out.fake_netfilter_v6 = in.flag(renderer::variable::kFakeNetfilterV6, true);
}

void read_process(const Reader& in, Environment& out) {
    out.root = in.text(renderer::variable::kTestRoot, "/");
    out.userspace = in.flag(renderer::variable::kUserspace, true);
    out.state_dir = in.text(renderer::variable::kStateDir);
    out.socket = in.text(renderer::variable::kSocket, kDefaultSocket);
    out.socks5 = in.text(renderer::variable::kSocks5Server);
    out.http_proxy = in.text(renderer::variable::kHttpProxy);
    out.daemon_args = in.text(renderer::variable::kDaemonArgs);
    out.auto_advertise = in.flag(renderer::variable::kAutoAdvertisement, true);
    out.udp_gro = in.flag(renderer::variable::kForwardingOptimizations, false);
    out.metrics = in.flag(renderer::variable::kMetrics, false);
    out.health = in.flag(renderer::variable::kHealthCheck, false);
    out.local_text = in.text(renderer::variable::kLocalAddress, renderer::port::kAnyLocalAddress);
    out.separate_health_text = in.text(renderer::variable::kOldHealthAddress);
    out.debug = in.text(renderer::variable::kDebugAddress);
}

void read_pod(const Reader& in, Environment& out) {
    out.kube_host = in.text("KUBERNETES_SERVICE_HOST");
    out.kube_port = in.text("KUBERNETES_SERVICE_PORT_HTTPS", "443");
    out.in_kubernetes = !out.kube_host.empty();
    // An empty value differs from an unset variable: it means no state in a Secret.
    out.kube_secret =
        in.find(renderer::variable::kKubeSecret).value_or(out.in_kubernetes ? "tailscale" : "");
    out.pod_ip = in.text(renderer::variable::kPodIp);
    out.pod_uid = in.text(renderer::variable::kPodUid);
    out.pod_name = in.text(renderer::variable::kPodName);
    if (in.flag(renderer::variable::kCertShare, false)) {
        out.cert_share = out.pod_name.ends_with("-0") ? CertShare::ReadWrite : CertShare::ReadOnly;
    }
}

renderer::Result<renderer::Unit> read_pod_ips(const Reader& in, Environment& out) {
    const auto text = in.find(renderer::variable::kPodIps);
    if (!text) {
        return renderer::Unit{};
    }
    std::vector<std::string> ips;
    for (std::string_view rest = *text;;) {
        const bool is_last = rest.find(',') == std::string_view::npos;
        ips.emplace_back(renderer::take(rest, ','));
        if (is_last) {
            break;
        }
    }
    if (ips.size() > 2) {
        return renderer::Error{
            {.rule = "invalid-environment",
             .message = fmt::format("invalid configuration: POD_IPs can contain at most 2 IPs, got "
                                    "{} ([{}])",
                                    ips.size(), fmt::join(ips, " "))}};
    }
    for (const std::string& ip : ips) {
        const auto address = IpAddress::parse(ip);
        if (!address) {
            return renderer::Error{{.rule = "invalid-environment",
                                    .message = fmt::format("invalid configuration: error parsing "
                                                           "IP address {}: ParseAddr({}): unable "
                                                           "to parse IP",
                                                           ip, quote_go(ip))}};
        }
        (address->is_v6() ? out.pod_ipv6 : out.pod_ipv4) = address->text();
    }
    return renderer::Unit{};
}

// Lets --accept-dns in TS_EXTRA_ARGS override TS_ACCEPT_DNS.
void take_accept_dns(Environment& out) {
    std::vector<std::string> words = fields_of(out.extra_args);
    const auto found = std::find_if(words.begin(), words.end(), [](const std::string& word) {
        return word.starts_with("--accept-dns");
    });
    if (found == words.end()) {
        return;
    }
    const std::string_view word = *found;
    const std::size_t equals = word.find('=');
    const bool is_bare = word == "--accept-dns";
    if (!is_bare && (equals == std::string_view::npos ||
                     word.find('=', equals + 1) != std::string_view::npos)) {
        out.notes.emplace_back(
            "TS_EXTRA_ARGS contains --accept-dns, but it is not in the expected format "
            "--accept-dns=<true|false>, ignoring it");
        return;
    }
    const std::string text(is_bare ? "true" : word.substr(equals + 1));
    const auto said = parse_go_bool(text);
    if (!said) {
        out.notes.push_back(
            fmt::format("TS_EXTRA_ARGS contains --accept-dns={}, which is not a "
                        "valid boolean value, ignoring it",
                        quote_go(text)));
        return;
    }
    if (*said != out.accept_dns.value_or(false)) {
        out.notes.push_back(
            fmt::format("TS_EXTRA_ARGS contains --accept-dns={}, which overrides TS_ACCEPT_DNS={}",
                        *said, out.accept_dns.value_or(false)));
        out.accept_dns = said;
    }
    words.erase(found);
    out.extra_args = fmt::format("{}", fmt::join(words, " "));
}

// Adds the brackets that "$(POD_IP):9002" lacks around an IPv6 address.
void add_brackets(Environment& out) {
    const std::size_t at =
        out.pod_ipv6.empty() ? std::string::npos : out.local_text.find(out.pod_ipv6);
    if (at != std::string::npos && out.local_text.find_first_of("[]") == std::string::npos) {
        out.local_text.replace(at, out.pod_ipv6.size(), "[" + out.pod_ipv6 + "]");
    }
}

struct Check {
    bool fails;
    std::string_view message;
};

// Returns the message of the first check that fails, in containerboot's order.
std::optional<std::string_view> failed_check(const Environment& e) {
    const bool has_login_variable =
        e.accept_dns.has_value() || !e.auth_key.empty() || e.routes.has_value() ||
        !e.extra_args.empty() || !e.hostname.empty() || !e.client_id.empty() ||
        !e.client_secret.empty() || !e.id_token.empty() || !e.audience.empty();
    const bool has_client = !e.client_id.empty() || !e.client_secret.empty() ||
                            !e.id_token.empty() || !e.audience.empty();
    const std::array checks = {
        Check{!e.dest_ip.empty() && e.userspace, "TS_DEST_IP is not supported with TS_USERSPACE"},
        Check{!e.dest_dns_name.empty() && e.userspace,
              "TS_EXPERIMENTAL_DEST_DNS_NAME is not supported with TS_USERSPACE"},
        Check{!e.dest_dns_name.empty() && !e.dest_ip.empty(),
              "TS_EXPERIMENTAL_DEST_DNS_NAME and TS_DEST_IP cannot both be set"},
        Check{!e.tailnet_target_ip.empty() && e.userspace,
              "TS_TAILNET_TARGET_IP is not supported with TS_USERSPACE"},
        Check{!e.tailnet_target_fqdn.empty() && e.userspace,
              "TS_TAILNET_TARGET_FQDN is not supported with TS_USERSPACE"},
        Check{!e.tailnet_target_fqdn.empty() && !e.tailnet_target_ip.empty(),
              "Both TS_TAILNET_TARGET_IP and TS_TAILNET_FQDN cannot be set"},
        Check{e.is_one_step() && has_login_variable,
              "TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR cannot be set in combination with "
              "TS_HOSTNAME, TS_EXTRA_ARGS, TS_AUTHKEY, TS_ROUTES, TS_ACCEPT_DNS, TS_CLIENT_ID, "
              "TS_CLIENT_SECRET, TS_ID_TOKEN, TS_AUDIENCE."},
        Check{!e.id_token.empty() && e.client_id.empty(),
              "TS_ID_TOKEN is set but TS_CLIENT_ID is not set"},
        Check{!e.audience.empty() && e.client_id.empty(),
              "TS_AUDIENCE is set but TS_CLIENT_ID is not set"},
        Check{!e.id_token.empty() && !e.client_secret.empty(),
              "TS_ID_TOKEN and TS_CLIENT_SECRET cannot both be set"},
        Check{!e.id_token.empty() && !e.audience.empty(),
              "TS_ID_TOKEN and TS_AUDIENCE cannot both be set"},
        Check{!e.audience.empty() && !e.client_secret.empty(),
              "TS_AUDIENCE and TS_CLIENT_SECRET cannot both be set"},
        Check{!e.auth_key.empty() && has_client,
              "TS_AUTHKEY cannot be used with TS_CLIENT_ID, TS_CLIENT_SECRET, TS_ID_TOKEN, or "
              "TS_AUDIENCE."},
        Check{e.cluster_traffic_via_ingress && e.userspace,
              "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS is not supported in "
              "userspace mode"},
        Check{e.cluster_traffic_via_ingress && e.serve_config.empty(),
              "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS is set but this is not a "
              "cluster ingress proxy"},
        Check{e.cluster_traffic_via_ingress && e.pod_ip.empty(),
              "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS is set but POD_IP is not "
              "set"},
        Check{e.udp_gro && e.userspace,
              "TS_EXPERIMENTAL_ENABLE_FORWARDING_OPTIMIZATIONS is not supported in userspace mode"},
    };
    const auto failed =
        std::find_if(checks.begin(), checks.end(), [](const Check& check) { return check.fails; });
    return failed == checks.end() ? std::nullopt : std::optional(failed->message);
}

std::string cannot_parse(std::string_view name, std::string_view value) {
    return fmt::format("error parsing {} value {}: not an ip:port", name, quote_go(value));
}

renderer::Result<renderer::Unit> check_addresses(const Reader& in, Environment& e) {
    if (!e.separate_health_text.empty()) {
        e.notes.emplace_back(
            "[warning] TS_HEALTHCHECK_ADDR_PORT is deprecated and will be removed in 1.82.0. "
            "Please use TS_ENABLE_HEALTH_CHECK and optionally TS_LOCAL_ADDR_PORT instead.");
        e.separate_health = AddressPort::parse(e.separate_health_text);
        if (!e.separate_health) {
            return refusal(
                cannot_parse(renderer::variable::kOldHealthAddress, e.separate_health_text));
        }
    }
    if (e.metrics || e.health || !e.egress_config.empty()) {
        e.local = AddressPort::parse(e.local_text);
        if (!e.local) {
            return refusal(cannot_parse(renderer::variable::kLocalAddress, e.local_text));
        }
    }
    if (!e.debug.empty() && !AddressPort::parse(e.debug)) {
        return refusal(cannot_parse(renderer::variable::kDebugAddress, e.debug));
    }
    if (e.health && e.separate_health) {
        return refusal(
            "TS_HEALTHCHECK_ADDR_PORT is deprecated and will be removed in 1.82.0, use "
            "TS_ENABLE_HEALTH_CHECK and optionally TS_LOCAL_ADDR_PORT");
    }
    const bool has_state = e.in_kubernetes && !e.kube_secret.empty();
    for (const auto& [name, value] :
         {std::pair(renderer::variable::kEgressConfig, &e.egress_config),
          std::pair(renderer::variable::kIngressConfig, &e.ingress_config)}) {
        if (!value->empty() && !has_state) {
            return refusal(
                fmt::format("{} is only supported for Tailscale running on Kubernetes", name));
        }
    }
    if (const std::string timeout = in.text(renderer::variable::kBootTimeout); !timeout.empty()) {
        const auto duration = parse_go_duration(timeout);
        if (!duration) {
            return refusal(
                fmt::format("error parsing TS_BOOT_TIMEOUT value {}: time: invalid "
                            "duration {}",
                            quote_go(timeout), quote_go(timeout)));
        }
        e.boot_timeout = *duration;
    }
    return renderer::Unit{};
}

void add_if(std::vector<std::string>& arguments, std::string_view flag, const std::string& value) {
    if (!value.empty()) {
        arguments.push_back(std::string(flag) + value);
    }
}

void add_fields(std::vector<std::string>& arguments, std::string_view text) {
    for (std::string& field : fields_of(text)) {
        arguments.push_back(std::move(field));
    }
}

std::string accept_dns_argument(const Environment& environment) {
    return environment.accept_dns.value_or(false) ? "--accept-dns=true" : "--accept-dns=false";
}

}  // namespace

std::string Environment::at_root(std::string_view path) const {
    std::string out = root;
    if (out.ends_with('/')) {
        out.pop_back();
    }
    return out.append(path);
}

renderer::Result<Environment> read_environment(const EnvironmentLookup& lookup) {
    const Reader in(lookup);
    Environment out;
    read_login(in, out);
    read_forwarding(in, out);
    read_process(in, out);
    read_pod(in, out);
    TRY(read_pod_ips(in, out));
    take_accept_dns(out);
    add_brackets(out);
    if (const auto message = failed_check(out)) {
        return refusal(std::string(*message));
    }
    TRY(check_addresses(in, out));
    return out;
}

std::vector<std::string> tailscaled_arguments(const Environment& e, const std::string& config) {
    std::vector<std::string> out = {"--socket=" + e.socket};
    if (!e.kube_secret.empty()) {
        out.push_back("--state=kube:" + e.kube_secret);
    } else if (e.state_dir.empty()) {
        out.emplace_back("--state=mem:");
    }
    out.push_back("--statedir=" + (e.state_dir.empty() ? "/tmp" : e.state_dir));
    if (e.userspace) {
        out.emplace_back("--tun=userspace-networking");
    }
    add_if(out, "--socks5-server=", e.socks5);
    add_if(out, "--outbound-http-proxy-listen=", e.http_proxy);
    add_if(out, "--config=", config);
    if (e.daemon_args.find(e.debug) == std::string::npos) {
        add_if(out, "--debug=", e.debug);
    }
    add_fields(out, e.daemon_args);
    return out;
}

std::vector<std::string> up_arguments(const Environment& e) {
    std::vector<std::string> out = {"--socket=" + e.socket, "up", accept_dns_argument(e)};
    add_if(out, "--authkey=", e.auth_key);
    add_if(out, "--client-id=", e.client_id);
    add_if(out, "--client-secret=", e.client_secret);
    add_if(out, "--id-token=", e.id_token);
    add_if(out, "--audience=", e.audience);
    if (e.routes) {
        out.push_back("--advertise-routes=" + *e.routes);
    }
    add_if(out, "--hostname=", e.hostname);
    add_fields(out, e.extra_args);
    return out;
}

std::vector<std::string> set_arguments(const Environment& e) {
    std::vector<std::string> out = {"--socket=" + e.socket, "set", accept_dns_argument(e)};
    if (e.routes) {
        out.push_back("--advertise-routes=" + *e.routes);
    }
    add_if(out, "--hostname=", e.hostname);
    return out;
}

}  // namespace runtime::proxy
