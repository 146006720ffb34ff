// Which tags devices get.
#pragma once

#include <string>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

// By annotation, else the default ones; trimmed. Reports malformed ones.
std::vector<std::string> plan_tags(const ParentInput& parent, const Settings& settings,
                                   Diagnostics& diagnostics);

// Of a custom resource: those of its spec, else the fallback.
std::vector<std::string> spec_tags(const std::vector<TextInput>& tags,
                                   const std::vector<std::string>& fallback);

// What its device gets: its own tags, and the one by which we know our devices again.
std::vector<std::string> device_tags(std::vector<std::string> tags, const Settings& settings);

}  // namespace renderer
