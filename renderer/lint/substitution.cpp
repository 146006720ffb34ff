// Checks Flux's substitution of variables and what it expects in a directory, and Helm charts that
// would take rendered output for a template. Source: fluxcd/pkg
// kustomize/kustomize_{generator,varsub}.go, kustomize-controller internal/controller.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/lint/families.h"
#include "renderer/lint/flux_patches.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

bool is_name_char(char c) {
    return is_alphanumeric(c) || c == '_';
}

class FluxCheck {
public:
    FluxCheck(const LintContext& context, const RepositoryDocument& applier,
              const std::vector<FluxPatch>& patches)
        : context_(context),
          applier_(applier),
          may_substitute_(is_patched(patches, &FluxPatch::substitutes, applier.name())),
          may_decrypt_(is_patched(patches, &FluxPatch::decrypts, applier.name())),
          path_(path_in_repository(text_of(applier.root.at({"spec", "path"})))),
          variables_(applier.root.at({"spec", "postBuild", "substitute"})) {}

    void run() const {
        for (const RepositoryDocument& document : context_.repository.documents) {
            if (&document != &applier_ && selects(document.file->relative)) {
                check_variables(document);
                check_encryption(document);
                check_object(document);
                check_namespace(document);
            }
        }
    }

private:
    [[nodiscard]] bool selects(const std::string& relative) const {
        return path_ == "." || repo::is_within(relative, path_) ||
               repo::is_within(repo::join_path(context_.git.prefix(), relative), path_);
    }

    // Flux substitutes if it has any variable. Variables from the cluster are not known here.
    void check_variables(const RepositoryDocument& document) const {
        const auto from = items_of(applier_.root.at({"spec", "postBuild", "substituteFrom"}));
        const Value* off = document.annotation("kustomize.toolkit.fluxcd.io/substitute");
        if (from.empty() && !may_substitute_ && !members_of(variables_).empty() &&
            text_of(off) != "disabled") {
            repo::for_each_value(document.root,
                                 [&](const Value& value) { check_text(document, value); });
        }
    }

    void check_text(const RepositoryDocument& document, const Value& value) const {
        const std::string_view text = text_of(&value);
        for (std::size_t at = text.find("${"); at != std::string_view::npos;
             at = text.find("${", at + 2)) {
            const bool escaped = at > 0 && text[at - 1] == '$';
            std::size_t end = at + 2;
            while (end < text.size() && is_name_char(text[end])) {
                ++end;
            }
            const std::string_view name = text.substr(at + 2, end - at - 2);
            const bool whole = end < text.size() && text[end] == '}' && !name.empty();
            if (!escaped && whole && variables_->find(name) == nullptr) {
                report(document, value, name);
                return;
            }
        }
    }

    void report(const RepositoryDocument& document, const Value& value,
                std::string_view name) const {
        context_.about(document)
            .error("flux-substitution", value.pos(),
                   fmt::format(
                       "unknown variable \"${{{}}}\": Flux 2.9 and later apply nothing of this "
                       "Kustomization, earlier ones put an empty string there",
                       name))
            .expected(fmt::format("\"$${{{}}}\" if it is literal text", name))
            .hint(
                "or annotate the object with \"kustomize.toolkit.fluxcd.io/substitute: disabled\"")
            .note(of_applier(variables_->pos(), "its variables are here"));
    }

    [[nodiscard]] Note of_applier(Pos pos, std::string text) const {
        return {.pos = pos, .object = applier_.object_name(), .text = std::move(text)};
    }

    void check_encryption(const RepositoryDocument& document) const {
        const bool encrypted = document.root.find("sops") != nullptr && document.kind() == "Secret";
        if (encrypted && !may_decrypt_ &&
            applier_.root.at({"spec", "decryption", "provider"}) == nullptr) {
            context_.about(document)
                .error("flux-decryption", document.pos,
                       "Flux rejects this Secret: it is encrypted by SOPS, and no decryption is "
                       "configured")
                .expected("\"decryption: {provider: sops}\"")
                .note(of_applier(applier_.pos, "applies it"));
        }
    }

    void check_namespace(const RepositoryDocument& document) const {
        const Value* target = applier_.root.at({"spec", "targetNamespace"});
        const std::string_view own = text_of(document.root.at({"metadata", "name"}));
        if (document.kind() == "Namespace" && !text_of(target).empty() && text_of(target) != own) {
            context_.about(applier_)
                .warning("namespace-overwritten", target->pos(), "Flux renames this Namespace")
                .found(fmt::format("\"{}\" becomes \"{}\"", own, text_of(target)))
                .hint("remove \"targetNamespace\", or apply the Namespace by another Kustomization")
                .note({.pos = document.pos,
                       .object = document.object_name(),
                       .text = "the Namespace is here"});
        }
    }

    // Without a kustomization.yaml Flux reads every YAML file as manifests.
    void check_object(const RepositoryDocument& document) const {
        if (document.is_object() || has_kustomization(repo::parent_path(document.file->relative))) {
            return;
        }
        context_
            .error(
                "flux-not-an-object", document.root.pos(),
                "without a kustomization.yaml Flux reads every YAML file as manifests, and fails "
                "on this one")
            .expected("apiVersion and kind")
            .hint("add a kustomization.yaml that lists the manifests")
            .note(of_applier(applier_.pos, "applies the directory"));
    }

    // True if the directory or one above it, up to the root, has a kustomization.
    [[nodiscard]] bool has_kustomization(const std::string& dir) const {
        return std::ranges::any_of(context_.repository.builds, [&](const RepositoryBuild& build) {
            const std::string& at = build.dir->relative;
            return at.empty() || repo::is_within(dir, at);
        });
    }

    const LintContext& context_;
    const RepositoryDocument& applier_;
    bool may_substitute_, may_decrypt_;  // set by patches of other objects
    std::string path_;
    const Value* variables_;
};

void check_rendered(const LintContext& context, const std::string& dir) {
    const Repository& repository = context.repository;
    for (std::string above = dir; above != "."; above = repo::parent_path(above)) {
        const std::string chart = repo::join_path(
            repository.root, repo::join_path(repo::parent_path(above), "Chart.yaml"));
        if (repo::base_name(above) == "templates" &&
            repository.tree.kind(chart) == repo::EntryKind::File) {
            context.error("rendered-in-chart", {}, "Helm parses what is rendered here as templates")
                .where(repo::join_path(repository.root, dir))
                .expected("a directory outside any chart's \"templates\"")
                .hint("render elsewhere with -o, or into \"files\"");
        }
    }
}

}  // namespace

void check_substitution(const LintContext& context) {
    const std::vector<FluxPatch> patches = find_flux_patches(context.repository);
    for (const RepositoryDocument& document : context.repository.documents) {
        if (applies_from_git(document)) {
            FluxCheck(context, document, patches).run();
        }
    }
    for (const std::string& dir : context.repository.rendered) {
        check_rendered(context, dir);
    }
}

}  // namespace renderer::lint
