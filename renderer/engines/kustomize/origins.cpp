#include "renderer/engines/kustomize/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/repo/paths.h"

namespace renderer {

namespace {

constexpr std::string_view kAnnotation = "config.kubernetes.io/origin";

// kustomize has no two objects of one key.
using Key = std::array<std::string, 4>;

Key key_of(const Value& root) {
    return {std::string(text_of(root, {"apiVersion"})), std::string(text_of(root, {"kind"})),
            std::string(text_of(root, {"metadata", "namespace"})),
            std::string(text_of(root, {"metadata", "name"}))};
}

Key key_of(const SourceMap& sources, SourceId source, const ScannedDocument& scanned) {
    if (scanned.plain) {
        return {std::string(text_of(scanned.api_version)), std::string(text_of(scanned.kind)),
                std::string(text_of(scanned.ns)), std::string(text_of(scanned.name))};
    }
    Diagnostics discarded;
    return key_of(read_yaml(sources, source, scanned.range, discarded));
}

// The annotation is YAML itself: `path` of a file, or `configuredIn` of a generator.
std::string file_of_origin(std::string_view annotation) {
    SourceMap sources;
    Diagnostics discarded;
    const Value origin = read_yaml(sources, sources.add("", std::string(annotation)), discarded);
    if (!origin.is_map()) {
        return {};
    }
    const std::string_view path = text_of(origin, {"path"});
    return std::string(path.empty() ? text_of(origin, {"configuredIn"}) : path);
}

std::map<Key, std::string> files_of(std::string_view annotated) {
    std::map<Key, std::string> files;
    SourceMap sources;
    const SourceId source = sources.add("", std::string(annotated));
    for (const ScannedDocument& scanned : scan_documents(sources, source)) {
        Diagnostics discarded;
        const Value root = read_yaml(sources, source, scanned.range, discarded);
        if (root.is_map()) {
            files.emplace(key_of(root),
                          file_of_origin(text_of(root, {"metadata", "annotations", kAnnotation})));
        }
    }
    return files;
}

}  // namespace

std::string kustomization_with_origins(std::string_view dir) {
    Value metadata = Value::list();
    metadata.append("originAnnotations");
    Value resources = Value::list();
    resources.append(dir);
    Value root = Value::map();
    root.put("buildMetadata", std::move(metadata));
    root.put("resources", std::move(resources));
    std::string text;
    write_yaml(root, text);
    return text;
}

std::vector<DocumentOrigin> origins_of(std::string_view stream, std::string_view annotated) {
    const std::map<Key, std::string> files = files_of(annotated);
    std::vector<DocumentOrigin> origins;
    SourceMap sources;
    const SourceId source = sources.add("", std::string(stream));
    for (const ScannedDocument& scanned : scan_documents(sources, source)) {
        const auto known = files.find(key_of(sources, source, scanned));
        origins.push_back({scanned.range.begin, known == files.end() ? "" : known->second});
    }
    return origins;
}

const DocumentOrigin* origin_at(const std::vector<DocumentOrigin>& origins, std::size_t offset) {
    const auto behind = std::ranges::upper_bound(origins, offset, {}, &DocumentOrigin::begin);
    return behind == origins.begin() ? nullptr : &*std::prev(behind);
}

void name_documents(const std::vector<DocumentOrigin>& origins, SourceId source,
                    const std::string& root, SourceMap& sources) {
    const std::string build(sources.path(source));
    for (const DocumentOrigin& origin : origins) {
        if (origin.file.empty()) {
            sources.name_part(source, origin.begin, build);
        } else {
            sources.name_part(source, origin.begin, fmt::format("{} ({})", origin.file, build),
                              relative_path(origin.file, root));
        }
    }
}

}  // namespace renderer
