// Files and streams -> documents. Every document is scanned. It is parsed into a tree only if later
// stages decode it, or if the scanner does not understand it. Files are read and parsed on several
// threads; results are in the order of the files.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

// Returns true if a document must be parsed into a tree; nothing else decides that. `in_stream` is
// true for a post-render stream, where documents of the operator's chart are changed.
bool needs_tree(const ScannedDocument& scanned, bool in_stream);

// Adds sources, files, documents, skipped_files and input_bytes. Returns the index of the input
// file of every source; sources that are not among the files have kNone. With `options.validate` a
// mistake is an error even in files that are applied together with nothing of Tailscale.
std::vector<std::uint32_t> read_documents(const repo::SourceTree& tree,
                                          const std::vector<engines::InputFile>& files,
                                          const repo::LoadOptions& options, Loaded& loaded,
                                          Diagnostics& diagnostics);

// Reads the text as the only source, `<stdin>`. Every document of it must be a Kubernetes object.
void read_stream(std::string text, unsigned threads, Loaded& loaded, Diagnostics& diagnostics);

// Does the same for parts of a source that was added before. Each part is a document.
void read_parts(SourceId source, const std::vector<RawDocument>& parts, unsigned threads,
                Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::load
