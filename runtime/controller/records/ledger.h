// The controller's own ConfigMap `tailrender-devices`: the table of devices for people and for
// `tailrender-runtime status`, and what the controller must remember besides its Secrets. Each
// feature has a key of its own. Shape: testdata/contract/controller.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/contract/controller_objects.h"
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

// The pause after data that often change many times in a row.
inline constexpr Duration kLedgerPause = std::chrono::seconds(2);

struct LedgerCopy {
    std::string uid;
    std::optional<Time> made_at;              // by the API server's clock
    std::string confirmed_removals;           // the annotation that a user has set
    std::string predecessor;                  // the annotation that `adopt` has set
    std::map<std::string, std::string> data;  // of the table, which is long, a digest

    bool operator==(const LedgerCopy&) const = default;
};

// The ledger when it is created.
renderer::Value empty_ledger(const std::string& ns);

// Returns the mark of this installation's keys and Tailscale Services: from the ledger, otherwise
// from the table of addresses, so that either may be lost, otherwise from the ledger's UID.
// `ledger` is null if it does not exist. "" if the mark is unknown.
std::string mark_of(const renderer::Value& ledger, const renderer::Value& table);

class Ledger {
public:
    Ledger(ClusterView& view, ObjectEditor& editor);

    // Returns what the cluster has under the key; no value if it has none.
    [[nodiscard]] std::optional<std::string_view> find(const std::string& key) const;
    [[nodiscard]] const LedgerCopy* copy() const;
    [[nodiscard]] kube::ObjectRef reference() const;  // for Events about the installation
    // Sets the text of a key; an empty text removes it. It is written only if it differs, together
    // with other keys. The ConfigMap is recreated if it was deleted. `pause` is the time until the
    // next write; the longest pause of a write counts.
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
    // The texts that are not written yet. It is replaced as a whole, so that a write in progress
    // keeps its own.
    std::shared_ptr<const AllWanted> wanted_ = std::make_shared<const AllWanted>();
};

}  // namespace runtime::controller
