// What a run says to the person who started it: errors and warnings, and at its end which devices
// the cluster will have and which of them anyone on the internet can reach, how much was made, what
// was written. Goes to standard error only, and fits a screen: of more than 40 devices or files the
// rest is counted, but for devices that are public. `all` shows every one of them.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "renderer/core/shown_diagnostic.h"
#include "renderer/emit/emit.h"
#include "renderer/generate/model.h"
#include "renderer/pipeline.h"
#include "renderer/plan/model.h"

namespace renderer {

// What equal errors and warnings say, from the fourth on counted: equal are those that differ only
// in their place and object.
std::string diagnostics_text(const std::vector<ShownDiagnostic>& diagnostics, bool all);

// "path:line", or the name of a part that has no lines; "" for an unknown position.
std::string place_of(Pos pos, const SourceMap& sources);

std::string device_table(const Plan& plan, const SourceMap& sources, bool color, bool all);

// Returns the table of all devices, with a column for clusters if there are several.
std::string device_list(const std::deque<Run>& runs, bool color);

// In a tree that is rendered whole: that an engine applies parts of it. "" where none does.
std::string engine_note(const Loaded& loaded);

// Counts of objects, documents and skipped files, then the plan's own lines.
std::string totals(const Loaded& loaded, const Plan& plan, const Objects& objects);

std::string write_summary(const std::string& dir, const WriteReport& report, bool all);
// Of the tree of a cluster that there is no more.
std::string gone_summary(const std::string& dir, const WriteReport& report, bool all);

}  // namespace renderer
