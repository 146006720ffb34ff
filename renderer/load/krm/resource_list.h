// The input of a KRM function: a ResourceList on standard input becomes a stream whose documents
// are its items, where they stand. Each item's dash is blanked, so that its bytes are a YAML
// document with true positions, edits are spliced into it as into any other, and the writer only
// puts the dash back. Source: KRM Functions Specification v1; kyaml kio/byteio_reader.go.
#pragma once

#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

constexpr std::string_view kDefaultResourceListVersion = "config.kubernetes.io/v1";

// Annotations by which orchestrators recognise items.
constexpr std::string_view kPathAnnotation = "internal.config.kubernetes.io/path";
constexpr std::string_view kLegacyPathAnnotation = "config.kubernetes.io/path";
constexpr std::string_view kIndexAnnotation = "internal.config.kubernetes.io/index";
constexpr std::string_view kLegacyIndexAnnotation = "config.kubernetes.io/index";

// Where an item comes from: the internal annotation, else the legacy one.
std::string_view item_path(const Value& item);

// Its position among the documents of that file, as orchestrators spell it; "" when no one says.
std::string_view item_index(const Value& item);

// Takes the stream out of the options, fills `loaded.resource_list` and puts what the
// functionConfig says into the options. Must be the first that adds a source. Returns the layers of
// chart values that the functionConfig gives.
std::vector<Value> read_resource_list(const SourceTree& tree, LoadOptions& options, Loaded& loaded,
                                      Diagnostics& diagnostics);

// Those that this run reads: not what an earlier one made.
std::vector<RawDocument> input_items(const ResourceList& list);

// Items that no one applies to a cluster are facts, not inputs.
void mark_local_items(Loaded& loaded);

}  // namespace renderer
