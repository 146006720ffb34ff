#include "renderer/diff/device_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

namespace renderer::diff {
namespace {

using Renames = std::vector<std::pair<std::string, std::string>>;

std::string joined(const std::vector<std::string>& words) {
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ","));
}

std::string tailnet_name(const Device& device) {
    return device.tailnet.empty() ? "the controller's own tailnet"
                                  : fmt::format("tailnet \"{}\"", device.tailnet);
}

std::string server_name(const Device& device) {
    return device.server.empty() ? "the default one" : device.server;
}

bool is_service(const Device& device) {
    return device.hostname.starts_with("svc:");
}

// Returns "docs" for "svc:docs".
std::string_view bare_name(const Device& device) {
    std::string_view name = device.hostname;
    name.remove_prefix(is_service(device) ? 4 : 0);
    return name;
}

// If a Service is not in a tree, its pods are unknown and do not count as a difference.
bool targets_same_pods(const Reach& a, const Reach& b) {
    return a.pods == b.pods || a.pods.empty() || b.pods.empty();
}

bool is_same_way(const Reach& a, const Reach& b) {
    return a.endpoint == b.endpoint && a.target == b.target;
}

bool is_same_offer(const Reach& a, const Reach& b) {
    return is_same_way(a, b) && a.is_public == b.is_public && targets_same_pods(a, b);
}

std::string_view namespace_of(std::string_view target) {
    return target.substr(0, target.find('/'));
}

// True if only the Service in between has another name: its pods are known to be the same.
bool is_renamed_way(const Reach& a, const Reach& b) {
    return a.endpoint == b.endpoint && a.target != b.target && !a.pods.empty() &&
           a.pods == b.pods && namespace_of(a.target) == namespace_of(b.target);
}

bool is_same_or_renamed(const Reach& a, const Reach& b) {
    return a.is_public == b.is_public && (is_same_offer(a, b) || is_renamed_way(a, b));
}

// True if all but the name is the same.
bool is_same(const Device& a, const Device& b) {
    return a.tags == b.tags && std::ranges::equal(a.offers, b.offers, is_same_offer) &&
           a.reaches == b.reaches && a.tailnet == b.tailnet && a.server == b.server &&
           a.parent == b.parent;
}

class DeviceComparer {
public:
    explicit DeviceComparer(const Renames& renames) : renames_(renames) {}

    DevicePlan run(std::vector<Device> before, std::vector<Device> after) {
        const auto key = [](const Device& device) { return device.key; };
        pair(before, after, key, key);
        const auto name = [](const Device& device) {
            return fmt::format("{}\n{}", bare_name(device), device.tailnet);
        };
        pair(before, after, name, name);
        const auto parent = [](const Device& device) {
            return fmt::format("{}\n{}", device.parent, is_service(device));
        };
        const auto new_parent = [this](const Device& device) {
            const auto renamed =
                std::ranges::find(renames_, device.parent, &Renames::value_type::first);
            return fmt::format("{}\n{}", renamed == renames_.end() ? "" : renamed->second,
                               is_service(device));
        };
        pair(before, after, new_parent, parent);
        for (Device& device : before) {
            add_reach(&device, nullptr);
            plan_.changes.push_back({DeviceEdit::Removed, std::move(device), std::nullopt, {}});
        }
        for (Device& device : after) {
            add_reach(nullptr, &device);
            plan_.changes.push_back({DeviceEdit::Added, std::nullopt, std::move(device), {}});
        }
        std::ranges::sort(plan_.changes, {}, [](const DeviceChange& change) {
            return std::tuple(change.edit, change.shown().hostname, change.shown().key);
        });
        std::ranges::sort(plan_.reach, {}, [](const ReachChange& change) {
            return std::tuple(!change.offer.is_public, change.hostname, change.offer, change.added);
        });
        return std::move(plan_);
    }

private:
    using Name = std::function<std::string(const Device&)>;

    // Compares and removes the devices of both lists that have the same name; several with one name
    // are matched in order.
    void pair(std::vector<Device>& before, std::vector<Device>& after, const Name& old_name,
              const Name& new_name) {
        std::multimap<std::string, Device*> index;
        for (Device& device : after) {
            index.emplace(new_name(device), &device);
        }
        std::vector<Device> old_left;
        for (Device& old : before) {
            const auto found = index.find(old_name(old));
            if (found == index.end()) {
                old_left.push_back(std::move(old));
                continue;
            }
            compare(std::move(old), std::move(*found->second));
            index.erase(found);
        }
        std::vector<Device> new_left;
        for (auto& [name, device] : index) {
            new_left.push_back(std::move(*device));
        }
        before = std::move(old_left);
        after = std::move(new_left);
    }

    void compare(Device old, Device now) {
        const bool same_name = old.hostname == now.hostname;
        const bool same_place = old.key == now.key;
        if (same_name && same_place && is_same(old, now)) {
            return;
        }
        DeviceChange change;
        const bool moves = old.tailnet != now.tailnet || old.server != now.server;
        change.edit = !same_place || moves ? DeviceEdit::Replaced
                      : !same_name         ? DeviceEdit::Renamed
                                           : DeviceEdit::Changed;
        add_reasons(old, now, change);
        add_reach(&old, &now);
        change.before = std::move(old);
        change.after = std::move(now);
        plan_.changes.push_back(std::move(change));
    }

    static void add_reasons(const Device& old, const Device& now, DeviceChange& change) {
        std::vector<std::string>& reasons = change.reasons;
        if (old.tailnet != now.tailnet) {
            reasons.push_back(
                fmt::format("moves from {} to {}", tailnet_name(old), tailnet_name(now)));
        } else if (old.server != now.server) {
            reasons.push_back(
                fmt::format("login server {} instead of {}", server_name(now), server_name(old)));
        }
        if (old.parent != now.parent) {
            reasons.push_back(fmt::format("{} becomes {}", old.parent, now.parent));
        }
        if (change.edit == DeviceEdit::Replaced) {
            add_replacement_reason(old, now, reasons);
        } else if (change.edit == DeviceEdit::Renamed) {
            reasons.emplace_back("keeps its addresses; the old name no longer resolves");
        }
        if (old.tags != now.tags) {
            const bool registered = change.edit != DeviceEdit::Replaced && !is_service(now);
            reasons.push_back(fmt::format(
                "tags {} instead of {}{}", joined(now.tags), joined(old.tags),
                registered ? "; the controller also sets them on a registered device" : ""));
        }
        if (old.reaches != now.reaches) {
            reasons.push_back(fmt::format("target {} instead of {}",
                                          now.reaches.empty() ? "nothing" : now.reaches,
                                          old.reaches.empty() ? "nothing" : old.reaches));
        }
        if (old.is_public() != now.is_public()) {
            reasons.emplace_back(now.is_public() ? "becomes PUBLIC" : "is no longer public");
        } else if (!std::ranges::equal(old.offers, now.offers, is_same_offer)) {
            add_offer_reason(old, now, change);
        }
    }

    static void add_offer_reason(const Device& old, const Device& now, DeviceChange& change) {
        if (std::ranges::equal(old.offers, now.offers, is_same_or_renamed)) {
            change.reasons.emplace_back(
                "offers the same pods at the same ports; their Service has another name");
        } else if (change.edit == DeviceEdit::Changed) {
            change.reasons.emplace_back(std::ranges::equal(old.offers, now.offers, is_same_way)
                                            ? "targets other pods"
                                            : "offers other ports or routes");
        }
    }

    static void add_replacement_reason(const Device& old, const Device& now,
                                       std::vector<std::string>& reasons) {
        if (is_service(old) != is_service(now)) {
            reasons.emplace_back(is_service(now) ? "a Tailscale Service with its own addresses"
                                                 : "a device instead of a Tailscale Service");
        } else if (is_service(now)) {
            reasons.emplace_back(old.hostname == now.hostname
                                     ? "keeps its addresses; other pods serve it"
                                     : "a new Tailscale Service with new addresses");
        } else if (old.hostname == now.hostname && old.tailnet == now.tailnet &&
                   old.server == now.server) {
            reasons.push_back(fmt::format(
                "a new device with new addresses, named \"{}-1\" while the old one has the name",
                now.hostname));
        } else {
            reasons.emplace_back("a new device with new addresses");
        }
    }

    // Public offers are reachable in the tailnet as well. A public offer is a URL, so another
    // hostname makes it another offer.
    static bool is_offered(const Device* side, const Device& other, const Reach& offer) {
        const bool same_tailnet =
            side != nullptr && side->tailnet == other.tailnet && side->server == other.server;
        return same_tailnet && std::ranges::any_of(side->offers, [&](const Reach& one) {
                   const bool same_url = one.is_public && side->hostname == other.hostname;
                   const bool is_same = is_same_way(one, offer) && targets_same_pods(one, offer);
                   return (is_same || is_renamed_way(one, offer)) && (!offer.is_public || same_url);
               });
    }

    void add_offers(const Device& device, const Device* other, bool added) {
        for (const Reach& offer : device.offers) {
            if (is_offered(other, device, offer)) {
                continue;
            }
            plan_.reach.push_back({added, device.hostname, device.parent, device.tailnet, offer});
            const bool other_pods =
                other != nullptr && std::ranges::any_of(other->offers, [&](const Reach& one) {
                    return is_same_way(one, offer) && !targets_same_pods(one, offer);
                });
            if (!other_pods) {
                plan_.reach.back().offer.pods.clear();  // endpoint and target are enough
            }
        }
    }

    void add_reach(const Device* old, const Device* now) {
        if (old != nullptr) {
            add_offers(*old, now, false);
        }
        if (now != nullptr) {
            add_offers(*now, old, true);
        }
    }

    const Renames& renames_;
    DevicePlan plan_;
};

}  // namespace

std::string_view name_of(DeviceEdit edit) {
    constexpr std::array<std::string_view, 5> kNames = {"added", "renamed", "replaced", "removed",
                                                        "changed"};
    return kNames[static_cast<std::size_t>(edit)];
}

DevicePlan compare_devices(std::vector<Device> before, std::vector<Device> after,
                           const Renames& renames) {
    return DeviceComparer(renames).run(std::move(before), std::move(after));
}

}  // namespace renderer::diff
