#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "renderer/core/text_of.h"
#include "renderer/plan/checks/cross_checks.h"
#include "renderer/plan/install/controller.h"

namespace renderer::plan {

namespace {

// A claim and its owner.
struct Owned {
    std::string_view kind, name;
    Pos pos;
    std::string_view object, ns;

    [[nodiscard]] auto key() const { return std::tie(name, kind); }
};

// Names of accounts and roles of the operator, which may run without being among the inputs.
constexpr std::array<std::string_view, 3> kReserved = {"operator", "proxies", kAuthProxyAccount};

void add_claims(const Workload& one, std::vector<Owned>& claims) {
    for (const Claim& claim : one.claims) {
        claims.push_back({claim.kind, claim.name, claim.pos, one.origin.parent, one.ns});
    }
}

void sort(std::vector<Owned>& claims) {
    std::ranges::stable_sort(claims, [](const Owned& a, const Owned& b) {
        return std::tie(a.name, a.kind, a.pos) < std::tie(b.name, b.kind, b.pos);
    });
}

std::vector<Owned> claims_of(const Plan& plan) {
    std::vector<Owned> claims;
    for (const Workload& one : plan.workloads) {
        add_claims(one, claims);
    }
    for (const EgressMember& one : plan.egress_members) {
        claims.push_back(
            {"Service", one.name, one.origin.pos, one.origin.parent, plan.settings.ns});
    }
    sort(claims);
    return claims;
}

void report(const Owned& claim, std::string_view owner, std::vector<Note> notes,
            Diagnostics& diagnostics) {
    diagnostics
        .error("name-collision", claim.pos,
               fmt::format("its objects would have the same name \"{}\" as those of {}", claim.name,
                           owner))
        .object(claim.object)
        .hint("rename one of the two")
        .notes(std::move(notes));
}

// Checks the objects of the inputs that are applied beside ours, in the same namespaces.
void check_inputs(const load::Loaded& loaded, const Plan& plan, const std::vector<Owned>& claims,
                  Diagnostics& diagnostics) {
    for (const Document& doc : loaded.documents) {
        if (doc.effective_namespace != plan.settings.ns &&
            doc.effective_namespace != plan.settings.api_ns) {
            continue;
        }
        const Owned wanted{text_of(doc.kind), text_of(doc.name), {}, {}, {}};
        const auto found = std::ranges::lower_bound(claims, wanted.key(), {}, &Owned::key);
        if (found == claims.end() || found->key() != wanted.key()) {
            continue;
        }
        // The controller would take a StatefulSet in its own namespace for that of the API proxy,
        // which is in another one.
        const bool is_taken_for =
            wanted.kind == "StatefulSet" && doc.effective_namespace == plan.settings.ns;
        if (is_taken_for || found->ns == doc.effective_namespace) {
            report(*found, fmt::format("\"{}\"", doc.object_name()),
                   {{.pos = doc.kind.pos(), .object = doc.object_name(), .text = "has that name"}},
                   diagnostics);
        }
    }
}

bool is_reserved(const Owned& claim, const Settings& settings) {
    return claim.kind != "Service" && claim.ns == settings.ns &&
           (claim.name == settings.names.name ||
            std::ranges::find(kReserved, claim.name) != kReserved.end());
}

}  // namespace

void check_names(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics) {
    const std::vector<Owned> rendered = claims_of(plan);
    std::vector<Owned> claims = rendered;
    if (plan.api_proxy_elsewhere) {
        add_claims(*plan.api_proxy_elsewhere, claims);
        sort(claims);
    }
    const Owned* first = nullptr;
    std::set<std::pair<Pos, std::string_view>> reported;  // once, whatever the kinds
    for (const Owned& claim : claims) {
        if (first == nullptr || first->key() != claim.key()) {
            first = &claim;
        }
        if (is_reserved(claim, plan.settings)) {
            if (reported.emplace(claim.pos, claim.name).second) {
                report(claim, "the operator", {}, diagnostics);
            }
        } else if (first->object != claim.object &&
                   reported.emplace(claim.pos, first->object).second) {
            report(claim, fmt::format("\"{}\"", first->object),
                   {{.pos = first->pos,
                     .object = std::string(first->object),
                     .text = "also has that name"}},
                   diagnostics);
        }
    }
    // What is rendered elsewhere may have been put beside the inputs.
    check_inputs(loaded, plan, rendered, diagnostics);
}

}  // namespace renderer::plan
