// What all sessions have in common: where they ask, what they count, and how many there may be.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/api_proxy/body_budget.h"
#include "runtime/api_proxy/callers.h"
#include "runtime/api_proxy/fault.h"
#include "runtime/api_proxy/recorder.h"
#include "runtime/api_proxy/upstream.h"
#include "runtime/base/log.h"
#include "runtime/base/loop.h"

namespace runtime::api_proxy {

struct Counters {
    std::uint64_t requests = 0;  // that went to the API server
    std::uint64_t upgrades = 0;  // of those, that became a session
    std::array<std::uint64_t, kFaultNames.size()> faults = {};
    std::uint64_t foreign = 0;    // connections that are not tailscaled's
    std::uint64_t unled = 0;      // connections while tailscaled does not serve this
    std::uint64_t unknown = 0;    // requests of callers whom tailscaled does not name
    std::uint64_t denied = 0;     // requests that a grant forbids, or whose grant is malformed
    std::uint64_t crowded = 0;    // requests on connections beyond the limit
    std::uint64_t unreached = 0;  // requests that the API server did not answer
    std::uint64_t withdrawn = 0;  // sessions that ended since their caller lost a grant
    std::uint64_t recordings = 0, recordings_uploaded = 0, recordings_failed = 0;
    std::uint64_t events = 0, events_failed = 0;  // requests that recorders are told
};

// How many connections there are of each: of a user, and of an address of the tailnet until it is
// known whose it is.
class Places {
public:
    explicit Places(std::size_t most) : most_(most) {}
    bool take(const std::string& key) {  // false: there are too many
        std::size_t& count = counts_[key];
        if (count == most_) {
            return false;
        }
        ++count;
        return true;
    }
    void give_back(const std::string& key) {
        const auto found = counts_.find(key);
        if (found != counts_.end() && --found->second == 0) {
            counts_.erase(found);
        }
    }

private:
    std::size_t most_;
    std::map<std::string, std::size_t> counts_;
};

inline constexpr Duration kHalfClosed = std::chrono::minutes(1);  // without a byte
inline constexpr int kTurns = 16;  // pieces of one connection before others have theirs

struct Limits {
    std::size_t connections = 10'000;
    std::size_t of_one_caller = 1'000;
};

struct Shared {
    Loop& loop;
    Log& log;
    Callers& callers;
    Upstream& upstream;
    std::string socket = {};  // tailscaled's, which dials recorders
    Limits limits = {};
    Counters counters = {};
    std::vector<std::string> unrecorded = {};  // what enforceRecorder lets pass, by name
    BodyBudget bodies{loop};                   // that recorders are told
    Places places{limits.of_one_caller};
    std::vector<std::shared_ptr<Recorder>> uploads = {};  // of sessions that have ended
    std::vector<char> piece =
        std::vector<char>(std::size_t{64} * 1024);  // is read into, then taken
};

}  // namespace runtime::api_proxy
