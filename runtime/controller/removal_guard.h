// Many proxies, or Tailscale Services, that vanish at once are rather a mistake than a wish: an
// empty render, a wrong namespace. Then nothing is removed until a user has said so:
// `tailrender-devices` names the proxies and a token, and an annotation on it with that token
// confirms these and no others. A proxy that joins them later makes another token.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "runtime/base/log.h"
#include "runtime/controller/ledger.h"
#include "runtime/kube/events.h"

namespace runtime {

inline constexpr std::string_view kBlockedKey = "blocked-removals.json";
inline constexpr std::string_view kBlockedServicesKey = "blocked-services.json";

struct Blocked {
    std::string token;
    std::set<std::string> pods;

    bool operator==(const Blocked&) const = default;
};

struct GuardAnswer {
    bool is_blocked = false;
    std::set<std::string> confirmed;
    Blocked recorded;             // what is to be remembered; without a token: nothing
    bool is_recorded = false;     // so that its token may be told
    bool has_other_word = false;  // the word that was given is no token of what waits

    [[nodiscard]] bool may_remove(const std::string& pod) const {
        return !is_blocked || confirmed.contains(pod);
    }
};

// Pure. `total` counts the leaving ones, too. `uid` is that of the object with the record.
GuardAnswer guard_removals(const std::set<std::string>& leaving, std::size_t total,
                           const Blocked& recorded, std::string_view confirmed_token,
                           std::string_view uid);

class RemovalGuard {
public:
    // `key`: of the ledger, for what is blocked. `what`: in the plural.
    RemovalGuard(Ledger& ledger, Log& log, std::string_view key, std::string_view what)
        : ledger_(ledger), log_(log), key_(key), what_(what) {}

    // Remembers what is blocked.
    GuardAnswer ask(const std::set<std::string>& leaving, std::size_t total);
    // Says beside the record what waits, and that the word given is not its token.
    void tell(Events& events, const GuardAnswer& answer) const;
    // By the last answer.
    [[nodiscard]] bool is_blocked() const { return is_blocked_; }

private:
    Ledger& ledger_;
    Log& log_;
    std::string key_, what_;
    bool is_blocked_ = false;
};

}  // namespace runtime
