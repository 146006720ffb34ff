#include "renderer/engines/helm/release_parts.h"

#include <fmt/format.h>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/helm/values_files.h"

namespace renderer::engines {

std::string first_text(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) {
        if (!text.empty()) {
            return std::string(text);
        }
    }
    return {};
}

ChartRelease start_release(const Value& object, std::string_view ns) {
    ChartRelease release;
    const Value* kind = object.find("kind");
    release.pos = kind == nullptr ? object.pos() : kind->pos();
    release.object =
        object_name(text_of(object, {"kind"}), ns, text_of(object, {"metadata", "name"}));
    release.object_ns = ns;
    return release;
}

repo::ChartAddress chart_address(std::string_view repository, const ChartRelease& release) {
    return {
        .repository = std::string(repository), .chart = release.chart, .version = release.version};
}

void add_value_map(const Value* values, ChartRelease& release) {
    if (values != nullptr && values->is_map()) {
        release.values.push_back(values->clone());
    }
}

void add_value_text(const Value* text, SourceMap& sources, ChartRelease& release) {
    if (text_of(text).empty()) {
        return;
    }
    Diagnostics said;
    const Value values =
        read_values_text(*text, fmt::format("values of {}", release.object), sources, said);
    note_said(said, release.object, release.values.size(), release.unread, release.warnings);
    add_value_map(&values, release);
}

void add_value_sets(const std::vector<std::string>& sets, Pos pos, SourceMap& sources,
                    ChartRelease& release) {
    Diagnostics said;
    const std::size_t below = release.values.size();
    add_sets(sets, sources, release.values, said);
    if (said.has_errors()) {
        release.unread.push_back(
            {.kind = Unread::Refused,
             .below = below,
             .diagnostic = {.rule = "invalid-set",
                            .pos = pos,
                            .object = release.object,
                            .message = "helm refuses this value of the operator's chart",
                            .found = said.all().front().message,
                            .expected = "the path of a key, and its value",
                            .hint = "correct it, or give the values with --values FILE"}});
    }
}

}  // namespace renderer::engines
