// Stage 4: plan -> objects. One free function per feature, listed in generators.cpp; each reads its
// slice of the plan, appends objects and decides nothing.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "renderer/core/document.h"
#include "renderer/plan/plan.h"

namespace renderer {

using Objects = std::vector<Object>;

using OfPlan = void (*)(const Plan& plan, Objects& objects);
using OfProxy = void (*)(const ProxyPlan& proxy, Objects& objects);  // called on several threads

struct Generator {
    std::string_view name;
    std::variant<OfPlan, OfProxy> run;
    std::string_view doc;  // one line
};

std::span<const Generator> generators();

// `threads` 0 means one per core.
Objects generate(const Plan& plan, unsigned threads = 0);

}  // namespace renderer
