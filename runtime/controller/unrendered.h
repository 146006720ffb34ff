// Services and Ingresses that ask for a proxy and have none: whoever applies them without what
// `tailrender render` makes of them would wait for ever.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/controller/feature.h"
#include "runtime/controller/reminders.h"

namespace runtime {

// Objects are applied in any order: until then nothing is said.
inline constexpr Duration kApplyPatience = std::chrono::minutes(1);

// It asks for a device of its own, or to be served by a group. `ingress_class`: that is served.
bool asks_for_proxy(const Parent& parent, std::string_view ingress_class);

class Unrendered {
public:
    explicit Unrendered(const FeatureContext& context);

    // Finds them, and tells them so in Events.
    void look();
    // What one of them has been told, by its contract name; "": it is none.
    [[nodiscard]] std::string problem_of(const std::string& name) const;

private:
    FeatureContext context_;
    Reminders reminders_;
    std::map<std::string, std::string> problems_;
};

}  // namespace runtime
