#include "renderer/engines/flux/artifact_generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kArtifact = "@artifact/";
constexpr std::string_view kAllBelow = "/**";
constexpr std::string_view kReconcileMark = "source.extensions.fluxcd.io/reconcile";

// True if two namespaces may be the same: either may be unset.
bool may_be_same(std::string_view a, std::string_view b) {
    return a.empty() || b.empty() || a == b;
}

std::string name_of(const Value& generator) {
    return fmt::format("ArtifactGenerator {}", text_of(generator, {"metadata", "name"}));
}

class Copies {
public:
    Copies(const GitOpsTree& repository, const EngineObject& generator)
        : repository_(repository), generator_(generator) {}

    // `path`: as path_inside("", …) returns it. A single copy may move a directory. If there are
    // several, each must keep its path, so that the artifact is a part of the repository and
    // relative paths keep their meaning.
    GeneratedSource find(const Value& artifact, const std::string& path) {
        std::vector<Copy> copies;
        for (const Value& operation : items_of(artifact.find("copy"))) {
            copies.push_back(read(operation));
            if (!copies.back().why.empty()) {
                return fail(copies.back().why);
            }
        }
        GeneratedSource found;
        found.file = generator_.file;
        for (const Copy& copy : copies) {
            if (copies.size() > 1 && !keeps_place(copy)) {
                return fail("it puts copies together in new places");
            }
            found.tops.push_back(copy.from);
            found.source = copy.source;
            found.kept = found.kept.empty() ? kept_with(copy) : found.kept;
        }
        if (copies.empty() || (copies.size() == 1 && !repo::is_within(path, copies.front().to))) {
            return fail(fmt::format("it copies nothing to {}", path));
        }
        found.dir = copies.size() > 1
                        ? repository_.directory(path)
                        : repo::normal_path(repo::join_path(
                              copies.front().from, repo::relative_path(path, copies.front().to)));
        return found;
    }

private:
    struct Copy {
        std::string why = {};     // why it is not known what is copied
        std::string to = {};      // in the artifact
        std::string from = {};    // in the tree
        std::string source = {};  // as in GeneratedSource
    };

    [[nodiscard]] bool keeps_place(const Copy& copy) const {
        return !copy.source.empty() && repository_.directory(copy.to) == copy.from;
    }

    [[nodiscard]] GeneratedSource fail(std::string_view why) const {
        return {.why = fmt::format("{}: {}", name_of(generator_.root), why)};
    }

    // Returns why the artifact is not updated and keeps its earlier content, or "".
    [[nodiscard]] std::string kept_with(const Copy& copy) const {
        const std::string_view reconcile =
            text_of(generator_.root, {"metadata", "annotations", kReconcileMark});
        if (lower_case(reconcile) == "disabled") {
            return fmt::format("{} of {} is {}", kReconcileMark, name_of(generator_.root),
                               reconcile);
        }
        return !copy.source.empty() &&
                       repository_.flux_sources().is_suspended("GitRepository", copy.source)
                   ? fmt::format("spec.suspend of GitRepository {} is true", copy.source)
                   : std::string();
    }

    [[nodiscard]] Copy read(const Value& operation) const {
        const std::string_view from = text_of(operation, {"from"});
        const std::string_view to = text_of(operation, {"to"});
        const std::string_view strategy = text_of(operation, {"strategy"});
        std::string_view pattern = from.substr(std::min<std::size_t>(1, from.size()));
        const std::string_view alias = take(pattern, '/');
        if (!from.starts_with('@') || !to.starts_with(kArtifact)) {
            return {.why = fmt::format("copies from \"{}\" to \"{}\"", from, to)};
        }
        if (!(strategy.empty() || strategy == "Overwrite") ||
            !items_of(operation.find("exclude")).empty()) {
            return {.why = fmt::format("not all of \"{}\" is copied as it is", from)};
        }
        Copy copy;
        copy.to = repo::path_inside("", to.substr(kArtifact.size()));
        const std::string top = top_of(alias, copy);
        if (!copy.why.empty()) {
            return copy;
        }
        const bool is_content = pattern == kAllBelow.substr(1) || pattern.ends_with(kAllBelow);
        if (is_content) {
            pattern.remove_suffix(std::min(pattern.size(), kAllBelow.size()));
        }
        if (pattern.find_first_of("*?[]") != std::string_view::npos) {
            return {.why = fmt::format("the pattern \"{}\" is not followed", from)};
        }
        copy.from = repo::path_inside(top, pattern);
        const repo::EntryKind kind = repository_.tree().kind(copy.from);
        const bool is_file = kind == repo::EntryKind::File;
        if (kind == repo::EntryKind::Missing || (is_content && is_file)) {
            return {.why = fmt::format("there is no {} to copy", copy.from)};
        }
        if (!is_content && (!is_file || to.ends_with('/'))) {
            copy.to = repo::normal_path(
                repo::join_path(copy.to, repo::base_name(repo::path_inside("", pattern))));
        }
        return copy;
    }

    // Returns the directory of a source.
    std::string top_of(std::string_view alias, Copy& copy) const {
        for (const Value& source : items_of(generator_.root.at({"spec", "sources"}))) {
            if (text_of(source, {"alias"}) != alias) {
                continue;
            }
            const std::string_view kind = text_of(source, {"kind"});
            const std::string_view name = text_of(source, {"name"});
            const std::optional<std::string> local = repository_.flux_sources().find_local(
                source, text_of(generator_.root, {"metadata", "namespace"}));
            if (local) {
                return *local;
            }
            if (repository_.flux_sources().is_own(kind, name)) {
                copy.source = name;
                return repository_.root();
            }
            copy.why = fmt::format("{} {} is not this repository", kind, name);
            return {};
        }
        copy.why = fmt::format("it has no source \"{}\"", alias);
        return {};
    }

    const GitOpsTree& repository_;
    const EngineObject& generator_;
};

bool is_same(const GeneratedSource& a, const GeneratedSource& b) {
    return a.why == b.why && a.dir == b.dir && a.tops == b.tops && a.kept == b.kept;
}

}  // namespace

std::optional<GeneratedSource> generated_source(const GitOpsTree& repository,
                                                const Value& source_ref, std::string_view ns,
                                                std::string_view path) {
    if (text_of(source_ref, {"kind"}) != "ExternalArtifact") {
        return std::nullopt;
    }
    const std::string_view own = text_of(source_ref, {"namespace"});
    std::optional<GeneratedSource> found;
    for (const EngineObject& object : repository.objects()) {
        if (!is_kind(object.root, kFluxExtensions, "ArtifactGenerator") ||
            !may_be_same(text_of(object.root, {"metadata", "namespace"}), own.empty() ? ns : own)) {
            continue;
        }
        for (const Value& artifact : items_of(object.root.at({"spec", "artifacts"}))) {
            if (text_of(artifact, {"name"}) != text_of(source_ref, {"name"})) {
                continue;
            }
            GeneratedSource one =
                Copies(repository, object).find(artifact, repo::path_inside("", path));
            if (found && !is_same(*found, one)) {
                return GeneratedSource{.why = "several ArtifactGenerators make it"};
            }
            found = std::move(one);
        }
    }
    return found;
}

}  // namespace renderer::engines
