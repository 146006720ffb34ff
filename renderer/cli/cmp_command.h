// The Argo CD config management plug-in: what its sidecar runs in the directory of an application.
// Everything that an application says arrives in environment variables; the revision and the
// application's name are never looked at, since they would be a difference for ever. Source: Argo
// CD cmpserver/plugin, docs "Config Management Plugins".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer {

using Environment = std::map<std::string, std::string, std::less<>>;

// What the application asks for, in `options`: parameters win over `plugin.env`, those over the
// destination's namespace.
Result<Unit> apply_application(const Environment& environment, LoadOptions& options);

// The top of the checkout that the application is in, given its canonical directory.
std::string work_tree_of(const Environment& environment, const std::string& here);

// The announcement of our parameters, for the form in Argo CD's UI.
std::string parameters_json(const std::vector<std::string>& clusters);

}  // namespace renderer
