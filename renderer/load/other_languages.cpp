#include "renderer/load/other_languages.h"

#include <algorithm>
#include <string_view>

#include "renderer/base/printable.h"
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
    diagnostics
        .warning("other-language", {},
                 "these files mention Tailscale, but tailrender does not evaluate them: what they "
                 "generate is not rendered")
        .where(files.front())
        .found(some_of(files, kMost))
        .expected("no objects that use Tailscale in what they generate")
        .hint("to render what they generate, commit it as YAML; --ignore DIR ends the warning");
}

}  // namespace renderer::load
