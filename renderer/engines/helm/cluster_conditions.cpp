#include "renderer/engines/helm/cluster_conditions.h"

#include <fmt/format.h>

#include "renderer/base/pattern.h"
#include "renderer/core/source_map.h"
#include "renderer/engines/helm/exposing_values.h"

namespace renderer::engines {

namespace {

// Returns the first question to the cluster in the text of a template, "" if there is none.
std::string_view question_in(std::string_view text, bool is_template_only) {
    static const std::optional<Pattern> kOfApis = Pattern::parse(R"(\.Capabilities\.APIVersions)");
    static const std::optional<Pattern> kOfAll = Pattern::parse(
        R"(\.Capabilities\.APIVersions|\.Release\.(?:IsUpgrade|IsInstall|Revision)|\blookup\b)");
    const std::vector<Pattern::Span> found = (is_template_only ? kOfApis : kOfAll)->find(text, 0);
    return found.empty() ? std::string_view()
                         : text.substr(found[0].begin, found[0].end - found[0].begin);
}

// True if the output has an object of the template that matters. `path` is that of the template
// below the chart.
bool made_object(std::string_view output, std::string_view path, const repo::TextTest& matters) {
    const std::string source = fmt::format("/{}\n", path);
    for (std::size_t at = output.find(source); at != std::string_view::npos;
         at = output.find(source, at + 1)) {
        if (matters(output.substr(at, output.find("\n---", at) - at))) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<std::string> find_cluster_condition(const ChartSource& chart, std::string_view output,
                                                  const repo::TextTest& matters,
                                                  bool is_template_only) {
    for (const auto& [file, text] : chart.files) {
        if (file.find("/templates/") == std::string::npos || !matters(text)) {
            continue;
        }
        const std::string_view question = question_in(text, is_template_only);
        if (question.empty()) {
            continue;
        }
        SourceMap sources;
        const SourceId source = sources.add(file, text);
        std::string path = file.substr(chart.entry.size() + 1);
        if (!find_exposing_lines(sources, source).empty() && !made_object(output, path, matters)) {
            return fmt::format("{}: {}", path, question);
        }
    }
    return std::nullopt;
}

}  // namespace renderer::engines
