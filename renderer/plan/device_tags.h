// Decides the tags of devices.
#pragma once

#include <string>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// Returns the tags of the annotation, else the default ones; trimmed. Reports malformed tags.
std::vector<std::string> plan_tags(const classify::ParentInput& parent, const Settings& settings,
                                   Diagnostics& diagnostics);

// Returns the tags of a custom resource: those of its spec, else the fallback.
std::vector<std::string> spec_tags(const std::vector<classify::TextInput>& tags,
                                   const std::vector<std::string>& fallback);

// Returns the tags of the device: `tags` and the take-over tag.
std::vector<std::string> device_tags(std::vector<std::string> tags, const Settings& settings);

}  // namespace renderer::plan
