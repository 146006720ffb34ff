// The table of devices, for people and for `tailrender-runtime status`. It is in
// `tailrender-devices` and, if there are many devices, in further ConfigMaps, so that a change of
// one device rewrites few lines. Shape: testdata/contract/controller.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/feature.h"

namespace runtime::controller {

// The number of ConfigMaps: a power of two, up to renderer::kDeviceTables.
std::size_t shards_for(std::size_t devices);
// Depends on the first four bytes of the SHA-256 of the pod's name.
std::size_t shard_of(std::string_view pod, std::size_t shards);
// Returns "tailrender-devices", "tailrender-devices-1"…
std::string shard_name(std::size_t shard);
// True for the name of any of them.
bool is_devices_table(std::string_view name);

struct ShardCopy {
    std::string digest;  // of its lines

    bool operator==(const ShardCopy&) const = default;
};

class DevicesTable : public Feature {
public:
    explicit DevicesTable(const FeatureContext& context);
    void reconcile(const Changes& changes) override;

private:
    void take(const Changes& changes);
    void share_out(const std::set<std::string>& pods);
    void settle(std::size_t shard);
    [[nodiscard]] std::string lines_of(std::size_t shard) const;
    [[nodiscard]] std::string_view digest_of(std::size_t shard) const;

    FeatureContext context_;
    const Mirror<ShardCopy>& copies_;
    std::vector<std::set<std::string>> shards_;  // names of pods
    struct Unsettled {
        Duration not_before = {};  // uptime
        std::string digest = {};   // of the lines that are being written; "": they have changed
    };
    std::map<std::size_t, Unsettled> unsettled_;
    std::map<std::size_t, std::string> settled_;  // digests of what was written, by shard
};

}  // namespace runtime::controller
