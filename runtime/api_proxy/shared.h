// The state that all sessions share: where to connect, counters and limits.
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
    std::uint64_t requests = 0;  // sent to the API server
    std::uint64_t upgrades = 0;  // requests that became a session
    std::array<std::uint64_t, kFaultNames.size()> faults = {};
    std::uint64_t foreign = 0;    // connections that are not tailscaled's
    std::uint64_t unled = 0;      // connections while tailscaled was not serving
    std::uint64_t unknown = 0;    // requests whose caller tailscaled did not name
    std::uint64_t denied = 0;     // requests that a grant forbids, or whose grant is malformed
    std::uint64_t crowded = 0;    // requests and connections beyond the limits
    std::uint64_t unreached = 0;  // requests that the API server did not answer
    std::uint64_t withdrawn = 0;  // requests and sessions ended because their caller lost a grant
    std::uint64_t recordings = 0, recordings_uploaded = 0, recordings_failed = 0;
    std::uint64_t events = 0, events_failed = 0;  // requests that are reported to recorders
};

// Counts the connections of each user, and of each address of the tailnet until its user is known.
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
    BodyBudget bodies{loop};                   // for bodies that are reported to recorders
    Places places{limits.of_one_caller};
    std::vector<std::shared_ptr<Recorder>> uploads = {};                  // of ended sessions
    std::vector<char> piece = std::vector<char>(std::size_t{64} * 1024);  // read buffer
};

}  // namespace runtime::api_proxy
