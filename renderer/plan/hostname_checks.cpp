#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "renderer/plan/cross_checks.h"
#include "renderer/plan/joining.h"

namespace renderer {

namespace {

void report(const Joining& first, const Joining& one, Diagnostics& diagnostics) {
    const bool service = first.is_service || one.is_service;
    diagnostics.add(
        {.rule = "duplicate-hostname",
         .pos = one.pos,
         .object = one.origin->parent,
         .message = fmt::format("a second {} with the hostname \"{}\"",
                                service ? "device or Tailscale Service" : "device", one.hostname),
         .expected = service ? "a hostname of its own: a name in the tailnet leads to one thing"
                             : "a hostname of its own: the tailnet would call the second one "
                               "\"<hostname>-1\"",
         .hint = std::string(one.advice),
         .notes = {{.pos = first.pos, .object = first.origin->parent, .text = "has it, too"}}});
}

}  // namespace

void check_hostnames(const Plan& plan, Diagnostics& diagnostics) {
    std::vector<Joining> all = joining_of(plan);
    for (Joining& service : offering_of(plan)) {
        all.push_back(std::move(service));
    }
    std::vector<const Joining*> sorted;
    sorted.reserve(all.size());
    for (const Joining& one : all) {
        sorted.push_back(&one);
    }
    std::ranges::stable_sort(sorted, [](const Joining* a, const Joining* b) {
        return std::tuple(a->key(), a->origin->pos) < std::tuple(b->key(), b->origin->pos);
    });
    const Joining* first = nullptr;
    for (const Joining* one : sorted) {
        if (first == nullptr || first->key() != one->key()) {
            first = one;
        } else if (first->origin->parent != one->origin->parent) {
            report(*first, *one, diagnostics);
        }
    }
}

}  // namespace renderer
