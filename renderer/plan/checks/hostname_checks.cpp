#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "renderer/plan/checks/cross_checks.h"
#include "renderer/plan/joining.h"

namespace renderer::plan {

namespace {

// True for "Ingress/shop/web" and "Ingress/shop/api".
bool are_ingresses_of_one_namespace(const Joining& first, const Joining& one) {
    const auto folder = [](const Joining& joining) {
        const std::string_view name = joining.origin->parent;
        return name.substr(0, name.rfind('/'));
    };
    return folder(first).starts_with("Ingress/") && folder(first) == folder(one);
}

void report(const Joining& first, const Joining& one, Diagnostics& diagnostics) {
    const bool service = first.is_service || one.is_service;
    about(*one.origin, diagnostics)
        .error("duplicate-hostname", one.pos,
               fmt::format("a second {} with the hostname \"{}\"",
                           service ? "device or Tailscale Service" : "device", one.hostname))
        .expected(service
                      ? "a unique hostname: a name in the tailnet has one target"
                      : "a unique hostname: the tailnet would call the second one \"<hostname>-1\"")
        .hint(are_ingresses_of_one_namespace(first, one)
                  ? fmt::format("put the paths of both into one Ingress, or {}", one.advice)
                  : std::string(one.advice))
        .note({.pos = first.pos, .object = first.origin->parent, .text = "also has it"});
}

// Returns the kind of the object that offers the Tailscale Service, and its hostname.
auto offer_key(const Joining& one) {
    return std::pair(kind_of_name(one.origin->parent), one.lower);
}

// Reports everything that clashes with the first entry of its key, except Tailscale Services whose
// group does not exist.
template <typename Clashes>
void check_unique(const std::vector<Joining>& all, const auto& key_of, const Clashes& clashes,
                  Diagnostics& diagnostics) {
    std::vector<const Joining*> sorted;
    sorted.reserve(all.size());
    for (const Joining& one : all) {
        sorted.push_back(&one);
    }
    std::ranges::stable_sort(sorted, {}, [&](const Joining* one) {
        return std::tuple(key_of(*one), !one->waits, one->origin->pos);
    });
    const Joining* first = nullptr;
    for (const Joining* one : sorted) {
        if (first == nullptr || key_of(*first) != key_of(*one)) {
            first = one;
        } else if (!one->waits && clashes(*first, *one)) {
            report(*first, *one, diagnostics);
        }
    }
}

}  // namespace

void check_hostnames(const Plan& plan, Diagnostics& diagnostics) {
    std::vector<Joining> all = joining_of(plan);
    const std::vector<Joining> offered = offering_of(plan);
    // Tailscale Services of Ingresses and Services of groups have unique names in a cluster,
    // whatever their tailnet, because the operator does not check the tailnet.
    check_unique(
        offered, offer_key,
        [](const Joining& first, const Joining& one) {
            return first.tailnet != one.tailnet && !one.origin->parent.starts_with("ProxyGroup/");
        },
        diagnostics);
    all.insert(all.end(), offered.begin(), offered.end());
    check_unique(
        all, [](const Joining& one) { return one.key(); },
        [](const Joining& first, const Joining& one) {
            return first.origin->parent != one.origin->parent;
        },
        diagnostics);
}

}  // namespace renderer::plan
