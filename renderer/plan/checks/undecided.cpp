#include "renderer/plan/checks/undecided.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "renderer/contract/annotations.h"

namespace renderer::plan {

namespace {

std::vector<const classify::IngressBackend*> backends_of(const classify::IngressInput& ingress) {
    std::vector<const classify::IngressBackend*> backends;
    if (ingress.has_default_backend) {
        backends.push_back(&ingress.default_backend);
    }
    for (const classify::IngressRule& rule : ingress.rules) {
        for (const classify::IngressPath& path : rule.paths) {
            backends.push_back(&path.backend);
        }
    }
    return backends;
}

class Sorter {
public:
    Sorter(const load::Loaded& loaded, const ServiceIndex& services, Diagnostics& diagnostics)
        : loaded_(loaded), services_(services), diagnostics_(diagnostics) {
        const auto release =
            std::ranges::find_if(loaded.standings.all, [](const engines::Standing& one) {
                return one.is_release && !one.name.starts_with("ResourceSet") &&
                       (one.liveness == engines::Liveness::Unknown ||
                        one.liveness == engines::Liveness::Absent);
            });
        if (loaded.only_generated && release != loaded.standings.all.end()) {
            unknown_ = &*release;
        }
    }

    // Returns true if the Ingress is set aside.
    bool take(const classify::IngressInput& ingress) {
        if (unknown_ == nullptr || !is_rendered(loaded_, *ingress.doc) || ingress.ns.empty()) {
            return false;
        }
        bool is_open = false;
        for (const classify::IngressBackend* backend : backends_of(ingress)) {
            if (backend->has_service && !backend->service.empty() && !backend->port_name.empty() &&
                services_.find(ingress.ns, backend->service) == nullptr) {
                say(ingress, *backend);
                is_open = true;
            }
        }
        return is_open;
    }

    std::map<std::string, std::string> found;

private:
    static bool is_public(const classify::IngressInput& ingress) {
        const Value* funnel = ingress.annotation(annotation::kFunnel);
        return funnel != nullptr && spelling_of(*funnel) == "true";
    }

    void say(const classify::IngressInput& ingress, const classify::IngressBackend& backend) {
        diagnostics_
            .say(loaded_.lints ? Severity::Error : Severity::Warning, "missing-backend-service",
                 backend.pos,
                 fmt::format("Service \"{}\" is not in the tree, so the number of its port \"{}\" "
                             "is not known: this Ingress is not rendered{}",
                             backend.service, backend.port_name,
                             is_public(ingress) ? ", although it asks to be PUBLIC" : ""))
            .object(ingress.doc->object_name())
            .expected(
                fmt::format("Service \"{}\" in namespace \"{}\"", backend.service, ingress.ns))
            .hint(fmt::format(
                "if a chart makes it ({} is not rendered: {}), use --charts DIR with "
                "a directory that contains the chart; otherwise write the number of the port, "
                "or use --context DIR with the directory of the Service",
                unknown_->name, unknown_->reason))
            .is_absence();
        found.emplace(ingress.doc->object_name(),
                      fmt::format("the number of port \"{}\" of Service/{}/{} is not known",
                                  backend.port_name, ingress.ns, backend.service));
    }

    const load::Loaded& loaded_;
    const ServiceIndex& services_;
    Diagnostics& diagnostics_;
    const engines::Standing* unknown_ = nullptr;  // the first unknown release
};

}  // namespace

std::map<std::string, std::string> set_aside_undecided(const load::Loaded& loaded,
                                                       const ServiceIndex& services,
                                                       Parents& parents, Diagnostics& diagnostics) {
    Sorter sorter(loaded, services, diagnostics);
    for (auto* ingresses : {&parents.ingresses, &parents.group_ingresses}) {
        std::erase_if(*ingresses,
                      [&](const classify::IngressInput* one) { return sorter.take(*one); });
    }
    return std::move(sorter.found);
}

}  // namespace renderer::plan
