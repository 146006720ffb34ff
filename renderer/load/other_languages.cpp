#include "renderer/load/other_languages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "renderer/core/text_of.h"

namespace renderer::load {

namespace {

constexpr std::string_view kKargo = "kargo.akuity.io/";

}  // namespace

void warn_other_languages(std::vector<std::string> files, const Loaded& loaded,
                          Diagnostics& diagnostics) {
    constexpr std::size_t kMost = 3;
    for (const Document& document : loaded.documents) {
        if (document.mentions_tailscale && text_of(document.api_version).starts_with(kKargo)) {
            std::string path(loaded.sources.path(document.source));
            if (std::ranges::find(files, path) == files.end()) {
                files.push_back(std::move(path));
            }
        }
    }
    if (files.empty()) {
        return;
    }
    const std::size_t more = files.size() > kMost ? files.size() - kMost : 0;
    const std::string first = files.front();
    files.resize(files.size() - more);
    diagnostics
        .warning("other-language", {},
                 "these files mention Tailscale, but tailrender does not evaluate them: what they "
                 "generate is not rendered")
        .where(first)
        .found(fmt::format("{}{}", fmt::join(files, ", "),
                           more == 0 ? std::string() : fmt::format(" and {} more", more)))
        .expected("no objects that use Tailscale in what they generate")
        .hint("to render what they generate, commit it as YAML; --ignore DIR ends the warning");
}

}  // namespace renderer::load
