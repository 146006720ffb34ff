#include "renderer/access/pairs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace renderer::access {
namespace {

using Key = std::pair<std::string, std::string>;

class Pairing {
public:
    Pairing(const std::vector<Device>& before, const std::vector<Device>& after)
        : before_(before), after_(after) {}

    // Pairs those that are left and have the same key, in their order.
    void pair(const std::function<Key(const Device&)>& key_before,
              const std::function<Key(const Device&)>& key_after) {
        std::map<Key, std::vector<const Device*>> left;
        for (const Device& device : before_) {
            if (!used_.contains(&device)) {
                left[key_before(device)].push_back(&device);
            }
        }
        std::map<Key, std::size_t> taken;
        for (const Device& device : after_) {
            const auto found = left.find(key_after(device));
            if (used_.contains(&device) || found == left.end()) {
                continue;
            }
            std::size_t& next = taken[found->first];
            if (next < found->second.size()) {
                add({found->second[next++], &device});
            }
        }
    }

    std::vector<DevicePair> finish() {
        for (const Device& device : before_) {
            if (!used_.contains(&device)) {
                add({&device, nullptr});
            }
        }
        for (const Device& device : after_) {
            if (!used_.contains(&device)) {
                add({nullptr, &device});
            }
        }
        return std::move(pairs_);
    }

private:
    void add(const DevicePair& pair) {
        pairs_.push_back(pair);
        used_.insert(pair.before);
        used_.insert(pair.after);
    }

    const std::vector<Device>&before_, &after_;
    std::vector<DevicePair> pairs_;
    std::set<const Device*> used_;
};

}  // namespace

std::vector<DevicePair> pair_devices(
    const std::vector<Device>& before, const std::vector<Device>& after,
    const std::vector<std::pair<std::string, std::string>>& renames) {
    const std::map<std::string, std::string> renamed(renames.begin(), renames.end());
    const auto new_parent = [&](const Device& device) {
        const auto found = renamed.find(device.parent);
        return found == renamed.end() ? device.parent : found->second;
    };
    Pairing pairing(before, after);
    pairing.pair([&](const Device& device) { return Key(new_parent(device), device.name); },
                 [](const Device& device) { return Key(device.parent, device.name); });
    pairing.pair([&](const Device& device) { return Key(new_parent(device), ""); },
                 [](const Device& device) { return Key(device.parent, ""); });
    pairing.pair([](const Device& device) { return Key("", device.name); },
                 [](const Device& device) { return Key("", device.name); });
    return pairing.finish();
}

}  // namespace renderer::access
