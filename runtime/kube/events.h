// Posts Events (core/v1) about an object. The name of an Event is a hash of its content, and a
// repeat only increases its count. Within kEventQuiet an equal Event is not written again, not even
// after a restart. The text may come from pods, so the number of Events per object is limited, as
// in client-go's tools/record. Events over the limit are dropped.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/log.h"
#include "runtime/base/token_bucket.h"
#include "runtime/kube/client.h"

namespace runtime::kube {

inline constexpr Duration kEventQuiet = std::chrono::minutes(10);
inline constexpr int kEventBurst = 25;  // for one object; then one per kEventPause
inline constexpr Duration kEventPause = std::chrono::minutes(5);
inline constexpr std::size_t kEventsKept = 4096;  // in memory: objects, and Events

struct ObjectRef {
    std::string api_version, kind;
    std::string ns;  // empty if not namespaced; the Event is in `default`
    std::string name, uid;
};

enum class EventType { Normal, Warning };

class Events {
public:
    Events(Loop& loop, Client& client, Log& log) : loop_(loop), client_(client), log_(log) {}

    // `reason` is one word in CamelCase. A failure is only logged.
    void post(const ObjectRef& object, EventType type, std::string_view reason,
              std::string_view message);

private:
    void write(const std::string& path, renderer::Value event, const Reply& last);

    Loop& loop_;
    Client& client_;
    Log& log_;
    std::map<std::string, Duration> quiet_until_;                  // uptime, by path
    TokenBuckets budgets_{kEventBurst, kEventPause, kEventsKept};  // by object
};

}  // namespace runtime::kube
