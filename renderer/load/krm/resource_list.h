// Reads the input of a KRM function: a ResourceList on standard input becomes a stream whose
// documents are its items, at their positions. The dash of each item is blanked, so that its bytes
// are a YAML document with correct positions. Edits are spliced into it as into any other document,
// and the writer only restores the dash. Source: KRM Functions Specification v1; kyaml
// kio/byteio_reader.go.
#pragma once

#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

constexpr std::string_view kDefaultResourceListVersion = "config.kubernetes.io/v1";

// Annotations by which orchestrators identify items.
constexpr std::string_view kPathAnnotation = "internal.config.kubernetes.io/path";
constexpr std::string_view kLegacyPathAnnotation = "config.kubernetes.io/path";
constexpr std::string_view kIndexAnnotation = "internal.config.kubernetes.io/index";
constexpr std::string_view kLegacyIndexAnnotation = "config.kubernetes.io/index";

// Returns the path of an item: the internal annotation, else the legacy one.
std::string_view item_path(const Value& item);

// Returns the index of the item among the documents of its file, as orchestrators spell it; "" if
// it has no such annotation.
std::string_view item_index(const Value& item);

// Takes the stream out of the options, fills `loaded.resource_list` and copies the settings of the
// functionConfig into the options. Must be called before any other source is added to `loaded`.
// Returns the layers of chart values of the functionConfig.
std::vector<Value> read_resource_list(const repo::SourceTree& tree, repo::LoadOptions& options,
                                      Loaded& loaded, Diagnostics& diagnostics);

// Returns the items that this run reads, without those that an earlier run made.
std::vector<RawDocument> input_items(const ResourceList& list);

// Turns items that no one applies to a cluster into facts.
void mark_local_items(Loaded& loaded);

}  // namespace renderer::load
