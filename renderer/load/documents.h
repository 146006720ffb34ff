// Files and streams -> documents. Everything is scanned; the whole tree is read only of documents
// that later stages decode, and of those that the scanner does not understand. Files are read and
// parsed on several threads; results are in the order of the files.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

// The one place that says which documents are read whole. `in_stream`: a post-render stream, where
// documents of the operator's chart are changed.
bool needs_tree(const ScannedDocument& scanned, bool in_stream);

// Adds sources, files, documents, skipped_files and input_bytes. Returns, for every source, the
// index of its input file; sources that are not among the files have kNone. Of the asked options
// `validate` makes a mistake an error also where nothing of Tailscale is beside it.
std::vector<std::uint32_t> read_documents(const SourceTree& tree,
                                          const std::vector<InputFile>& files,
                                          const LoadOptions& options, Loaded& loaded,
                                          Diagnostics& diagnostics);

// The one source `<stdin>`: every document of it must be a Kubernetes object.
void read_stream(std::string text, unsigned threads, Loaded& loaded, Diagnostics& diagnostics);

// The same for parts of a source that was added before, each of which is a document.
void read_parts(SourceId source, const std::vector<RawDocument>& parts, unsigned threads,
                Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
