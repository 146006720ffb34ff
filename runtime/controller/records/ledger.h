// The controller's own ConfigMap `tailrender-devices`: the table of devices for people and for
// `tailrender-runtime status`, and what the controller has to remember beside its Secrets. Each
// feature has a key of its own. Shape: testdata/contract/controller.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/kube/api.h"
#include "runtime/controller/view/object_editor.h"
#include "runtime/kube/events.h"

namespace runtime::controller {

inline constexpr std::string_view kLedgerName = renderer::kDevicesTable;
inline constexpr std::string_view kDevicesKey = "devices.jsonl";
inline constexpr std::string_view kServicesKey = "services.jsonl";
inline constexpr std::string_view kBlockedKey = "blocked-removals.json";
inline constexpr std::string_view kRemovedKey = "removed.json";
inline constexpr std::string_view kBlockedServicesKey = "blocked-services.json";
inline constexpr std::string_view kRemovedServicesKey = "removed-services.json";
inline constexpr std::string_view kOwnerKey = "owner";  // here and in the table of addresses

// The pause for what often changes many times in a row.
inline constexpr Duration kLedgerPause = std::chrono::seconds(2);

struct LedgerCopy {
    std::string uid;
    std::optional<Time> made_at;              // as the API server tells
    std::string confirmed_removals;           // an annotation that a user has set
    std::string predecessor;                  // one that `adopt` has set
    std::map<std::string, std::string> data;  // of the table, which is long, a digest

    bool operator==(const LedgerCopy&) const = default;
};

// As it is made.
renderer::Value empty_ledger(const std::string& ns);

// What marks this installation's keys and Tailscale Services: what the ledger says, else what the
// table of addresses says, so that either may be lost, else a function of the ledger's UID. Null:
// it is not there. "": nothing tells.
std::string mark_of(const renderer::Value& ledger, const renderer::Value& table);

class Ledger {
public:
    Ledger(ClusterView& view, ObjectEditor& editor);

    // What the cluster has under the key; no value: nothing.
    [[nodiscard]] std::optional<std::string_view> find(const std::string& key) const;
    [[nodiscard]] const LedgerCopy* copy() const;
    [[nodiscard]] kube::ObjectRef reference() const;  // for Events about the installation
    // Empty: to be without. Written only if it differs; together with what others have asked for.
    // Someone may have deleted the ConfigMap: then it is made again. `pause` is the time until the
    // next write, the longest of what is written together.
    void set(const std::string& key, const std::string& text, Duration pause = {});

private:
    ClusterView& view_;
    ObjectEditor& editor_;
    const Mirror<LedgerCopy>& copies_;
    struct Wanted {
        std::string text;
        Duration pause = {};

        bool operator==(const Wanted&) const = default;
    };
    using AllWanted = std::map<std::string, Wanted>;
    // What is not there yet. Replaced as a whole: a write on its way keeps what it was asked for.
    std::shared_ptr<const AllWanted> wanted_ = std::make_shared<const AllWanted>();
};

}  // namespace runtime::controller
