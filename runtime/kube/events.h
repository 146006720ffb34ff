// Says something about an object where its owner looks: an Event (core/v1) beside it. One Event
// stands for all times that the same was said: its name is a function of what it says, and repeats
// count it up. Said again within kEventQuiet nothing is written, not even after a restart. What is
// said may come from pods, so there is a limit to how much is written about one object, as in
// client-go's tools/record; more than that is dropped.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/log.h"
#include "runtime/base/token_bucket.h"
#include "runtime/kube/client.h"

namespace runtime {

inline constexpr Duration kEventQuiet = std::chrono::minutes(10);
inline constexpr int kEventBurst = 25;  // about one object, and then one in each kEventPause
inline constexpr Duration kEventPause = std::chrono::minutes(5);
inline constexpr std::size_t kEventsKept = 4096;  // in memory: objects, and what was said

struct ObjectRef {
    std::string api_version, kind;
    std::string ns;  // empty: its kind has none, and the Event is in `default`
    std::string name, uid;
};

enum class EventType { Normal, Warning };

class Events {
public:
    Events(Loop& loop, KubeClient& client, Log& log) : loop_(loop), client_(client), log_(log) {}

    // `reason` is one word in CamelCase. A failure is logged and nothing else.
    void post(const ObjectRef& object, EventType type, std::string_view reason,
              std::string_view message);

private:
    void write(const std::string& path, renderer::Value event, const KubeReply& last);

    Loop& loop_;
    KubeClient& client_;
    Log& log_;
    std::map<std::string, Duration> quiet_until_;                  // by path: an uptime
    TokenBuckets budgets_{kEventBurst, kEventPause, kEventsKept};  // by object
};

}  // namespace runtime
