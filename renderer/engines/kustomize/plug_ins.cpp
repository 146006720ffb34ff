#include "renderer/engines/kustomize/plug_ins.h"

#include <algorithm>
#include <array>
#include <vector>

#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kBuiltin = "builtin";
constexpr std::string_view kChartGenerator = "HelmChartInflationGenerator";
constexpr std::array<std::string_view, 2> kFunctionAnnotations = {"config.kubernetes.io/function",
                                                                  "config.k8s.io/function"};
// The only fields that a directory of builtin plug-ins may have.
constexpr std::array<std::string_view, 4> kListing = {"apiVersion", "kind", "metadata",
                                                      "resources"};
constexpr int kDeepestPlugIn = 10;

bool is_chart_generator(const Value& document) {
    return text_of(document, {"apiVersion"}) == kBuiltin &&
           text_of(document, {"kind"}) == kChartGenerator;
}

bool is_builtin(const Value& document) {
    return text_of(document, {"apiVersion"}) == kBuiltin && !is_chart_generator(document) &&
           std::ranges::none_of(kFunctionAnnotations, [&](std::string_view name) {
               return document.at({"metadata", "annotations", name}) != nullptr;
           });
}

bool are_builtin(const repo::SourceTree& tree, KustomizationReader& reader, const std::string& path,
                 int depth) {
    if (tree.kind(path) == repo::EntryKind::File) {
        const Result<std::string> text = tree.read(path);
        return text && std::ranges::all_of(documents_of(*text), is_builtin);
    }
    const Kustomization* list = reader.find(path);
    return depth < kDeepestPlugIn && list != nullptr && list->root.is_map() &&
           std::ranges::all_of(list->root.members(),
                               [](const Member& member) {
                                   return std::ranges::find(kListing, member.name()) !=
                                          kListing.end();
                               }) &&
           std::ranges::all_of(items_of(list->root.find("resources")), [&](const Value& entry) {
               return are_builtin(tree, reader,
                                  repo::normal_path(repo::join_path(path, text_of(entry))),
                                  depth + 1);
           });
}

}  // namespace

std::vector<Value> documents_of(std::string_view text) {
    SourceMap sources;
    const SourceId source = sources.add("", std::string(text));
    std::vector<Value> documents;
    for (const ScannedDocument& scanned : scan_documents(sources, source)) {
        if (!scanned.blank) {
            Diagnostics faults;
            documents.push_back(read_yaml(sources, source, scanned.range, faults).clone());
        }
    }
    if (documents.empty()) {
        documents.emplace_back();
    }
    return documents;
}

std::string foreign_plug_in(const repo::SourceTree& tree, KustomizationReader& reader,
                            const std::string& dir, std::string_view entry) {
    const std::string path = repo::normal_path(repo::join_path(dir, entry));
    if (tree.kind(path) != repo::EntryKind::Missing) {
        return are_builtin(tree, reader, path, 0) ? "" : path;
    }
    const std::vector<Value> documents = documents_of(entry);
    const auto foreign = std::ranges::find_if_not(documents, is_builtin);
    return foreign != documents.end() && foreign->is_map()
               ? std::string(text_of(*foreign, {"kind"}))
               : "";
}

bool makes_charts(const repo::SourceTree& tree, const std::string& dir, std::string_view entry) {
    const std::string path = repo::normal_path(repo::join_path(dir, entry));
    const repo::EntryKind kind = tree.kind(path);
    if (kind == repo::EntryKind::Missing) {
        return std::ranges::any_of(documents_of(entry), is_chart_generator);
    }
    const Result<std::string> text =
        kind == repo::EntryKind::File ? tree.read(path) : Result<std::string>(std::string());
    return text && std::ranges::any_of(documents_of(*text), is_chart_generator);
}

}  // namespace renderer::engines
