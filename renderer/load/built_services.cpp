#include "renderer/load/built_services.h"

#include <cstddef>
#include <map>
#include <utility>

#include "renderer/contract/domain.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::load {

namespace {

Document copy_of(const Document& service) {
    Document copy;
    copy.source = service.source;
    copy.range = service.range;
    copy.root = service.root.clone();
    return copy;
}

std::vector<Document> egress_services(const repo::SourceTree& tree, const std::string& path,
                                      SourceMap& sources) {
    std::vector<Document> found;
    Result<std::string> text = tree.read(path);
    if (!text || text->find(kOperatorDomain) == std::string::npos ||
        sources.total_bytes() + text->size() > kMaxSource) {
        return found;
    }
    const SourceId source = sources.add(path, std::move(*text));
    for (const ScannedDocument& scanned : scan_documents(sources, source)) {
        Diagnostics discarded;
        Document document;
        document.source = source;
        document.range = scanned.range;
        document.root = read_yaml(sources, source, scanned.range, discarded);
        if (text_of(document.root, {"kind"}) == "Service" &&
            text_of(document.root, {"spec", "type"}) == "ExternalName") {
            found.push_back(std::move(document));
        }
    }
    return found;
}

}  // namespace

void find_built(const repo::SourceTree& tree, const std::vector<engines::InputFile>& files,
                const std::vector<std::uint32_t>& file_of, Loaded& loaded) {
    std::map<std::string, std::vector<Document>> known;  // a file of two builds is added once
    for (SourceId source = 0; source < file_of.size(); ++source) {
        if (file_of[source] == kNone || !files[file_of[source]].text) {
            continue;
        }
        BuiltSource& built = loaded.built.emplace_back();
        built.source = source;
        built.is_chart = files[file_of[source]].is_chart;
        built.is_set = files[file_of[source]].is_set;
        for (const std::string& path : files[file_of[source]].made_of) {
            const auto [found, is_new] = known.try_emplace(path);
            if (is_new) {
                found->second = egress_services(tree, path, loaded.sources);
            }
            for (const Document& service : found->second) {
                built.egress.push_back(copy_of(service));
            }
        }
    }
}

}  // namespace renderer::load
