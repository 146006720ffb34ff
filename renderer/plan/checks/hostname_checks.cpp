#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "renderer/plan/checks/cross_checks.h"
#include "renderer/plan/joining.h"

namespace renderer {

namespace {

void report(const Joining& first, const Joining& one, Diagnostics& diagnostics) {
    const bool service = first.is_service || one.is_service;
    about(*one.origin, diagnostics)
        .error("duplicate-hostname", one.pos,
               fmt::format("a second {} with the hostname \"{}\"",
                           service ? "device or Tailscale Service" : "device", one.hostname))
        .expected(service
                      ? "a unique hostname: a name in the tailnet has one target"
                      : "a unique hostname: the tailnet would call the second one \"<hostname>-1\"")
        .hint(one.advice)
        .note({.pos = first.pos, .object = first.origin->parent, .text = "also has it"});
}

// The kind of object that offers it, and its name.
auto offer_key(const Joining* one) {
    return std::pair(one->origin->parent.substr(0, one->origin->parent.find('/')), one->lower);
}

// What Ingresses and Services offer through groups has one name in a cluster, whatever the tailnet:
// the operator does not ask for it.
void check_other_tailnets(const std::vector<Joining>& offered, Diagnostics& diagnostics) {
    std::vector<const Joining*> sorted;
    sorted.reserve(offered.size());
    for (const Joining& one : offered) {
        sorted.push_back(&one);
    }
    std::ranges::stable_sort(sorted, [](const Joining* a, const Joining* b) {
        return std::tuple(offer_key(a), !a->waits, a->origin->pos) <
               std::tuple(offer_key(b), !b->waits, b->origin->pos);
    });
    const Joining* first = nullptr;
    for (const Joining* one : sorted) {
        if (first == nullptr || offer_key(first) != offer_key(one)) {
            first = one;
        } else if (first->tailnet != one->tailnet && !one->waits &&
                   !one->origin->parent.starts_with("ProxyGroup/")) {
            report(*first, *one, diagnostics);
        }
    }
}

}  // namespace

void check_hostnames(const Plan& plan, Diagnostics& diagnostics) {
    std::vector<Joining> all = joining_of(plan);
    const std::vector<Joining> offered = offering_of(plan);
    check_other_tailnets(offered, diagnostics);
    all.insert(all.end(), offered.begin(), offered.end());
    std::vector<const Joining*> sorted;
    sorted.reserve(all.size());
    for (const Joining& one : all) {
        sorted.push_back(&one);
    }
    std::ranges::stable_sort(sorted, [](const Joining* a, const Joining* b) {
        return std::tuple(a->key(), !a->waits, a->origin->pos) <
               std::tuple(b->key(), !b->waits, b->origin->pos);
    });
    const Joining* first = nullptr;
    for (const Joining* one : sorted) {
        if (first == nullptr || first->key() != one->key()) {
            first = one;
        } else if (first->origin->parent != one->origin->parent && !one->waits) {
            report(*first, *one, diagnostics);
        }
    }
}

}  // namespace renderer
