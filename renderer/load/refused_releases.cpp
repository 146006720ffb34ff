#include "renderer/load/refused_releases.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/standing.h"
#include "renderer/load/release_objects.h"
#include "renderer/repo/paths.h"

namespace renderer::load {

namespace {

void warn_of_source(const Document& source, const Document& release, const Loaded& loaded,
                    Diagnostics& diagnostics) {
    Diagnostics said;
    const Value object = read_document(loaded, source, said);
    if (said.has_errors() || !engines::has_own_field(object)) {
        return;
    }
    if (const auto fault = engines::rejected_source(object)) {
        engines::warn_rejected(fmt::format("{} {}, the source of {}", text_of(source.kind),
                                           text_of(source.name), release.object_name()),
                               *fault, diagnostics);
    }
}

// Warns of the source of a release that names Tailscale. Returns the error if the source has a typo
// in its name.
std::optional<Diagnostic> judge_source(const Document& document, const Value& object,
                                       const Loaded& loaded, Diagnostics& diagnostics) {
    const Value* source = object.at({"spec", "chart", "spec", "sourceRef"});
    source = source == nullptr ? object.at({"spec", "chartRef"}) : source;
    if (source == nullptr) {
        return std::nullopt;
    }
    const std::string_view kind = text_of(*source, {"kind"});
    const std::string_view name = text_of(*source, {"name"});
    std::vector<std::string_view> names;
    std::vector<const Document*> found;
    for (const Document& one : loaded.documents) {
        if (text_of(one.kind) == kind) {
            names.push_back(text_of(one.name));
            found.insert(found.end(), text_of(one.name) == name ? 1 : 0, &one);
        }
    }
    if (found.size() == 1 && document.mentions_tailscale) {
        warn_of_source(*found.front(), document, loaded, diagnostics);
    }
    const std::string_view meant = engines::meant_name(name, names);
    if (meant.empty()) {
        return std::nullopt;
    }
    Diagnostics said;
    said.error("broken-unit", source->find("name")->pos(),
               "this installs nothing because Flux does not find the source of its chart")
        .object(document.object_name())
        .found(fmt::format("no {} \"{}\" in the tree", kind, name))
        .expected("the name of a source of charts")
        .hint(did_you_mean(meant));
    return said.all().front();
}

// Notes a release of which Flux finds no source, or which lacks a field that changes nothing here.
// Returns what to report if it makes inputs.
std::optional<Diagnostic> judge_followed(const Document& document, const Value& object,
                                         Loaded& loaded, Diagnostics& diagnostics) {
    const std::shared_ptr<const engines::AppliedUnit> unit = unit_of(loaded, document.source);
    const auto note = [&](engines::Liveness liveness, std::string reason) {
        loaded.standings.all.push_back(
            release_standing(document.object_name(), liveness, std::move(reason), *unit));
    };
    std::optional<Diagnostic> error = judge_source(document, object, loaded, diagnostics);
    if (error) {
        note(engines::Liveness::Broken, error->found);
        if (document.mentions_tailscale) {
            diagnostics.add(*error);
        }
        return error;
    }
    const std::optional<engines::IncompleteObject> lacking = engines::lacking_settings(object);
    // A patch of the unit may add the field.
    if (!lacking || !engines::has_own_field(object) || unit->is_patched) {
        return std::nullopt;
    }
    // The object in the cluster stays as it was before.
    note(engines::Liveness::Kept, lacking->message);
    Diagnostics said;
    engines::warn_rejected(document.object_name(), *lacking, said);
    return said.all().front();
}

}  // namespace

std::optional<Diagnostic> note_refused_release(const Document& document, const Value& object,
                                               bool is_unread, Loaded& loaded,
                                               Diagnostics& diagnostics) {
    const std::string name = document.object_name();
    const std::shared_ptr<const engines::AppliedUnit> unit = unit_of(loaded, document.source);
    std::string why;
    Pos pos = document.kind.pos();
    if (is_unread) {
        why = fmt::format("{} cannot be read", loaded.sources.path(document.source));
    } else if (std::optional<engines::Misspelling> misspelling = engines::misspelling_of(object)) {
        why = std::move(misspelling->message);
        pos = misspelling->pos;
    } else {
        std::optional<engines::IncompleteObject> incomplete = engines::incomplete_object(object);
        if (!incomplete) {
            return judge_followed(document, object, loaded, diagnostics);
        }
        if (incomplete->is_missing) {
            // The object may be a patch, or a patch may add the missing field.
            loaded.standings.all.push_back(release_standing(name, engines::Liveness::Kept,
                                                            std::move(incomplete->message), *unit));
            return std::nullopt;
        }
        why = std::move(incomplete->message);
        pos = incomplete->pos;
    }
    if (document.mentions_tailscale && !is_unread) {
        diagnostics.error("broken-unit", pos, "this installs nothing because its engine rejects it")
            .object(name)
            .found(why)
            .expected("an object that the engine accepts")
            .hint(std::string(engines::kAskServer));
    }
    loaded.refused_files.insert(
        repo::normal_path(std::string(loaded.sources.path(document.source))));
    loaded.standings.all.push_back(release_standing(name, engines::Liveness::Broken, why, *unit));
    engines::note_refused(*unit, fmt::format("{}: {}", name, why), loaded.standings);
    return std::nullopt;
}

}  // namespace renderer::load
