#include "runtime/controller/reminders.h"

namespace runtime {

namespace {

constexpr Duration kEventLasts = std::chrono::hours(1);

}  // namespace

bool Reminders::note(const std::string& key, Duration patience,
                     const std::function<Notice()>& notice) {
    const Duration now = loop_.uptime();
    Fact& fact =
        facts_.try_emplace(key, Fact{.since = now, .tell_at = now + patience}).first->second;
    fact.look = look_;
    if (now >= fact.tell_at) {
        const Notice told = notice();
        events_.post(told.about, told.type, told.reason, told.message);
        fact.tell_at = now + kEventLasts;
    }
    return now >= fact.since + patience;
}

void Reminders::end_look() {
    std::erase_if(facts_, [this](const auto& fact) { return fact.second.look != look_; });
    ++look_;
}

}  // namespace runtime
