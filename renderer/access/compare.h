// Says who gains and who loses what by a change of the devices, of the policy, or of both. What is
// equal under another name (a renamed group, a moved rule, a renamed device) is no change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/access/evaluate.h"
#include "renderer/access/model.h"
#include "renderer/access/report.h"
#include "renderer/core/source_map.h"
#include "renderer/policy/hujson.h"

namespace renderer::access {

struct Who {
    Selector selector;                      // as a rule names it
    std::vector<std::string> members = {};  // of the group, if only these
};

struct Change {
    enum class Kind : std::uint8_t {
        Reach,       // who reaches `what`
        Kubernetes,  // who is `roles` in the Kubernetes API of `what`
        Recording,   // sessions of `who` in the Kubernetes API of `what`: `before`, `after`
        Egress,      // what a proxy of the cluster, `what`, reaches in the tailnet
        Approval,    // whether someone has to approve `what` by hand
    };
    Kind kind = Kind::Reach;
    bool gains = true;       // of Approval: the policy approves it now
    bool is_certain = true;  // false: it depends on what the policy does not say
    std::vector<Who> who = {};
    std::vector<std::string> what = {};      // "shop:443"; of Egress "Service/shop/db"
    std::vector<std::string> parts = {};     // "tcp:80", where it is not all
    std::vector<std::string> postures = {};  // a condition, one of them
    std::vector<std::string> roles = {};     // "system:masters"
    std::vector<std::string> others = {};    // who among them had it before, or keeps it
    std::string before = {}, after = {};
    std::vector<std::string> rules = {};  // "policy.hujson:7 (grants)": of the side that allows it
    // Of `what`: routes, exit nodes and Tailscale Services that someone has to approve by hand.
    bool needs_approval = false;

    // True if anyone on the internet is among `who`.
    [[nodiscard]] bool concerns_internet() const {
        return std::ranges::any_of(who,
                                   [](const Who& one) { return one.selector.text == kInternet; });
    }
};

struct Changes {
    std::vector<Change> changes = {};  // what is public first, then gains before losses
    // Rules for addresses of single devices that only one side has. Nobody knows yet which devices
    // they mean.
    std::vector<std::string> unknown_gained = {}, unknown_lost = {};

    [[nodiscard]] bool empty() const {
        return changes.empty() && unknown_gained.empty() && unknown_lost.empty();
    }
};

// A policy with what it is about. `sources` is of the file.
struct Side {
    const Policy& policy;
    Evaluator& evaluator;
    const SourceMap& sources;
};

// Compares two sides of one cluster. `renames` are objects with a new name, "Service/shop/web" and
// "Service/shop/site".
Changes compare_access(const Cluster& before, const Side& base, const Cluster& after,
                       const Side& head,
                       const std::vector<std::pair<std::string, std::string>>& renames);

// A policy file, with what was read from it.
struct PolicyText {
    const policy::Node& root;
    std::string_view text;  // of the whole file
    const Policy& policy;
};

// Returns what differs in two files and is not judged: conditions of postures, `ssh`, sections that
// are not known.
std::vector<std::string> unjudged_differences(const PolicyText& base, const PolicyText& head);

// Returns whether the change is one for `who`, or for some of them.
bool concerns(const Change& change, const Selector& who, const Policy& policy);

}  // namespace renderer::access
