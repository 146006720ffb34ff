#include "renderer/load/loaded.h"

#include <algorithm>

#include "renderer/core/yaml_reader.h"

namespace renderer::load {

std::string_view own_cluster(const Loaded& loaded) {
    return loaded.cluster_level ? std::string_view(loaded.cluster) : std::string_view();
}

std::shared_ptr<const engines::AppliedUnit> unit_of(const Loaded& loaded, SourceId source) {
    return source < loaded.units.size() ? loaded.units[source] : engines::no_unit();
}

engines::HookReaders hook_readers_of(const Loaded& loaded, const Document& document) {
    const auto built = std::ranges::find(loaded.built, document.source, &BuiltSource::source);
    return engines::hook_readers(*unit_of(loaded, document.source), loaded.bundles[document.bundle],
                                 built != loaded.built.end() && built->is_chart);
}

std::string_view kept_reason(const Loaded& loaded, const Document& document) {
    return document.kept == kNone ? std::string_view()
                                  : std::string_view(loaded.kept_reasons[document.kept]);
}

Value read_document(const Loaded& loaded, const Document& document, Diagnostics& diagnostics) {
    return document.root.is_null()
               ? read_yaml(loaded.sources, document.source, document.range, diagnostics)
               : document.root.clone();
}

std::string_view document_text(const Loaded& loaded, const Document& document) {
    return loaded.sources.text(document.source)
        .substr(document.range.begin, document.range.end - document.range.begin);
}

}  // namespace renderer::load
