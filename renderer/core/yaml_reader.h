// Reads YAML 1.2 text into a Value, the way Kubernetes tools understand it: anchors, aliases and
// merge keys are expanded, plain scalars resolve by the YAML 1.1 rules of sigs.k8s.io/yaml for
// booleans and null, and numbers keep their spelling. Refuses, naming both places if there are two:
// duplicate keys, bad UTF-8, tabs as indentation, recursive anchors, nesting deeper than kMaxDepth,
// alias bombs (more than kMaxAliasNodes nodes made by aliases in one document; long texts weigh
// more), and keys that are not scalars. JSON input is read here as well, since that keeps
// positions.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer::inline core {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxAliasNodes = 100'000;
constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20U;

// One document of a stream. Byte range [begin, end) in the source's text, without the `---` line
// that opens it and including everything up to the next separator.
struct RawDocument {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// How duplicate keys are treated, and a second document where one is expected. AsHelm is for
// values: the last key and the first document win, and merged keys win over the keys above them,
// with warnings.
enum class Repeated { Refused, AsHelm };

// The rule of a warning: a key above "<<" has another value in the merged map, so that tools
// disagree about it. It is an error where the value matters.
inline constexpr std::string_view kDisagreement = "yaml-merge";

// Reads the one document in the range. A blank or comment-only document is Null. Errors go to
// `diagnostics` (rules "yaml-…", "duplicate-key", "bad-utf8", "tab-indentation"), and the result is
// then Null. Thread-safe for different Diagnostics.
Value read_yaml(const SourceMap& sources, SourceId source, RawDocument range,
                Diagnostics& diagnostics, Repeated repeated = Repeated::Refused);

// Reads the whole text, in which at most one document may be non-blank (a values file, fleet.yaml,
// …).
Value read_yaml(const SourceMap& sources, SourceId source, Diagnostics& diagnostics,
                Repeated repeated = Repeated::Refused);

// The slow path of read_yaml, for documents that block_reader.h does not support: yaml-cpp,
// whatever the style. `text` starts at byte `begin` of the source and holds no character that YAML
// forbids.
Value read_any_style(const SourceMap& sources, SourceId source, std::size_t begin,
                     std::string_view text, Diagnostics& diagnostics,
                     Repeated repeated = Repeated::Refused);

}  // namespace renderer::inline core
