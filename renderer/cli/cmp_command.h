// The Argo CD config management plug-in, which a sidecar of the repo server runs in the directory
// of an application. Argo CD passes the application's settings in environment variables. The
// revision and the application's name are ignored, because an output that depended on them would
// never be in sync. Source: Argo CD cmpserver/plugin, docs "Config Management Plugins".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer::cli {

using Environment = std::map<std::string, std::string, std::less<>>;

// Writes the application's settings to `options`. Parameters override `plugin.env`, which overrides
// the destination's namespace.
Result<Unit> apply_application(const Environment& environment, repo::LoadOptions& options);

// Returns the top of the application's checkout. `here` is its canonical directory.
std::string work_tree_of(const Environment& environment, const std::string& here);

// Returns the announcement of the plug-in's parameters, for the form in Argo CD's UI.
std::string parameters_json(const std::vector<std::string>& clusters);

}  // namespace renderer::cli
