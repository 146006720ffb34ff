// Writes reports of verbs as JSON, for `--format json`. docs/formats.md describes them, and
// docs/formats.json is their schema. Each is one object with a version and the report's name.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/explain.h"
#include "renderer/core/shown_diagnostic.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/tree/changes.h"
#include "renderer/engines/engines.h"
#include "renderer/pipeline.h"

namespace renderer::cli {

std::string devices_json(const std::deque<Run>& runs);

std::string images_json(const std::vector<std::string>& images);

std::string roots_json(const engines::UnitList& list);

std::string lint_json(const std::string& path, const std::vector<ShownDiagnostic>& diagnostics);
// Lists the checks that `lint --list` prints.
std::string checks_json();

std::string explain_json(const std::vector<Explanation>& explanations);

// A tree that `check` compared with the files of an earlier run.
struct CheckedTree {
    std::string cluster;  // "" for an unnamed one
    std::string dir;
    bool is_stale = false;
    emit::Changes changes;
};
std::string check_json(const std::vector<CheckedTree>& trees);

}  // namespace renderer::cli
