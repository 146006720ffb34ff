#include "renderer/load/roots/not_reconciled.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"

namespace renderer {

namespace {

bool is_unapplied_input(const Document& document) {
    const std::string_view kind = text_of(document.kind);
    return document.mentions_tailscale &&
           (kind == "Service" || kind == "Ingress" ||
            text_of(document.api_version).starts_with("tailscale.com/"));
}

}  // namespace

std::string why_not_reconciled(const Value& object) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kReasons = {
        {{"kustomize.toolkit.fluxcd.io/reconcile", "disabled"},
         {"kustomize.toolkit.fluxcd.io/ssa", "ignore"}}};
    for (const std::string_view field : {"labels", "annotations"}) {
        for (const auto& [key, value] : kReasons) {
            const std::string_view text = text_of(object, {"metadata", field, key});
            if (lower_case(text) == value) {
                return fmt::format("{}: {}", key, text);
            }
        }
    }
    return {};
}

void leave_to_flux(const std::vector<InputFile>& files, const std::vector<std::uint32_t>& file_of,
                   Loaded& loaded, Diagnostics& diagnostics) {
    for (Document& document : loaded.documents) {
        const std::uint32_t file = file_of[document.source];
        if (file == kNone || !files[file].heeds_flux || document.root.is_null()) {
            continue;
        }
        const std::string reason = why_not_reconciled(document.root);
        if (reason.empty()) {
            continue;
        }
        document.reachable = false;
        if (is_unapplied_input(document)) {
            diagnostics
                .warning("not-reconciled", document.kind.pos(),
                         "Flux does not apply this object: what it exposes is not rendered")
                .object(document.object_name())
                .found(reason)
                .expected("an object that Flux applies")
                .hint("--suspended renders it");
        }
    }
}

}  // namespace renderer
