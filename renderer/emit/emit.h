// Stage 5: documents, objects and edits -> bytes. The only stage that writes. A writer per mode:
// stream, directory. Documents that are not ours leave byte for byte as they came, but for the
// edits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/generate/generate.h"
#include "renderer/load/load.h"
#include "renderer/plan/plan.h"

namespace renderer {

struct Output {
    const Loaded& loaded;
    const Plan& plan;
    const Objects& objects;
};

// Order: Helm's InstallOrder, then (namespace, name); foreign documents keep their bytes. Empty for
// empty input only.
std::string emit_stream(const Output& output);

// A file of the output tree: path relative to the cluster's directory, sorted bytewise.
struct OutputFile {
    std::string path;
    std::string content;
};
std::vector<OutputFile> emit_tree(const Output& output);

struct WriteReport {
    std::vector<std::string> created, changed, removed;  // paths relative to DIR
    std::size_t unchanged = 0;
};

// Replaces the tree under `dir` file by file (temporary file + rename), the inventory last; removes
// stale files that the previous inventory lists, never others. A killed run is completed by the
// next.
Result<WriteReport> write_tree(const std::string& dir, const std::vector<OutputFile>& files);

// What `write_tree` would do, as a unified diff; empty when nothing.
Result<std::string> compare_tree(const std::string& dir, const std::vector<OutputFile>& files);

}  // namespace renderer
