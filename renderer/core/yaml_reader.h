// YAML 1.2 text -> Value, the way Kubernetes tools understand it: anchors, aliases and merge keys
// are expanded, plain scalars resolve by the YAML 1.1 rules of sigs.k8s.io/yaml for booleans and
// null and keep the spelling of numbers. Refused, naming both places where there are two: duplicate
// keys, bad UTF-8, tabs as indentation, recursive anchors, nesting deeper than kMaxDepth, alias
// bombs (more than kMaxAliasNodes nodes made by aliases in one document; long texts weigh more),
// keys that are not scalars. JSON input goes through here too, since it keeps positions.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxAliasNodes = 100'000;
constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20U;

// One document of a stream. Byte range [begin, end) in the source's text, without the `---` line
// that opens it and including everything up to the next separator.
struct RawDocument {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// Of two keys of one name, and of two documents where one is read. AsHelm, for values: the last key
// and the first document count, keys that are merged win over those above them, with warnings.
enum class Repeated { Refused, AsHelm };

// Reads the one document in the range. A blank or comment-only document is Null. Errors go to
// `diagnostics` (rules "yaml-…", "duplicate-key", "bad-utf8", "tab-indentation"); the result is
// Null then. Thread-safe for different Diagnostics.
Value read_yaml(const SourceMap& sources, SourceId source, RawDocument range,
                Diagnostics& diagnostics, Repeated repeated = Repeated::Refused);

// Same for the whole text, in which only one document may not be blank (a values file, fleet.yaml,
// …).
Value read_yaml(const SourceMap& sources, SourceId source, Diagnostics& diagnostics,
                Repeated repeated = Repeated::Refused);

// What read_yaml does when block_reader.h is not certain: yaml-cpp, whatever the style. `text`
// starts at byte `begin` of the source and holds no character that YAML forbids.
Value read_any_style(const SourceMap& sources, SourceId source, std::size_t begin,
                     std::string_view text, Diagnostics& diagnostics,
                     Repeated repeated = Repeated::Refused);

}  // namespace renderer
