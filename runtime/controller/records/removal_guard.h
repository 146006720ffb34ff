// Many proxies, or Tailscale Services, that vanish are more likely a mistake than a wish: an empty
// render, a wrong namespace. Then nothing is removed until a user has said so: `tailrender-devices`
// names the proxies and a token, and an annotation on it with that token confirms these and no
// others. A proxy that joins them later makes another token. What has been removed silently
// is written down there for a day before it is removed, so that neither waves nor a restart pass.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "runtime/base/log.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/records/removal_times.h"
#include "runtime/kube/events.h"

namespace runtime::controller {

struct Blocked {
    std::string token;
    std::set<std::string> pods;
    std::set<std::string> confirmed = {};  // by an earlier token, and not removed yet

    bool operator==(const Blocked&) const = default;
};

// What there is, and what goes.
struct Departures {
    std::set<std::string> leaving = {};
    std::set<std::string> young = {};  // leave as well, and count for nothing
    std::size_t wanted = 0;            // that stay, and count
    std::size_t wanted_young = 0;
    std::set<std::string> removed = {};  // in the last day, silently; none of them leaves now
};

struct GuardAnswer {
    bool is_blocked = false;
    std::set<std::string> confirmed;
    std::set<std::string> free;   // count for nothing
    Blocked recorded;             // what is to be remembered; without a token: nothing
    bool is_recorded = false;     // so that its token may be told
    bool has_other_word = false;  // the word that was given is no token of what waits

    [[nodiscard]] bool may_remove(const std::string& pod) const {
        return !is_blocked || confirmed.contains(pod) || free.contains(pod);
    }
    [[nodiscard]] bool counts(const std::string& pod) const {
        return !confirmed.contains(pod) && !free.contains(pod);
    }
};

// Pure. `uid` is that of the object with the record.
GuardAnswer guard_removals(const Departures& departures, const Blocked& recorded,
                           std::string_view confirmed_token, std::string_view uid);

class RemovalGuard {
public:
    struct Keys {  // of the ledger
        std::string_view blocked, removed;
    };
    // `what`: in the plural.
    RemovalGuard(Ledger& ledger, Log& log, const Keys& keys, std::string_view what)
        : ledger_(ledger),
          log_(log),
          blocked_key_(keys.blocked),
          removed_key_(keys.removed),
          what_(what) {}

    // Remembers what is blocked. Of `departures.removed` nothing needs to be said.
    GuardAnswer ask(Departures departures, Time now);
    // It may, by the last answer, and its removal is written down. If it is not yet, `write_down`
    // sees to that, once all have been asked for: ask again when the ledger has changed.
    bool may_remove(const std::string& name, Time now);
    void write_down();
    // Says beside the record what waits, and that the word given is not its token.
    void tell(kube::Events& events) const;
    // By the last answer.
    [[nodiscard]] bool is_blocked() const { return answer_.is_blocked; }

private:
    Ledger& ledger_;
    Log& log_;
    std::string blocked_key_, removed_key_, what_;
    GuardAnswer answer_;
    Removed written_;   // in the ledger, as of the last question
    Removed to_write_;  // what it does not have yet
};

}  // namespace runtime::controller
