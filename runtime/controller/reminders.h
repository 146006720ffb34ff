// Events about what lasts: each is said once it has held for some time, and again every hour, since
// the API server forgets an Event after that. What is remembered ends with the process, which waits
// again then.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "runtime/kube/events.h"

namespace runtime {

struct Notice {
    ObjectRef about;
    std::string_view reason;  // outlives the call
    std::string message;
    EventType type = EventType::Warning;
};

class Reminders {
public:
    // Both outlive it.
    Reminders(Loop& loop, Events& events) : loop_(loop), events_(events) {}

    // Says that this holds now. True: it has held for `patience`, and its Event was posted.
    bool note(const std::string& key, Duration patience, const std::function<Notice()>& notice);
    // What was not noted since the last time holds no more.
    void end_look();

private:
    struct Fact {
        Duration since, tell_at;  // uptimes
        std::uint64_t look = 0;   // the last one that it held at
    };

    Loop& loop_;
    Events& events_;
    std::map<std::string, Fact> facts_;
    std::uint64_t look_ = 0;
};

}  // namespace runtime
