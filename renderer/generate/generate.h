// Stage 4: plan -> objects. One free function per feature, listed in generators.cpp; each reads its
// slice of the plan, appends objects and decides nothing.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "renderer/core/document.h"
#include "renderer/plan/plan.h"

namespace renderer {

using Objects = std::vector<Object>;

struct Generator {
    std::string_view name;
    void (*run)(const Plan& plan, Objects& objects);
    std::string_view doc;  // one line
};

std::span<const Generator> generators();

Objects generate(const Plan& plan);

}  // namespace renderer
