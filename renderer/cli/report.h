// Makes the text of a run for the user: errors and warnings, then the devices that the cluster will
// have and which of them anyone on the internet can reach, how many objects were generated, and
// which files were written. Verbs print it to standard error, except device_list. It fits on a
// screen: after 40 devices or files, the rest is counted, but public devices are always listed.
// `all` lists everything.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "renderer/core/shown_diagnostic.h"
#include "renderer/emit/emit.h"
#include "renderer/generate/model.h"
#include "renderer/pipeline.h"
#include "renderer/plan/model.h"

namespace renderer::cli {

// Prints errors and warnings. Similar ones, which differ only in their place and object, are
// counted from the fourth on unless `all`.
std::string diagnostics_text(const std::vector<ShownDiagnostic>& diagnostics, bool all);

// Returns "path:line", or the name of a part that has no lines. Returns "" for an unknown position.
std::string place_of(Pos pos, const SourceMap& sources);

// A table that is wider than `width` characters has shorter sources; 0 is any width.
std::string device_table(const plan::Plan& plan, const SourceMap& sources, bool color, bool all,
                         std::size_t width = 0);

// Returns the table of all devices, with a column for clusters if there are several.
std::string device_list(const std::deque<Run>& runs, bool color, std::size_t width = 0);

// Returns a note for a tree that is rendered completely although Flux or Argo CD applies parts of
// it; otherwise "".
std::string engine_note(const load::Loaded& loaded);

// Counts objects, documents and skipped files, then adds the plan's own lines.
std::string totals(const load::Loaded& loaded, const plan::Plan& plan,
                   const generate::Objects& objects);

// Says which dataplane proxies run, and what chose it. Returns "" if nothing is rendered that has a
// choice.
std::string dataplane_line(const plan::Plan& plan);

std::string write_summary(const std::string& dir, const emit::WriteReport& report, bool all);
// Summarizes the removal of a deleted cluster's tree.
std::string gone_summary(const std::string& dir, const emit::WriteReport& report, bool all);

}  // namespace renderer::cli
