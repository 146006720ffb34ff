#include "renderer/policy/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/policy/hujson_splice.h"
#include "renderer/policy/needs.h"

namespace renderer::policy {

namespace {

// An example: replace both by groups of your own.
constexpr std::string_view kUsers = R"(["autogroup:admin"])";
constexpr std::string_view kClusterGroup = "tailnet-readers";

class ExampleWriter {
public:
    ExampleWriter(const plan::Plan& plan, const SourceMap& sources, std::string_view tailnet,
                  Examples& examples)
        : plan_(plan), sources_(sources), tailnet_(tailnet), examples_(examples) {}

    void add_all() {
        for (const plan::Workload& workload : plan_.workloads) {
            if (workload.tailnet == tailnet_ && !workload.tags.empty()) {
                add_device(workload);
            }
        }
        for (const plan::EgressMember& member : plan_.egress_members) {
            if (const plan::Workload* group = group_of(member.group)) {
                add_member(member, *group);
            }
        }
    }

private:
    [[nodiscard]] const plan::Workload* group_of(const std::string& name) const {
        const auto group = std::ranges::find_if(plan_.workloads, [&](const plan::Workload& one) {
            return one.as<plan::ProxyGroupPlan>() != nullptr && one.name == name;
        });
        return group != plan_.workloads.end() && group->tailnet == tailnet_ && !group->tags.empty()
                   ? &*group
                   : nullptr;
    }

    [[nodiscard]] std::string said_of(const Origin& origin) const {
        return on_one_line(fmt::format("{} {}", place_text(sources_, origin.pos), origin.parent));
    }

    void add_device(const plan::Workload& workload) {
        const std::string& tag = workload.tags.front();
        if (const auto* api = workload.as<plan::ApiProxyPlan>()) {
            add_comment(said_of(workload.origin) + ": the Kubernetes API");
            add_grant(kUsers, json_string(tag),
                      api->impersonates ? R"("ip": ["tcp:443"], )" + capability()
                                        : R"("ip": ["tcp:443"])");
        } else if (const auto* group = workload.as<plan::ProxyGroupPlan>()) {
            if (group->serves_api()) {
                add_api_group(workload, group->input.api_auth);
            }
        } else if (plan::is_relay(workload)) {
            add_comment(said_of(workload.origin) + ": who may use the relay");
            add_grant(R"(["autogroup:member"])", json_string(tag),
                      R"("app": {"tailscale.com/cap/relay": []})");
        } else if (const auto* proxy = workload.as<plan::ProxyPlan>()) {
            add_proxy(workload, *proxy);
        }
    }

    // Grants for a Tailscale Service do not count for capabilities, but those for the device do.
    void add_api_group(const plan::Workload& group, bool impersonates) {
        for (const plan::OfferedService& service : plan_.offered) {
            if (service.group != group.name || service.offer != plan::Offer::KubeApi) {
                continue;
            }
            add_comment(said_of(group.origin) + ": the Kubernetes API");
            add_grant(kUsers, json_string(service.name()), R"("ip": ["tcp:443"])");
            if (impersonates) {
                add_grant(kUsers, json_string(group.tags.front()), capability());
            }
        }
    }

    void add_proxy(const plan::Workload& workload, const plan::ProxyPlan& proxy) {
        if (proxy.app_connector) {
            examples_.notes.push_back(
                fmt::format("{} is an app connector: an entry of nodeAttrs names its domains "
                            "(https://tailscale.com/kb/1281/app-connectors).",
                            said_of(workload.origin)));
        }
        if (proxy.target == plan::Target::TailnetIp) {
            add_comment(fmt::format("{} targets {}", said_of(workload.origin), proxy.target_value));
            add_grant(json_list({workload.tags.front()}), json_string(proxy.target_value),
                      R"("ip": ["*"])");
        } else if (proxy.target == plan::Target::TailnetName) {
            add_note(workload.origin, proxy.target_value, workload.tags.front());
        }
    }

    void add_member(const plan::EgressMember& member, const plan::Workload& group) {
        const std::string& tag = group.tags.front();
        if (member.ip.empty()) {
            add_note(member.origin, member.fqdn, tag);
            return;
        }
        std::vector<std::string> ports;
        std::vector<std::string> accepted;
        for (const plan::GroupPort& port : member.ports) {
            ports.push_back(
                fmt::format("{}:{}", port.protocol == "UDP" ? "udp" : "tcp", port.port));
            if (port.protocol == "TCP" && member.ip.find(':') == std::string::npos) {
                accepted.push_back(fmt::format("{}:{}", member.ip, port.port));
            }
        }
        add_comment(fmt::format("{} targets {}", said_of(member.origin), member.ip));
        add_grant(json_list({tag}), json_string(member.ip),
                  fmt::format("\"ip\": {}", json_list(ports)));
        if (!accepted.empty()) {
            examples_.tests.push_back(fmt::format(R"({{"src": {}, "accept": {}}},)",
                                                  json_string(tag), json_list(accepted)));
        }
    }

    // A name is no destination of a grant.
    void add_note(const Origin& origin, std::string_view name, const std::string& tag) {
        if (name.ends_with('.')) {
            name.remove_suffix(1);
        }
        examples_.notes.push_back(on_one_line(
            fmt::format("{} targets {}: a grant from \"{}\" to its tag or address allows it.",
                        said_of(origin), name, tag)));
    }

    // Names recorders if there are any.
    [[nodiscard]] std::string capability() const {
        std::string recorder;
        for (const plan::Workload& workload : plan_.workloads) {
            if (workload.as<plan::RecorderPlan>() != nullptr && workload.tailnet == tailnet_ &&
                !workload.tags.empty()) {
                recorder = fmt::format(R"(, "recorder": {}, "enforceRecorder": true)",
                                       json_list({workload.tags.front()}));
                break;
            }
        }
        return fmt::format(
            R"("app": {{"tailscale.com/cap/kubernetes": [{{"impersonate": {{"groups": [{}]}}{}}}]}})",
            json_string(kClusterGroup), recorder);
    }

    void add_comment(const std::string& text) { examples_.grants.push_back("// " + text); }

    void add_grant(std::string_view from, std::string_view to, std::string_view what) {
        examples_.grants.push_back(
            fmt::format(R"({{"src": {}, "dst": [{}], {}}},)", from, to, what));
    }

    const plan::Plan& plan_;
    const SourceMap& sources_;
    std::string_view tailnet_;
    Examples& examples_;
};

void add_section(std::string_view name, const std::vector<std::string>& entries,
                 std::vector<std::string>& lines) {
    if (entries.empty()) {
        return;
    }
    lines.push_back(fmt::format("\"{}\": [", name));
    for (const std::string& entry : entries) {
        lines.push_back("  " + entry);
    }
    lines.emplace_back("],");
}

}  // namespace

void add_examples(const plan::Plan& plan, const SourceMap& sources, std::string_view tailnet,
                  Examples& examples) {
    ExampleWriter(plan, sources, tailnet, examples).add_all();
}

std::vector<std::string> example_lines(const Examples& examples) {
    std::vector<std::string> lines = examples.notes;
    if (!examples.grants.empty()) {
        lines.emplace_back("Who may reach what is your choice. For example:");
    }
    add_section("grants", examples.grants, lines);
    add_section("tests", examples.tests, lines);
    return lines;
}

}  // namespace renderer::policy
