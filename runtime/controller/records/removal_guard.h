// If many proxies, or Tailscale Services, disappear at once, that is probably a mistake: an empty
// render, a wrong namespace. Then nothing is removed until a user confirms it: `tailrender-devices`
// names the proxies and a token, and an annotation on it with that token confirms only these. If
// another proxy disappears later, there is a new token. Removals without confirmation are recorded
// there for a day before they are done, so that the limit also holds in waves and after a restart.
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

// What exists, and what is to be removed.
struct Departures {
    std::set<std::string> leaving = {};
    std::set<std::string> young = {};  // also leave, but do not count
    std::size_t wanted = 0;            // stay, and count
    std::size_t wanted_young = 0;
    std::set<std::string> removed = {};  // in the last day, unconfirmed; none of them leaves now
};

struct GuardAnswer {
    bool is_blocked = false;
    std::set<std::string> confirmed;
    std::set<std::string> free;   // do not count
    Blocked recorded;             // what must be remembered; without a token: nothing
    bool is_recorded = false;     // so that its token may be published
    bool has_other_word = false;  // the annotation has no token of what is blocked

    [[nodiscard]] bool may_remove(const std::string& pod) const {
        return !is_blocked || confirmed.contains(pod) || free.contains(pod);
    }
    [[nodiscard]] bool counts(const std::string& pod) const {
        return !confirmed.contains(pod) && !free.contains(pod);
    }
};

// A pure function. `uid` is that of the object with the record.
GuardAnswer guard_removals(const Departures& departures, const Blocked& recorded,
                           std::string_view confirmed_token, std::string_view uid);

class RemovalGuard {
public:
    struct Keys {  // of the ledger
        std::string_view blocked, removed;
    };
    // `what` is a plural.
    RemovalGuard(Ledger& ledger, Log& log, const Keys& keys, std::string_view what)
        : ledger_(ledger),
          log_(log),
          blocked_key_(keys.blocked),
          removed_key_(keys.removed),
          what_(what) {}

    // Records what is blocked. `departures.removed` is filled from the ledger.
    GuardAnswer ask(Departures departures, Time now);
    // True if the last answer allows it, and its removal is recorded, unless it does not count.
    // Otherwise `write_down` records it, once all names were asked for: ask again when the ledger
    // has changed.
    bool may_remove(const std::string& name, Time now);
    void write_down();
    // Posts an Event about what is blocked, and one if the annotation has another token.
    void tell(kube::Events& events) const;
    // According to the last answer.
    [[nodiscard]] bool is_blocked() const { return answer_.is_blocked; }

private:
    Ledger& ledger_;
    Log& log_;
    std::string blocked_key_, removed_key_, what_;
    GuardAnswer answer_;
    Removed written_;   // in the ledger, at the last question
    Removed to_write_;  // what the ledger does not have yet
};

}  // namespace runtime::controller
