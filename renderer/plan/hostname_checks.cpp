#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "renderer/plan/cross_checks.h"
#include "renderer/plan/grammar.h"

namespace renderer {

namespace {

// A device that is going to join a tailnet.
struct Joining {
    std::string_view tailnet;  // "" = the controller's own
    std::string lower;         // its hostname, as the tailnet compares it
    std::string_view hostname;
    Pos pos;  // what the hostname was made of
    const Origin* origin;
    std::string_view advice;

    [[nodiscard]] auto key() const { return std::tie(tailnet, lower); }
};

// In the order of the inputs where two have one name.
std::vector<Joining> joining_of(const Plan& plan) {
    std::vector<Joining> all;
    for (const ProxyPlan& one : plan.proxies) {
        all.push_back({one.tailnet, lower_case(one.hostname), one.hostname, one.hostname_pos,
                       &one.origin,
                       one.target == Target::Serve
                           ? "change the first host of spec.tls"
                           : "choose one with the annotation \"tailscale.com/hostname\""});
    }
    for (const ProxyGroupPlan& one : plan.groups) {
        for (const std::string& hostname : one.hostnames) {
            all.push_back({one.tailnet, lower_case(hostname), hostname, one.hostname_pos,
                           &one.origin, "choose another \"spec.hostnamePrefix\""});
        }
    }
    for (const RecorderPlan& one : plan.recorders) {
        for (const std::string& hostname : one.hostnames) {
            all.push_back({one.tailnet, lower_case(hostname), hostname, one.input->name_pos(),
                           &one.origin, "rename the Recorder"});
        }
    }
    std::erase_if(all, [](const Joining& one) { return one.hostname.empty(); });
    return all;
}

}  // namespace

void check_hostnames(const Plan& plan, Diagnostics& diagnostics) {
    const std::vector<Joining> all = joining_of(plan);
    std::vector<const Joining*> sorted;
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
            diagnostics.add(
                {.rule = "duplicate-hostname",
                 .pos = one->pos,
                 .object = one->origin->parent,
                 .message = fmt::format("a second device with the hostname \"{}\"", one->hostname),
                 .expected = "a hostname of its own: the tailnet would call the second one "
                             "\"<hostname>-1\"",
                 .hint = std::string(one->advice),
                 .notes = {
                     {.pos = first->pos, .object = first->origin->parent, .text = "has it, too"}}});
        }
    }
}

}  // namespace renderer
