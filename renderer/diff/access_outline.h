// Who gains and loses what, as lines of a report.
#pragma once

#include <string>

#include "renderer/diff/compare.h"
#include "renderer/diff/outline.h"

namespace renderer::diff {

// The section of one cluster; `suffix` ends its title. Without lines if nothing changes.
OutlineSection access_section(const access::Changes& changes, const std::string& suffix);

// What is not compared or not judged.
OutlineSection access_notes(const AccessComparison& access);

// Returns a section without lines if the policy lacks nothing more than before.
OutlineSection lacking_section(const AccessComparison& access);

}  // namespace renderer::diff
