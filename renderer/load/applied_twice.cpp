#include "renderer/load/applied_twice.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "renderer/core/text_of.h"

namespace renderer::load {

void drop_applied_twice(const std::vector<engines::InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, Loaded& loaded) {
    using Name = std::tuple<std::string_view, std::string_view, std::string_view>;
    std::map<Name, std::vector<const Document*>> known;
    const auto file_at = [&](const Document& document) -> const engines::InputFile& {
        return files[file_of[document.source]];
    };
    const auto is_same = [&](const Document& first, const Document& second) {
        const engines::InputFile& file = file_at(second);
        return file.unit->is_included ||
               (file_at(first).path == file.path && first.root == second.root);
    };
    // Applied documents come first, then kept ones, then those of included directories.
    const auto rank_of = [&](const Document& document) {
        return file_at(document).unit->is_included ? 2 : document.kept != kNone ? 1 : 0;
    };
    for (const int rank : {0, 1, 2}) {
        const bool is_included = rank == 2;
        for (Document& document : loaded.documents) {
            if (!document.reachable || document.root.is_null() ||
                file_of[document.source] == kNone || rank_of(document) != rank) {
                continue;
            }
            std::vector<const Document*>& twins = known[{
                text_of(document.kind), document.effective_namespace, text_of(document.name)}];
            const bool is_known = std::ranges::any_of(twins, [&](const Document* twin) {
                const bool is_other = twin->source != document.source;
                const bool is_replaced = rank == 1 && rank_of(*twin) == 0;
                return is_other && (is_replaced || is_same(*twin, document)) &&
                       !(is_included && file_at(*twin).unit->is_included);
            });
            if (is_known) {
                document.reachable = false;
            } else {
                twins.push_back(&document);
            }
        }
    }
}

}  // namespace renderer::load
