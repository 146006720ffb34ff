#include "renderer/load/loaded.h"

#include "renderer/core/yaml_reader.h"

namespace renderer::load {

std::string_view own_cluster(const Loaded& loaded) {
    return loaded.cluster_level ? std::string_view(loaded.cluster) : std::string_view();
}

std::shared_ptr<const engines::AppliedUnit> unit_of(const Loaded& loaded, SourceId source) {
    return source < loaded.units.size() ? loaded.units[source] : engines::no_unit();
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
