#include "renderer/load/kept_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "renderer/contract/domain.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/flux/not_reconciled.h"

namespace renderer::load {

namespace {

bool is_unapplied_input(const Document& document) {
    const std::string_view kind = text_of(document.kind);
    return document.mentions_tailscale &&
           (kind == "Service" || kind == "Ingress" ||
            text_of(document.api_version).starts_with(kOperatorDomain));
}

// Returns the mark by which an object is not reconciled, or "". Of documents that were only
// scanned, it checks releases of charts, Services and Ingresses.
std::string mark_of(const Loaded& loaded, const Document& document) {
    if (!document.root.is_null()) {
        return engines::why_not_reconciled(document.root);
    }
    const std::string_view kind = text_of(document.kind);
    const bool may_be_marked =
        (kind == "HelmRelease" || kind == "HelmChart" || kind == "Service" || kind == "Ingress") &&
        document_text(loaded, document).find("kustomize.toolkit.fluxcd.io/") !=
            std::string_view::npos;
    Diagnostics discarded;
    return may_be_marked ? engines::why_not_reconciled(read_document(loaded, document, discarded))
                         : std::string();
}

std::uint32_t reason_index(std::string reason, Loaded& loaded) {
    std::vector<std::string>& known = loaded.kept_reasons;
    if (known.empty() || known.back() != reason) {
        known.push_back(std::move(reason));
    }
    return static_cast<std::uint32_t>(known.size() - 1);
}

void warn_skipped(const Document& document, std::string_view mark, Diagnostics& diagnostics) {
    if (is_unapplied_input(document)) {
        diagnostics
            .warning("not-reconciled", document.kind.pos(),
                     "Flux leaves this object as it is: what it exposes is not rendered")
            .object(document.object_name())
            .found(mark)
            .expected("an object that Flux applies")
            .hint("without --skip-suspended it is rendered, and marked");
    }
}

}  // namespace

void mark_kept(const std::vector<engines::InputFile>& files,
               const std::vector<std::uint32_t>& file_of, bool skips_kept, Loaded& loaded,
               Diagnostics& diagnostics) {
    for (Document& document : loaded.documents) {
        const std::uint32_t index = file_of[document.source];
        if (index == kNone || !document.reachable) {
            continue;
        }
        const engines::InputFile& file = files[index];
        const std::string mark = file.unit->is_flux ? mark_of(loaded, document) : std::string();
        if (!mark.empty()) {
            loaded.standings.objects.emplace(document.object_name(),
                                             fmt::format("is kept: {}", mark));
        }
        if (!mark.empty() && skips_kept) {
            document.reachable = false;
            warn_skipped(document, mark, diagnostics);
            continue;
        }
        const std::string& reason = file.unit->kept.empty() ? mark : file.unit->kept;
        if (!reason.empty()) {
            document.kept = reason_index(reason, loaded);
        }
    }
}

void note_units(const std::vector<engines::InputFile>& files,
                const std::vector<std::uint32_t>& file_of, Loaded& loaded) {
    loaded.units.resize(std::max(loaded.units.size(), file_of.size()), engines::no_unit());
    for (std::size_t source = 0; source < file_of.size(); ++source) {
        if (file_of[source] != kNone) {
            loaded.units[source] = files[file_of[source]].unit;
        }
    }
}

}  // namespace renderer::load
