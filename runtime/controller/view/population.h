// Counts the replicas that exist, and those that are no longer wanted, for the removal guard. It is
// updated replica by replica.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/controller/decide.h"

namespace runtime::controller {

class Population {
public:
    struct Leaver {
        Duration since = {};    // uptime at which this process first saw it
        bool is_young = false;  // previews come and go
    };

    // With `counts_all`, young replicas also count.
    void see(const Replica& replica, Time now, Duration uptime, bool counts_all);
    void forget(std::string_view pod);
    // Replicas that are not seen between the two calls are forgotten at the end.
    void begin_all();
    void end_all();

    [[nodiscard]] const std::map<std::string, Leaver, std::less<>>& leaving() const {
        return leaving_;
    }
    [[nodiscard]] int wanted() const { return wanted_; }
    [[nodiscard]] int wanted_young() const { return wanted_young_; }

private:
    struct Known {
        bool is_wanted = false, is_young = false, was_seen = true;
    };
    void count(const Known& known, int sign);

    std::map<std::string, Known, std::less<>> all_;
    std::map<std::string, Leaver, std::less<>> leaving_;
    int wanted_ = 0, wanted_young_ = 0;
};

}  // namespace runtime::controller
