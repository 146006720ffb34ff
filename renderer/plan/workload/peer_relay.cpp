#include "renderer/plan/workload/peer_relay.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "renderer/contract/environment.h"
#include "renderer/contract/ports.h"
#include "renderer/contract/relay_config.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/class/proxy_classes.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/routes.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/tailnets.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kPeerRelayRule = "peer-relay: a PeerRelay, public by its load balancers";
constexpr std::string_view kRelayAdvice = "choose another \"spec.hostnamePrefix\"";
// The limit of a StatefulSet's name: the label controller-revision-hash adds up to eleven bytes to
// it.
constexpr std::size_t kMaxName = 52 - kRelaySetPrefix.size();
constexpr int kRelayCapability = 142;
constexpr int kEndpointsCapability = 148;

struct Endpoint {
    Route address;
    int port = 0;
};

std::optional<int> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() ? std::optional<int>(port)
                                                                    : std::nullopt;
}

// Parses "203.0.113.7:41641" and "[2001:db8::7]:41641".
std::optional<Endpoint> parse_endpoint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view address = text.substr(0, colon);
    const bool in_brackets = address.starts_with('[') && address.ends_with(']');
    if (in_brackets) {
        address = address.substr(1, address.size() - 2);
    }
    const std::optional<int> port = parse_port(text.substr(colon + 1));
    const std::optional<Route> route =
        parse_route(fmt::format("{}/{}", address, in_brackets ? 128 : 32));
    if (!port || !route || route->v6 != in_brackets) {
        return std::nullopt;
    }
    return Endpoint{*route, *port};
}

class PeerRelayPlanner {
public:
    PeerRelayPlanner(const classify::CustomResource& relay, const ProxyInputs& inputs,
                     Diagnostics& diagnostics)
        : relay_(relay),
          inputs_(inputs),
          out_(diagnostics),
          spec_(relay.fields()),
          service_(spec_.map("service")) {}

    Workload run() {
        const std::size_t before = out_.error_count();
        check_custom_resource(relay_, out_);
        check_name();
        check_replicas();
        check_annotations(relay_, service_.map("annotations"), out_);
        Workload made = start_workload(relay_, kPeerRelayRule, inputs_);
        made.name = fmt::format("{}{}", kRelaySetPrefix, relay_.name);
        made.account = made.name;
        made.add_parent_labels(false);
        made.pull_policy.clear();  // left to the cluster
        made.tags = device_tags(tags(), inputs_.settings);
        made.tailnet = spec_.text("tailnet");
        made.server_url =
            inputs_.tailnets.server_url(relay_, {made.tailnet, spec_.pos("tailnet")}, out_);
        made.proxy_class = inputs_.classes.named(
            relay_, {spec_.text("proxyClass"), spec_.pos("proxyClass")}, out_);
        check_class(made.proxy_class);
        choose_dataplane(relay_, inputs_.settings, made, out_);
        made.volumes = {kConfigVolume, kAuthVolume};
        const bool is_sound = out_.error_count() == before;
        name_hosts(made, is_sound);
        claim_names(made);
        PeerRelayPlan feature = plan_relay();
        made.target_text = fmt::format("udp/{}", feature.port);
        made.feature = std::move(feature);
        return made;
    }

private:
    [[nodiscard]] bool has_endpoints() const {
        return inputs_.settings.release.has(Trait::RelayEndpoints);
    }
    [[nodiscard]] std::int64_t replicas() const { return spec_.number("replicas").value_or(1); }

    // Checks the name, from which names of pods and Services and a label are derived.
    void check_name() {
        if (!is_dns1123_subdomain(relay_.name)) {
            return;
        }
        if (relay_.name.size() > kMaxName) {
            classify::about(relay_, out_)
                .error("name-too-long", relay_.name_pos(),
                       "the name is too long for those of the relay's objects")
                .found(fmt::format("{} bytes", relay_.name.size()))
                .expected(fmt::format("at most {} bytes", kMaxName))
                .hint("choose a shorter name");
        } else if (relay_.name.find('.') != std::string_view::npos) {
            report_invalid(relay_, relay_.name_pos(),
                           "the name has a dot, but the relay's Services are named after it",
                           fmt::format("\"{}\"", relay_.name),
                           "lower-case letters, digits and \"-\"", out_);
        }
    }

    void check_replicas() {
        if (replicas() < 0 || replicas() > kMaxReplicas) {
            report_invalid(relay_, spec_.pos("replicas"), "spec.replicas is out of range",
                           fmt::format("{}", replicas()),
                           fmt::format("a number from 0 to {}", kMaxReplicas), out_);
        }
    }

    std::vector<std::string> tags() {
        const std::vector<classify::TextInput> wanted = spec_.texts("tags");
        check_tags(relay_, wanted, "tag:relay", out_);
        return spec_tags(wanted, inputs_.settings.default_tags);
    }

    // Refuses duplicate variables: the operator applies the pods in a way that does not allow them.
    void check_class(const ProxyClassPlan* chosen) {
        std::set<std::string_view> names = {variable::kPodName, variable::kConfigDir,
                                            variable::kKubeSecret};
        if (inputs_.settings.release.has(Trait::RelayHealth)) {
            names.insert(variable::kHealthCheck);
        }
        if (chosen == nullptr) {
            return;
        }
        for (const ClassEnv& entry : chosen->container.env) {
            if (!names.insert(entry.name).second) {
                classify::about(relay_, out_)
                    .error("duplicate-env", spec_.pos("proxyClass"),
                           fmt::format("the pods of this PeerRelay would have \"{}\" twice",
                                       entry.name))
                    .expected("variables that the pods do not have, each once")
                    .hint("remove it from the ProxyClass")
                    .note({.pos = chosen->container.pos,
                           .object = chosen->origin.parent,
                           .text = "sets it"});
            }
        }
    }

    void name_hosts(Workload& made, bool is_sound) {
        const classify::TextInput wanted =
            spec_.placed("hostnamePrefix").value_or(classify::TextInput());
        const Hostname prefix = wanted.text.empty()
                                    ? Hostname{std::string(relay_.name), relay_.name_pos()}
                                    : Hostname{std::string(wanted.text), wanted.pos};
        made.hostname_pos = prefix.pos;
        made.hostname_advice = kRelayAdvice;
        if (!wanted.text.empty() && !is_hostname_prefix(wanted.text)) {
            classify::about(relay_, out_)
                .error("invalid-hostname", wanted.pos,
                       fmt::format("invalid hostnamePrefix \"{}\"", wanted.text))
                .expected("1 to 62 lower-case letters, digits and dashes, no dash first");
            return;
        }
        const std::size_t before = out_.error_count();
        for (std::int64_t i = 0; is_sound && i < replicas() && out_.error_count() == before; ++i) {
            made.hostnames.push_back(
                checked_hostname(relay_, {fmt::format("{}-{}", prefix.text, i), prefix.pos},
                                 kRelayAdvice, inputs_.settings, out_));
        }
    }

    void claim_names(Workload& made) const {
        made.claim({"Role", "RoleBinding", "ServiceAccount", "StatefulSet"}, made.name);
        for (std::size_t i = 0; i < made.hostnames.size(); ++i) {
            made.claim({"Service"}, made.pod(i));
        }
        made.claim({"ConfigMap"}, fmt::format("{}{}", kRelayPrefix, relay_.name));
    }

    PeerRelayPlan plan_relay() {
        PeerRelayPlan made;
        made.capability = has_endpoints() ? kEndpointsCapability : kRelayCapability;
        made.port = has_endpoints() ? service_.number("port").value_or(port::kRelay) : port::kRelay;
        check_port(made.port);
        made.annotations = service_.map("annotations");
        plan_elastic_ips(made);
        if (has_endpoints()) {
            plan_static_endpoints(made);
        }
        return made;
    }

    void check_port(std::int64_t port) {
        if (port < 1 || port > std::numeric_limits<std::uint16_t>::max()) {
            report_invalid(relay_, service_.pos("port"), "spec.service.port is out of range",
                           fmt::format("{}", port), "a number from 1 to 65535", out_);
        }
    }

    void plan_elastic_ips(PeerRelayPlan& made) {
        const classify::Fields aws(spec_.map("aws"));
        const Value* addresses = aws.list("elasticIPs");
        if (addresses == nullptr) {
            return;
        }
        for (const Value& one : addresses->items()) {
            const classify::Fields pair(&one);
            made.elastic_ips.push_back({pair.text("allocationID"), pair.text("subnetID")});
        }
        if (static_cast<std::int64_t>(made.elastic_ips.size()) < replicas()) {
            classify::about(relay_, out_)
                .error("too-few-elastic-ips", aws.pos("elasticIPs"),
                       "spec.aws.elasticIPs must have an entry for each replica")
                .found(fmt::format("{} for {} replicas", made.elastic_ips.size(), replicas()))
                .hint("add Elastic IPs, or set a smaller spec.replicas");
        }
    }

    void plan_static_endpoints(PeerRelayPlan& made) {
        std::map<Route, classify::TextInput> seen;
        for (const classify::TextInput& text : spec_.texts("staticEndpoints")) {
            const std::optional<Endpoint> endpoint = parse_endpoint(text.text);
            if (!endpoint || endpoint->port == 0) {
                refuse_endpoint(text,
                                endpoint ? "port 0 is not allowed" : "not an address and a port");
                continue;
            }
            const auto [first, is_new] = seen.emplace(endpoint->address, text);
            if (!is_new) {
                classify::about(relay_, out_)
                    .error(
                        "invalid-static-endpoint", text.pos,
                        fmt::format("a second static endpoint of one address: \"{}\"", text.text))
                    .expected("one port for each address")
                    .note({.pos = first->second.pos, .text = "also has that address"});
            }
            made.static_endpoints.push_back(text.text);
        }
    }

    void refuse_endpoint(const classify::TextInput& text, std::string_view wrong) {
        classify::about(relay_, out_)
            .error("invalid-static-endpoint", text.pos,
                   fmt::format("invalid static endpoint \"{}\": {}", text.text, wrong))
            .expected("such as \"203.0.113.7:41641\" or \"[2001:db8::7]:41641\"");
    }

    const classify::CustomResource& relay_;
    const ProxyInputs& inputs_;
    Diagnostics& out_;
    classify::Fields spec_, service_;
};

}  // namespace

std::vector<Workload> plan_peer_relays(const classify::Inventory& inventory,
                                       const ProxyInputs& inputs, Diagnostics& diagnostics) {
    std::vector<Workload> relays;
    if (!inputs.settings.release.has(Trait::Relays)) {
        return relays;  // reported
    }
    for (const classify::CustomResource& relay : inventory.of(kind_of("PeerRelay"))) {
        if (is_rendered(inputs.loaded, *relay.doc)) {
            relays.push_back(PeerRelayPlanner(relay, inputs, diagnostics).run());
        }
    }
    std::ranges::stable_sort(relays, {}, &Workload::name);
    return relays;
}

}  // namespace renderer::plan
