#include "renderer/load/repeated_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "renderer/core/text_of.h"
#include "renderer/engines/standing.h"
#include "renderer/load/name_references.h"

namespace renderer::load {
namespace {

bool is_generated(const engines::Selection& selection, const engines::InputFile& file,
                  const Document& document) {
    return text_of(document.api_version) == "v1" &&
           std::ranges::any_of(
               selection.builds[file.build].generated, [&](const engines::GeneratedName& made) {
                   return made.name == text_of(document.name) &&
                          made.kind == text_of(document.kind) &&
                          or_default(made.ns) == build_namespace(selection, file, document);
               });
}

}  // namespace

void note_repeated_ids(const engines::Selection& selection,
                       const std::vector<std::uint32_t>& file_of, Loaded& loaded) {
    const std::vector<engines::InputFile>& files = selection.files;
    using Id = std::tuple<std::uint32_t, std::string_view, std::string_view, std::string_view,
                          std::string_view>;
    std::set<Id> known;
    for (const Document& document : loaded.documents) {
        const std::uint32_t index = file_of[document.source];
        if (index == kNone || files[index].build == kNone || files[index].text ||
            text_of(document.name).empty()) {
            continue;
        }
        const bool is_new =
            known
                .emplace(files[index].build, text_of(document.api_version), text_of(document.kind),
                         document.effective_namespace, text_of(document.name))
                .second;
        if (!is_new || is_generated(selection, files[index], document)) {
            engines::note_refused(
                *files[index].unit,
                fmt::format("kustomize rejects two objects {}", document.object_name()),
                loaded.standings);
        }
    }
}

}  // namespace renderer::load
