#include "renderer/policy/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "renderer/base/printable.h"

namespace renderer::policy {

namespace {

constexpr std::string_view kDefaultClientTag = "tag:k8s-operator";
constexpr std::string_view kExitRoutes[] = {"0.0.0.0/0", "::/0"};

class NeedCollector {
public:
    NeedCollector(const SourceMap& sources, std::vector<std::string> client_tags, Needs& needs)
        : sources_(sources), client_tags_(std::move(client_tags)), needs_(needs) {
        for (const std::string& tag : client_tags_) {
            insert_sorted(tag, needs_.client_tags);
        }
        add_tags(client_tags_, {});
    }

    void add(Need need, const Origin& origin) {
        const auto key = [](const Need& one) {
            return std::tie(one.kind, one.name, one.tags, one.service_tags);
        };
        const auto place = std::ranges::lower_bound(needs_.all, key(need), {}, key);
        const auto found = place != needs_.all.end() && key(*place) == key(need)
                               ? place
                               : needs_.all.insert(place, std::move(need));
        const Reason reason{place_text(sources_, origin.pos), origin.parent, origin.pos};
        const bool is_known = std::ranges::any_of(found->reasons, [&](const Reason& one) {
            return one.place == reason.place && one.object == reason.object;
        });
        if (!reason.object.empty() && !is_known) {
            found->reasons.push_back(reason);
        }
    }

    void add_tags(const std::vector<std::string>& tags, const Origin& origin) {
        for (const std::string& tag : tags) {
            const bool is_of_client = std::ranges::find(client_tags_, tag) != client_tags_.end();
            add({.name = tag, .tags = is_of_client ? std::vector<std::string>() : client_tags_},
                origin);
        }
    }

    void add_device(const plan::Workload& workload) {
        add_tags(workload.tags, workload.origin);
        for (const std::string& tag : workload.tags) {
            insert_sorted(tag, needs_.device_tags);
        }
        const auto* proxy = workload.as<plan::ProxyPlan>();
        if (proxy == nullptr) {
            return;
        }
        for (const std::string& route : proxy->routes) {
            const bool is_exit = std::ranges::find(kExitRoutes, route) != std::end(kExitRoutes);
            add({.kind = is_exit ? NeedKind::ExitNode : NeedKind::Route,
                 .name = is_exit ? "" : route,
                 .tags = workload.tags},
                workload.origin);
        }
        for (const std::string& tag : proxy->app_connector ? workload.tags : kNoTags) {
            insert_sorted(tag, needs_.app_tags);
        }
        if (proxy->funnel) {
            add({.kind = NeedKind::Funnel, .name = "", .tags = workload.tags}, workload.origin);
        }
    }

    static void insert_sorted(const std::string& text, std::vector<std::string>& texts) {
        const auto place = std::ranges::lower_bound(texts, text);
        if (place == texts.end() || *place != text) {
            texts.insert(place, text);
        }
    }

private:
    inline static const std::vector<std::string> kNoTags;

    const SourceMap& sources_;
    std::vector<std::string> client_tags_;
    Needs& needs_;
};

}  // namespace

std::vector<std::string> client_tags(const plan::Settings& settings) {
    return settings.operator_tags.empty() ? std::vector<std::string>{std::string(kDefaultClientTag)}
                                          : settings.operator_tags;
}

std::vector<std::string> left_out(const Needs& needs) {
    std::vector<std::string> lines;
    for (const std::string& name : needs.other_tailnets) {
        lines.push_back(
            name.empty()
                ? "devices of the controller's own tailnet"
                : on_one_line(fmt::format("devices of Tailnet \"{}\" (--tailnet {})", name, name)));
    }
    return lines;
}

std::string place_text(const SourceMap& sources, Pos pos) {
    if (!pos.known()) {
        return {};
    }
    const Location at = sources.locate(pos);
    return at.line == 0 ? std::string(at.path) : fmt::format("{}:{}", at.path, at.line);
}

void add_needs(const plan::Plan& plan, const SourceMap& sources, std::string_view tailnet,
               Needs& needs) {
    NeedCollector collector(sources, client_tags(plan.settings), needs);
    for (const plan::Workload& workload : plan.workloads) {
        if (workload.tailnet == tailnet) {
            collector.add_device(workload);
        } else {
            NeedCollector::insert_sorted(workload.tailnet, needs.other_tailnets);
        }
    }
    for (const plan::OfferedService& service : plan.offered) {
        const auto group = std::ranges::find_if(plan.workloads, [&](const plan::Workload& one) {
            return one.as<plan::ProxyGroupPlan>() != nullptr && one.name == service.group;
        });
        if (service.tailnet != tailnet || group == plan.workloads.end()) {
            continue;
        }
        collector.add_tags(service.tags, service.origin);
        collector.add({.kind = NeedKind::Service,
                       .name = service.name(),
                       .tags = group->tags,
                       .service_tags = service.tags},
                      service.origin);
    }
}

}  // namespace renderer::policy
