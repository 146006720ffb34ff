#include "renderer/load/repeated_ids.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <tuple>

#include "renderer/core/text_of.h"
#include "renderer/engines/standing.h"

namespace renderer::load {

void note_repeated_ids(const std::vector<engines::InputFile>& files,
                       const std::vector<std::uint32_t>& file_of, Loaded& loaded) {
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
        if (!is_new) {
            engines::note_refused(
                files[index].unit->name,
                fmt::format("kustomize rejects two objects {}", document.object_name()),
                loaded.standings);
        }
    }
}

}  // namespace renderer::load
