#include "runtime/proxy/environment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace runtime::proxy {
namespace {

using Variables = std::map<std::string, std::string>;

renderer::Result<Environment> read(const Variables& variables) {
    return read_environment([&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

// Returns "" if the environment is accepted.
std::string refusal(const Variables& variables) {
    auto environment = read(variables);
    constexpr std::string_view kPrefix = "invalid configuration: ";
    if (environment) {
        return {};
    }
    std::string message = environment.error().diagnostic.message;
    EXPECT_TRUE(message.starts_with(kPrefix)) << message;
    while (message.starts_with(kPrefix)) {
        message.erase(0, kPrefix.size());
    }
    return message;
}

TEST(Environment, HasContainerbootsDefaults) {
    const Environment e = std::move(*read({}));
    EXPECT_TRUE(e.userspace && e.auto_advertise && !e.auth_once && !e.in_kubernetes);
    EXPECT_TRUE(!e.metrics && !e.health && !e.local && !e.forwards() && !e.is_one_step());
    EXPECT_EQ(e.socket, "/tmp/tailscaled.sock");
    EXPECT_EQ(e.kube_secret, "");
    EXPECT_EQ(e.local_text, "[::]:9002");
    EXPECT_EQ(e.boot_timeout, std::chrono::seconds(60));
    EXPECT_FALSE(e.routes.has_value() || e.accept_dns.has_value());
    EXPECT_EQ(e.at_root("/dev/net/tun"), "/dev/net/tun");
}

TEST(Environment, TellsSetToNothingFromNotSetOnlyWhereThatMeansSomething) {
    const Variables in_kubernetes = {{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}};
    const auto with = [&](Variables more) {
        more.merge(Variables(in_kubernetes));
        return std::move(*read(more));
    };
    EXPECT_EQ(with({}).kube_secret, "tailscale");
    EXPECT_EQ(with({}).kube_port, "443");
    EXPECT_EQ(with({{"TS_KUBE_SECRET", ""}}).kube_secret, "");
    EXPECT_EQ(with({{"TS_KUBE_SECRET", "a"}}).kube_secret, "a");
    EXPECT_EQ(read({{"TS_ROUTES", ""}})->routes, "");
    EXPECT_EQ(read({{"TS_SOCKET", ""}})->socket, "/tmp/tailscaled.sock");
    EXPECT_EQ(read({{"TS_AUTHKEY", ""}, {"TS_AUTH_KEY", "k"}})->auth_key, "k");
    EXPECT_EQ(read({{"TS_AUTHKEY", "j"}, {"TS_AUTH_KEY", "k"}})->auth_key, "j");
    EXPECT_EQ(read({{"TS_TEST_ONLY_ROOT", "/r/"}})->at_root("/dev"), "/r/dev");
}

TEST(Environment, ReadsBoolsAsGoDoes) {
    for (const std::string text : {"0", "f", "F", "FALSE", "false", "False"}) {
        EXPECT_FALSE(read({{"TS_USERSPACE", text}})->userspace) << text;
    }
    for (const std::string text : {"1", "t", "T", "TRUE", "true", "True", "no", "fAlse", ""}) {
        EXPECT_TRUE(read({{"TS_USERSPACE", text}})->userspace) << text;
    }
}

TEST(Environment, ReadsDurationsAsGoDoes) {
    struct Row {
        std::string_view text;
        std::optional<long> milliseconds;
    };
    for (const Row& row : {Row{"90s", 90000}, Row{"1h2m3.5s", 3723500}, Row{"1.5m", 90000},
                           Row{"0", 0}, Row{"-2s", -2000}, Row{"+2s", 2000}, Row{"250ms", 250},
                           Row{"1us", 0}, Row{"", {}}, Row{"90", {}}, Row{"s", {}}, Row{"1x", {}},
                           Row{"1s2", {}}, Row{"1..5s", {}}, Row{"99999999999h", {}}}) {
        const auto read = parse_go_duration(row.text);
        EXPECT_EQ(read ? std::optional(read->count()) : std::nullopt, row.milliseconds) << row.text;
    }
    EXPECT_EQ(refusal({{"TS_BOOT_TIMEOUT", "1 minute"}}),
              "error parsing TS_BOOT_TIMEOUT value \"1 minute\": time: invalid duration \"1 "
              "minute\"");
}

TEST(Environment, TakesAcceptDnsOutOfTheExtraArguments) {
    struct Row {
        std::string args, accept, want_args;
        std::optional<bool> want;
        std::size_t notes;
    };
    for (const Row& row : {
             Row{"--accept-dns", "", "", true, 1},
             Row{"--widget=x --accept-dns=true  --y", "", "--widget=x --y", true, 1},
             Row{"--accept-dns=false", "true", "", false, 1},
             Row{"--accept-dns=false", "", "", std::nullopt, 0},
             Row{"--accept-dns=maybe", "true", "--accept-dns=maybe", true, 1},
             Row{"--accept-dnsx", "", "--accept-dnsx", std::nullopt, 1},
             Row{"--accept-dns=a=b", "", "--accept-dns=a=b", std::nullopt, 1},
             Row{"--widget", "true", "--widget", true, 0},
         }) {
        const Environment e =
            std::move(*read({{"TS_EXTRA_ARGS", row.args}, {"TS_ACCEPT_DNS", row.accept}}));
        EXPECT_EQ(e.extra_args, row.want_args) << row.args;
        EXPECT_EQ(e.accept_dns, row.want) << row.args;
        EXPECT_EQ(e.notes.size(), row.notes) << row.args;
    }
}

TEST(Environment, ReadsThePodsAddresses) {
    const Environment e = std::move(*read({{"POD_IPS", "10.1.2.3,FD00::3"}}));
    EXPECT_EQ(e.pod_ipv4, "10.1.2.3");
    EXPECT_EQ(e.pod_ipv6, "fd00::3");
    EXPECT_EQ(refusal({{"POD_IPS", "1.1.1.1,2.2.2.2,3.3.3.3"}}),
              "POD_IPs can contain at most 2 IPs, got 3 ([1.1.1.1 2.2.2.2 3.3.3.3])");
    for (const std::string text : {"", "10.1.2.3,", "x"}) {
        EXPECT_TRUE(refusal({{"POD_IPS", text}}).starts_with("error parsing IP address ")) << text;
    }
}

TEST(Environment, ListensAtTheGivenAddress) {
    const Environment e = std::move(*read({{"POD_IPS", "fd00::3"},
                                           {"TS_LOCAL_ADDR_PORT", "fd00::3:9002"},
                                           {"TS_ENABLE_METRICS", "true"}}));
    EXPECT_EQ(e.local->address.text(), "fd00::3");
    EXPECT_EQ(e.local->port, 9002);
    // The address is read only if something listens.
    EXPECT_EQ(refusal({{"TS_LOCAL_ADDR_PORT", "nonsense"}}), "");
    for (const char* name : {"TS_ENABLE_METRICS", "TS_ENABLE_HEALTH_CHECK"}) {
        EXPECT_EQ(refusal({{"TS_LOCAL_ADDR_PORT", "nonsense"}, {name, "true"}}),
                  "error parsing TS_LOCAL_ADDR_PORT value \"nonsense\": not an ip:port");
    }
    EXPECT_EQ(refusal({{"TS_HEALTHCHECK_ADDR_PORT", "x"}}),
              "error parsing TS_HEALTHCHECK_ADDR_PORT value \"x\": not an ip:port");
    EXPECT_EQ(refusal({{"TS_DEBUG_ADDR_PORT", "x"}}),
              "error parsing TS_DEBUG_ADDR_PORT value \"x\": not an ip:port");
    EXPECT_EQ(refusal({{"TS_HEALTHCHECK_ADDR_PORT", "[::]:1"}, {"TS_ENABLE_HEALTH_CHECK", "1"}}),
              "TS_HEALTHCHECK_ADDR_PORT is deprecated and will be removed in 1.82.0, use "
              "TS_ENABLE_HEALTH_CHECK and optionally TS_LOCAL_ADDR_PORT");
    const Environment deprecated = std::move(*read({{"TS_HEALTHCHECK_ADDR_PORT", "[::]:1"}}));
    EXPECT_EQ(deprecated.separate_health->port, 1);
    EXPECT_EQ(deprecated.notes.size(), 1U);
}

// Every pair of variables that choose a mode or a login, and containerboot's documented rules for
// them: the first broken rule is the one that is reported.
TEST(Environment, RefusesPairsThatExcludeEachOther) {
    const Variables values = {
        {"TS_AUTHKEY", "k"},
        {"TS_CLIENT_ID", "c"},
        {"TS_CLIENT_SECRET", "s"},
        {"TS_ID_TOKEN", "t"},
        {"TS_AUDIENCE", "a"},
        {"TS_HOSTNAME", "h"},
        {"TS_EXTRA_ARGS", "--x"},
        {"TS_ROUTES", ""},
        {"TS_ACCEPT_DNS", "false"},
        {"TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR", "/etc/tsconfig"},
        {"TS_USERSPACE", "false"},
        {"TS_DEST_IP", "10.96.0.9"},
        {"TS_EXPERIMENTAL_DEST_DNS_NAME", "web.shop"},
        {"TS_TAILNET_TARGET_IP", "100.64.0.9"},
        {"TS_TAILNET_TARGET_FQDN", "db.t.ts.net"},
        {"EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS", "true"},
        {"TS_SERVE_CONFIG", "/etc/serve"},
        {"TS_EXPERIMENTAL_ENABLE_FORWARDING_OPTIMIZATIONS", "true"},
        {"TS_EGRESS_PROXIES_CONFIG_PATH", "/etc/egress"},
        {"TS_INGRESS_PROXIES_CONFIG_PATH", "/etc/ingress"},
        {"KUBERNETES_SERVICE_HOST", "10.96.0.1"},
        {"POD_IP", "10.1.2.3"},
    };
    const auto want = [](const Variables& set) -> std::string {
        const auto has = [&](const char* name) { return set.contains(name); };
        const bool kernel = has("TS_USERSPACE");
        for (const char* name : {"TS_DEST_IP", "TS_EXPERIMENTAL_DEST_DNS_NAME"}) {
            if (has(name) && !kernel) {
                return fmt::format("{} is not supported with TS_USERSPACE", name);
            }
        }
        for (const char* name : {"TS_TAILNET_TARGET_IP", "TS_TAILNET_TARGET_FQDN"}) {
            if (has(name) && !kernel) {
                return fmt::format("{} is not supported with TS_USERSPACE", name);
            }
        }
        if (has("TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR")) {
            for (const char* name :
                 {"TS_AUTHKEY", "TS_CLIENT_ID", "TS_CLIENT_SECRET", "TS_ID_TOKEN", "TS_AUDIENCE",
                  "TS_HOSTNAME", "TS_EXTRA_ARGS", "TS_ROUTES", "TS_ACCEPT_DNS"}) {
                if (has(name)) {
                    return "TS_EXPERIMENTAL_VERSIONED_CONFIG_DIR cannot be set in combination with "
                           "TS_HOSTNAME, TS_EXTRA_ARGS, TS_AUTHKEY, TS_ROUTES, TS_ACCEPT_DNS, "
                           "TS_CLIENT_ID, TS_CLIENT_SECRET, TS_ID_TOKEN, TS_AUDIENCE.";
                }
            }
        }
        for (const char* name : {"TS_ID_TOKEN", "TS_AUDIENCE"}) {
            if (has(name) && !has("TS_CLIENT_ID")) {
                return fmt::format("{} is set but TS_CLIENT_ID is not set", name);
            }
        }
        if (has("TS_AUTHKEY") && (has("TS_CLIENT_ID") || has("TS_CLIENT_SECRET"))) {
            return "TS_AUTHKEY cannot be used with TS_CLIENT_ID, TS_CLIENT_SECRET, TS_ID_TOKEN, or "
                   "TS_AUDIENCE.";
        }
        if (has("EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS")) {
            if (!kernel) {
                return "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS is not supported "
                       "in "
                       "userspace mode";
            }
            return "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS is set but this is not "
                   "a cluster ingress proxy";
        }
        if (has("TS_EXPERIMENTAL_ENABLE_FORWARDING_OPTIMIZATIONS") && !kernel) {
            return "TS_EXPERIMENTAL_ENABLE_FORWARDING_OPTIMIZATIONS is not supported in userspace "
                   "mode";
        }
        for (const char* name :
             {"TS_EGRESS_PROXIES_CONFIG_PATH", "TS_INGRESS_PROXIES_CONFIG_PATH"}) {
            if (has(name) && !has("KUBERNETES_SERVICE_HOST")) {
                return fmt::format("{} is only supported for Tailscale running on Kubernetes",
                                   name);
            }
        }
        return {};
    };
    int refused = 0;
    for (auto one = values.begin(); one != values.end(); ++one) {
        for (auto other = one; other != values.end(); ++other) {
            const Variables set = {*one, *other};
            EXPECT_EQ(refusal(set), want(set)) << one->first << " with " << other->first;
            refused += refusal(set).empty() ? 0 : 1;
        }
    }
    EXPECT_EQ(refused, 175);
}

TEST(Environment, RefusesWhatTakesThreeToBreak) {
    const auto kernel = [](Variables more) {
        more.emplace("TS_USERSPACE", "false");
        return refusal(more);
    };
    EXPECT_EQ(kernel({{"TS_DEST_IP", "1.1.1.1"}, {"TS_EXPERIMENTAL_DEST_DNS_NAME", "x"}}),
              "TS_EXPERIMENTAL_DEST_DNS_NAME and TS_DEST_IP cannot both be set");
    EXPECT_EQ(kernel({{"TS_TAILNET_TARGET_IP", "1.1.1.1"}, {"TS_TAILNET_TARGET_FQDN", "x"}}),
              "Both TS_TAILNET_TARGET_IP and TS_TAILNET_FQDN cannot be set");
    EXPECT_EQ(kernel({{"TS_TAILNET_TARGET_IP", "1.1.1.1"}, {"TS_DEST_IP", "1.1.1.1"}}), "");
    EXPECT_EQ(
        kernel({{"EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS", "1"},
                {"TS_SERVE_CONFIG", "x"}}),
        "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS is set but POD_IP is not set");
    const std::pair<const std::string, std::string> client = {"TS_CLIENT_ID", "c"};
    EXPECT_EQ(refusal({client, {"TS_ID_TOKEN", "t"}, {"TS_CLIENT_SECRET", "s"}}),
              "TS_ID_TOKEN and TS_CLIENT_SECRET cannot both be set");
    EXPECT_EQ(refusal({client, {"TS_ID_TOKEN", "t"}, {"TS_AUDIENCE", "s"}}),
              "TS_ID_TOKEN and TS_AUDIENCE cannot both be set");
    EXPECT_EQ(refusal({client, {"TS_AUDIENCE", "t"}, {"TS_CLIENT_SECRET", "s"}}),
              "TS_AUDIENCE and TS_CLIENT_SECRET cannot both be set");
    EXPECT_EQ(
        refusal({{"KUBERNETES_SERVICE_HOST", "10.96.0.1"},
                 {"TS_KUBE_SECRET", ""},
                 {"TS_EGRESS_PROXIES_CONFIG_PATH", "x"}}),
        "TS_EGRESS_PROXIES_CONFIG_PATH is only supported for Tailscale running on Kubernetes");
}

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

TEST(Arguments, AreContainerboots) {
    struct Row {
        Variables variables;
        std::string_view tailscaled, up, set;
    };
    for (const Row& row : {
             Row{{},
                 "--socket=/tmp/tailscaled.sock --state=mem: --statedir=/tmp "
                 "--tun=userspace-networking",
                 "--socket=/tmp/tailscaled.sock up --accept-dns=false",
                 "--socket=/tmp/tailscaled.sock set --accept-dns=false"},
             Row{{{"TS_SOCKET", "/s"},
                  {"TS_STATE_DIR", "/d"},
                  {"TS_USERSPACE", "false"},
                  {"TS_AUTHKEY", "k"},
                  {"TS_ROUTES", ""},
                  {"TS_HOSTNAME", "h"},
                  {"TS_ACCEPT_DNS", "true"},
                  {"TS_EXTRA_ARGS", " --a  --b "}},
                 "--socket=/s --statedir=/d",
                 "--socket=/s up --accept-dns=true --authkey=k --advertise-routes= --hostname=h "
                 "--a --b",
                 "--socket=/s set --accept-dns=true --advertise-routes= --hostname=h"},
             Row{{{"KUBERNETES_SERVICE_HOST", "10.96.0.1"},
                  {"TS_CLIENT_ID", "c"},
                  {"TS_AUDIENCE", "a"},
                  {"TS_SOCKS5_SERVER", ":1080"},
                  {"TS_OUTBOUND_HTTP_PROXY_LISTEN", ":8080"},
                  {"TS_DEBUG_ADDR_PORT", "10.1.2.3:9001"},
                  {"TS_TAILSCALED_EXTRA_ARGS", "--x --y"}},
                 "--socket=/tmp/tailscaled.sock --state=kube:tailscale --statedir=/tmp "
                 "--tun=userspace-networking --socks5-server=:1080 "
                 "--outbound-http-proxy-listen=:8080 --debug=10.1.2.3:9001 --x --y",
                 "--socket=/tmp/tailscaled.sock up --accept-dns=false --client-id=c --audience=a",
                 "--socket=/tmp/tailscaled.sock set --accept-dns=false"},
             Row{{{"TS_DEBUG_ADDR_PORT", "10.1.2.3:9001"},
                  {"TS_TAILSCALED_EXTRA_ARGS", "--debug=10.1.2.3:9001"}},
                 "--socket=/tmp/tailscaled.sock --state=mem: --statedir=/tmp "
                 "--tun=userspace-networking --debug=10.1.2.3:9001",
                 "--socket=/tmp/tailscaled.sock up --accept-dns=false",
                 "--socket=/tmp/tailscaled.sock set --accept-dns=false"},
         }) {
        const Environment e = std::move(*read(row.variables));
        EXPECT_EQ(joined(tailscaled_arguments(e, "")), row.tailscaled);
        EXPECT_EQ(joined(up_arguments(e)), row.up);
        EXPECT_EQ(joined(set_arguments(e)), row.set);
    }
    EXPECT_EQ(tailscaled_arguments(*read({}), "/etc/c/cap-107.hujson").back(),
              "--config=/etc/c/cap-107.hujson");
}

}  // namespace
}  // namespace runtime::proxy
