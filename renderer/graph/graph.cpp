#include "renderer/graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/graph/collect.h"
#include "renderer/graph/nodes.h"
#include "renderer/graph/pods.h"

namespace renderer::graph {
namespace {

using classify::ServiceInput;
using plan::Workload;

// Returns the labels of an edge that has one or none.
std::vector<std::string> filled(const std::string& label) {
    return label.empty() ? std::vector<std::string>() : std::vector{label};
}

class GraphMaker {
public:
    GraphMaker(const load::Loaded& loaded, const classify::Inventory& inventory,
               const plan::Plan& plan)
        : loaded_(loaded),
          plan_(plan),
          services_(services_in(inventory)),
          pods_(loaded, namespaces_in(plan)) {
        for (const plan::DeviceRow& row : plan.devices) {
            kept_.emplace(row.pos, row.kept);
        }
    }

    Graph run() {
        for (const Workload& one : plan_.workloads) {
            add_workload(one);
        }
        for (const plan::OfferedService& one : plan_.offered) {
            add_offered(one);
        }
        for (const plan::EgressMember& one : plan_.egress_members) {
            add_member(one);
        }
        return ways_.finish(loaded_.cluster);
    }

private:
    using Services = std::map<ServiceName, const ServiceInput*>;

    static Services services_in(const classify::Inventory& inventory) {
        Services services;
        for (const ServiceInput& one : inventory.services) {
            const ServiceInput*& known = services[{std::string(one.ns), std::string(one.name)}];
            if (known == nullptr || (!known->doc->reachable && one.doc->reachable)) {
                known = &one;
            }
        }
        return services;
    }

    static std::set<std::string> namespaces_in(const plan::Plan& plan) {
        std::set<std::string> namespaces;
        for (const Workload& one : plan.workloads) {
            namespaces.insert(one.parent_ns);
        }
        for (const plan::OfferedService& one : plan.offered) {
            namespaces.insert(names_in(one.origin.parent).ns);
        }
        return namespaces;
    }

    [[nodiscard]] const ServiceInput* find(const ServiceName& name) const {
        const auto found = services_.find(name);
        return found == services_.end() ? nullptr : found->second;
    }

    void describe(const std::vector<std::string>& tags, Pos parent, Node& device) const {
        if (!tags.empty()) {
            device.details.push_back(fmt::format("{}", fmt::join(tags, ", ")));
        }
        const auto kept = kept_.find(parent);
        if (kept != kept_.end() && !kept->second.empty()) {
            device.details.push_back(fmt::format("kept: {}", kept->second));
        }
    }

    [[nodiscard]] Node tailnet_node(const std::string& tailnet) const {
        const std::string& name = tailnet.empty() ? plan_.settings.tailnet_domain : tailnet;
        Node node{.id = tailnet.empty() ? "tailnet" : fmt::format("tailnet/{}", tailnet),
                  .kind = NodeKind::Tailnet,
                  .title = name,
                  .details = {}};
        (name.empty() ? node.title : node.details.emplace_back()) = "whom its policy allows";
        return node;
    }

    [[nodiscard]] Node device_of(const Workload& one, const std::string& hostname,
                                 bool is_public) const {
        Node node = device_node(NodeKind::Device, one.tailnet, hostname);
        node.is_public = is_public;
        describe(one.tags, one.origin.pos, node);
        return node;
    }

    // The proxy; that of a group or a nameserver says what devices of others say.
    [[nodiscard]] Node drawn_proxy(const Workload& one) const {
        Node node = proxy_node(one);
        const bool is_group = one.as<plan::ProxyGroupPlan>() != nullptr;
        if (is_group || one.as<plan::NameserverPlan>() != nullptr) {
            describe(is_group ? one.tags : std::vector<std::string>(), one.origin.pos, node);
        }
        return node;
    }

    [[nodiscard]] Node service_node(const ServiceName& name) const {
        Node node = bare_service(name);
        const ServiceInput* service = find(name);
        if (service == nullptr) {
            node.details.emplace_back("not in the tree");
        } else if (service->type != classify::ServiceType::ExternalName &&
                   members_of(service->doc->root.at({"spec", "selector"})).empty()) {
            node.details.emplace_back("without a selector");
        }
        return node;
    }

    // The Service, and what is behind it: one row for each workload that it selects.
    [[nodiscard]] std::vector<Steps> behind(const ServiceName& name) const {
        const Node service = service_node(name);
        std::vector<Steps> rows;
        const ServiceInput* input = find(name);
        if (input == nullptr) {
            return {{{service}}};
        }
        if (input->type == classify::ServiceType::ExternalName) {
            return {{{service}, {dns_name(without_dot(input->external_name))}}};
        }
        const Value* selector = input->doc->root.at({"spec", "selector"});
        for (const PodOwner* owner : pods_.selected(name.ns, selector)) {
            rows.push_back(
                {{service},
                 {{.id = fmt::format("workload/{}/{}/{}", owner->kind, name.ns, owner->name),
                   .kind = NodeKind::Workload,
                   .title = fmt::format("{} {}/{}", owner->kind, name.ns, owner->name),
                   .details = {}}}});
        }
        std::vector<std::string> labels;
        for (const Member& label : members_of(selector)) {
            labels.push_back(fmt::format("{}={}", label.name(), spelling_of(label.value)));
        }
        std::ranges::sort(labels);
        if (rows.empty() && !labels.empty()) {
            const std::string text = fmt::format("{}", fmt::join(labels, ","));
            rows.push_back({{service},
                            {{.id = fmt::format("pods/{}/{}", name.ns, text),
                              .kind = NodeKind::Pods,
                              .title = text,
                              .details = {fmt::format("namespace {}", name.ns)}}}});
        }
        return rows.empty() ? std::vector<Steps>{{{service}}} : rows;
    }

    struct Tail {
        std::string label;
        Steps steps;
    };

    void add_behind(const ServiceName& name, const std::string& label,
                    std::vector<Tail>& tails) const {
        for (Steps& steps : behind(name)) {
            tails.push_back({label, std::move(steps)});
        }
    }

    // `offer` is "" or what it is offered as: "svc:docs ".
    [[nodiscard]] std::vector<Tail> served(const std::string& ns,
                                           const std::vector<plan::ServeHandler>& handlers,
                                           const std::string& offer) const {
        std::vector<Tail> tails;
        for (const plan::ServeHandler& handler : handlers) {
            add_behind({ns, handler.service},
                       fmt::format("{}{} to {}", offer, handler.path, handler.port), tails);
        }
        return tails;
    }

    // Where the traffic of one workload goes, and under which labels.
    [[nodiscard]] std::vector<Tail> tails_of(const Workload& one) const {
        std::vector<Tail> tails;
        if (const auto* proxy = one.as<plan::ProxyPlan>()) {
            if (proxy->target == plan::Target::Routes) {
                return routes_of(*proxy, one);
            }
            if (proxy->target == plan::Target::Serve) {
                return served(one.parent_ns, proxy->handlers, "");
            }
            const ServiceName name{one.parent_ns, one.parent_name};
            add_behind(name, ports_text(find(name)), tails);
        } else if (one.as<plan::RecorderPlan>() != nullptr) {
            tails.push_back({"recordings",
                             {{{.id = fmt::format("storage/{}", one.target_text),
                                .kind = NodeKind::Storage,
                                .title = one.target_text,
                                .details = {}}}}});
        } else if (one.as<plan::ApiProxyPlan>() != nullptr) {
            tails.push_back({"", {{kubernetes_api()}}});
        }
        return tails;
    }

    static std::vector<Tail> routes_of(const plan::ProxyPlan& proxy, const Workload& one) {
        std::vector<Tail> tails;
        for (const std::string& route : proxy.routes) {
            const bool is_exit = route == "0.0.0.0/0" || route == "::/0";
            Node node{.id = is_exit ? "exit-node" : fmt::format("route/{}", route),
                      .kind = is_exit ? NodeKind::ExitNode : NodeKind::Route,
                      .title = is_exit ? "the internet" : route,
                      .details = {}};
            tails.push_back({"", {{std::move(node)}}});
        }
        if (proxy.app_connector) {
            tails.push_back({"",
                             {{{.id = fmt::format("app-connector/{}", one.parent_name),
                                .kind = NodeKind::AppConnector,
                                .title = "domains of the policy",
                                .details = {}}}}});
        }
        return tails;
    }

    // Adds every way from the fronts over the proxy.
    void add_ways(std::string_view ns, const std::vector<Steps>& fronts, const Node& proxy,
                  const std::vector<Tail>& tails) {
        for (const Steps& front : fronts) {
            if (tails.empty()) {
                Steps steps = front;
                steps.push_back({proxy});
                ways_.add(ns, std::move(steps));
            }
            for (const Tail& tail : tails) {
                Steps steps = front;
                steps.push_back({proxy, filled(tail.label)});
                steps.insert(steps.end(), tail.steps.begin(), tail.steps.end());
                ways_.add(ns, std::move(steps));
            }
        }
    }

    void add_workload(const Workload& one) {
        if (one.as<plan::ProxyGroupPlan>() != nullptr) {
            ways_.add("", {{drawn_proxy(one)}});  // its members add what it is for
            return;
        }
        if (one.as<plan::NameserverPlan>() != nullptr) {
            ways_.add("", {{pods_of_cluster(), {"DNS"}},
                           {drawn_proxy(one), {"answers for"}},
                           {{.id = "tailnet-target/names of ts.net",
                             .kind = NodeKind::TailnetTarget,
                             .title = "names of ts.net",
                             .details = {}}}});
            return;
        }
        const auto* proxy = one.as<plan::ProxyPlan>();
        if (proxy != nullptr && (proxy->target == plan::Target::TailnetIp ||
                                 proxy->target == plan::Target::TailnetName)) {
            add_egress(one, *proxy);
            return;
        }
        const bool is_public = plan::is_public(one);
        const bool is_funnel = one.traits().public_by == kByFunnel;
        const bool is_recorder = one.as<plan::RecorderPlan>() != nullptr;
        std::vector<Steps> fronts;
        for (const std::string& hostname : one.hostnames) {
            const Node device = device_of(one, hostname, is_public);
            fronts.push_back(
                {{tailnet_node(one.tailnet), filled(is_recorder ? "sessions" : "")}, {device}});
            if (is_public) {
                fronts.push_back(
                    {{internet_node(),
                      {fmt::format("PUBLIC: {}", is_funnel ? kByFunnel : one.target_text)},
                      true},
                     {device}});
            }
        }
        add_ways(one.as<plan::ApiProxyPlan>() != nullptr ? "" : one.parent_ns, fronts,
                 drawn_proxy(one), tails_of(one));
    }

    void add_egress(const Workload& one, const plan::ProxyPlan& proxy) {
        for (const std::string& hostname : one.hostnames) {
            ways_.add(one.parent_ns, {{pods_of_cluster()},
                                      {bare_service({one.parent_ns, one.parent_name})},
                                      {drawn_proxy(one)},
                                      {device_of(one, hostname, false)},
                                      {target_node(one.tailnet, without_dot(proxy.target_value))}});
        }
    }

    [[nodiscard]] const Workload* find_group(std::string_view name) const {
        const auto found = std::ranges::find_if(plan_.workloads, [&](const Workload& one) {
            const auto* group = one.as<plan::ProxyGroupPlan>();
            return group != nullptr && group->input.name == name;
        });
        return found == plan_.workloads.end() ? nullptr : &*found;
    }

    void add_offered(const plan::OfferedService& one) {
        const Workload* group = find_group(one.group);
        if (group == nullptr) {
            return;
        }
        Node device = device_node(NodeKind::TailscaleService, one.tailnet, one.name());
        describe(one.tags, one.origin.pos, device);
        const ServiceName parent = names_in(one.origin.parent);
        const std::string offer = one.name() + " ";
        std::vector<Tail> tails;
        if (one.offer == plan::Offer::KubeApi) {
            tails.push_back({one.name(), {{kubernetes_api()}}});
        } else if (one.offer == plan::Offer::Web) {
            tails = served(parent.ns, one.handlers, offer);
        } else {
            add_behind(parent, offer + ports_text(find(parent)), tails);
        }
        add_ways(parent.ns, {{{tailnet_node(one.tailnet)}, {device}}}, drawn_proxy(*group), tails);
    }

    void add_member(const plan::EgressMember& one) {
        const Workload* group = find_group(one.group);
        if (group == nullptr) {
            return;
        }
        std::vector<std::string> ports;
        for (const plan::GroupPort& port : one.ports) {
            ports.push_back(
                fmt::format("{}/{}", port.protocol == "UDP" ? "udp" : "tcp", port.port));
        }
        ways_.add(one.parent_ns,
                  {{pods_of_cluster()},
                   {bare_service({one.parent_ns, one.parent_name}), ports},
                   {drawn_proxy(*group), {fmt::format("{}/{}", one.parent_ns, one.parent_name)}},
                   {target_node(group->tailnet, one.ip.empty() ? without_dot(one.fqdn) : one.ip)}});
    }

    const load::Loaded& loaded_;
    const plan::Plan& plan_;
    Services services_;
    PodIndex pods_;
    std::map<Pos, std::string> kept_;
    WayCollector ways_;
};

}  // namespace

Graph make_graph(const load::Loaded& loaded, const classify::Inventory& inventory,
                 const plan::Plan& plan) {
    return GraphMaker(loaded, inventory, plan).run();
}

}  // namespace renderer::graph
