#include "runtime/controller/records/devices_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "renderer/base/sha256.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/view/replicas.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::size_t kDevicesPerShard = 128;
constexpr std::size_t kBytesPerSecond = 20'000;

// The more lines a table has, the more often it may change, so the longer is the pause.
Duration pause_after(std::string_view lines) {
    return std::chrono::milliseconds(lines.size() * 1000 / kBytesPerSecond);
}

std::string digest(std::string_view lines) {
    return lines.empty() ? std::string() : renderer::sha256_hex(lines);
}

std::optional<ShardCopy> decode_shard(const Value& object) {
    const std::string_view name = text_of(object.at({"metadata", "name"}));
    return name != kLedgerName && is_devices_table(name)
               ? std::optional(
                     ShardCopy{.digest = digest(text_of(object.at({"data", kDevicesKey})))})
               : std::nullopt;
}

}  // namespace

std::size_t shards_for(std::size_t devices) {
    const std::size_t wanted = (devices + kDevicesPerShard - 1) / kDevicesPerShard;
    return std::min(std::bit_ceil(std::max<std::size_t>(wanted, 1)), renderer::kDeviceTables);
}

std::size_t shard_of(std::string_view pod, std::size_t shards) {
    const std::string hex = renderer::sha256_hex(pod);
    std::size_t number = 0;
    std::from_chars(hex.data(), hex.data() + 8, number, 16);
    return number % shards;
}

std::string shard_name(std::size_t shard) {
    return shard == 0 ? std::string(kLedgerName) : fmt::format("{}-{}", kLedgerName, shard);
}

bool is_devices_table(std::string_view name) {
    for (std::size_t shard = 0; shard < renderer::kDeviceTables; ++shard) {
        if (name == shard_name(shard)) {
            return true;
        }
    }
    return false;
}

DevicesTable::DevicesTable(const FeatureContext& context)
    : context_(context),
      copies_(context.view.follow<ShardCopy>(context.view.config_maps(), decode_shard)) {}

void DevicesTable::reconcile(const Changes& changes) {
    take(changes);
    for (std::size_t shard = 0; shard < renderer::kDeviceTables; ++shard) {
        settle(shard);
    }
}

void DevicesTable::take(const Changes& changes) {
    Replicas replicas(context_.view);
    if (changes.everything || shards_.empty()) {
        std::set<std::string> pods;
        replicas.each([&pods](const Replica& replica) { pods.emplace(replica.pod_name); });
        return share_out(pods);
    }
    std::size_t count = 0;
    for (const auto& shard : shards_) {
        count += shard.size();
    }
    for (const std::string& pod : changes.pods) {
        const std::size_t shard = shard_of(pod, shards_.size());
        unsettled_[shard].digest.clear();
        if (replicas.find(pod).has_value()) {
            count += shards_[shard].insert(pod).second ? 1 : 0;
        } else {
            count -= shards_[shard].erase(pod);
        }
    }
    if (shards_for(count) != shards_.size()) {
        std::set<std::string> pods;
        for (auto& shard : shards_) {
            pods.merge(shard);
        }
        share_out(pods);
    }
}

void DevicesTable::share_out(const std::set<std::string>& pods) {
    shards_.assign(shards_for(pods.size()), {});
    for (const std::string& pod : pods) {
        shards_[shard_of(pod, shards_.size())].insert(pod);
    }
    for (std::size_t shard = 0; shard < renderer::kDeviceTables; ++shard) {
        if (shard < shards_.size() || !digest_of(shard).empty()) {
            unsettled_[shard].digest.clear();
        }
    }
}

std::string DevicesTable::lines_of(std::size_t shard) const {
    std::string lines;
    if (shard < shards_.size()) {
        Replicas replicas(context_.view);
        for (const std::string& pod : shards_[shard]) {
            if (const auto replica = replicas.find(pod)) {
                lines += renderer::write_json(device_line(*replica, context_.problem_of(pod)));
                lines += '\n';
            }
        }
    }
    return lines;
}

std::string_view DevicesTable::digest_of(std::size_t shard) const {
    if (shard == 0) {
        return context_.ledger.find(std::string(kDevicesKey)).value_or("");
    }
    const ShardCopy* copy = copies_.find(context_.view.key(shard_name(shard)));
    return copy == nullptr ? std::string_view() : std::string_view(copy->digest);
}

void DevicesTable::settle(std::size_t shard) {
    const std::string_view there = digest_of(shard);
    auto unsettled = unsettled_.find(shard);
    if (unsettled == unsettled_.end()) {
        if (settled_[shard] == there) {
            return;
        }
        unsettled = unsettled_.try_emplace(shard).first;  // another client has written it
    }
    if (!there.empty() && unsettled->second.digest == there) {
        settled_[shard] = there;
        unsettled_.erase(unsettled);
        return;
    }
    if (context_.loop.uptime() < unsettled->second.not_before) {
        return;
    }
    std::string lines = lines_of(shard);
    const std::string wanted = digest(lines);
    const Duration pause = pause_after(lines);
    if (shard == 0) {
        context_.ledger.set(std::string(kDevicesKey), lines, pause);
    }
    if (there == wanted) {
        settled_[shard] = wanted;
        unsettled_.erase(unsettled);
        return;
    }
    unsettled->second = {.not_before = context_.loop.uptime() + pause, .digest = wanted};
    context_.loop.after(pause, [&view = context_.view] { view.changed({}); });
    if (shard == 0) {
        return;
    }
    const std::string name = shard_name(shard);
    context_.editor.edit(
        {.source = context_.view.config_maps(),
         .ns = context_.view.ns(),
         .name = name,
         .pause = pause,
         .make =
             [ns = context_.view.ns(), name] {
                 return Value::map({{"apiVersion", "v1"},
                                    {"kind", "ConfigMap"},
                                    {"metadata", Value::map({{"name", name}, {"namespace", ns}})}});
             }},
        [lines = std::move(lines)](Value& object) {
            if (text_of(object.at({"data", kDevicesKey})) == lines) {
                return false;
            }
            Value data = Value::map();
            put_if(data, !lines.empty(), Value::borrowed(kDevicesKey), Value(lines));
            object.put("data", std::move(data));
            return true;
        });
}

}  // namespace runtime::controller
