// Checks which files Fleet's reader takes into a bundle and which it silently ignores. Source:
// Fleet internal/bundlereader/{read,loaddirectory,resources}.go.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "renderer/engines/kustomize/generator_sources.h"
#include "renderer/lint/families.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

// The size of one object of the API server, with room for its other fields: etcd accepts requests
// of 1.5 MiB.
constexpr std::size_t kMaxBundle = std::size_t{1} << 20U;

// True for "../a/.b" and "a/.b/c", not for "./a".
bool is_hidden(std::string_view entry) {
    std::string path = repo::normal_path(entry);
    while (path.starts_with("../")) {
        path.erase(0, 3);
    }
    return path.size() > 1 && (path.front() == '.' || path.find("/.") != std::string::npos);
}

class BundleCheck {
public:
    BundleCheck(const LintContext& context, const RepositoryBundle& bundle)
        : context_(context), bundle_(bundle) {
        reach(repo::normal_path(repo::join_path(bundle.root->path, bundle.fleet.kustomize_dir())));
    }

    void run() const {
        check_size();
        check_hidden();
        if (bundle_.is_chart()) {
            check_loose();
        }
        check_values_files();
    }

private:
    [[nodiscard]] bool is_values_file(const engines::BundleFile& file) const {
        return bundle_.fleet.is_values_file(file.relative);
    }

    void check_size() const {
        std::size_t bytes = 0;
        std::size_t largest = 0;
        std::string name;
        for (const engines::BundleFile& file : bundle_.files) {
            const bool is_fleet = file.dir == bundle_.root && file.name.starts_with("fleet.y");
            if (is_fleet || is_values_file(file)) {
                continue;
            }
            const Result<std::string> text = context_.repository.tree.read(file.path());
            const std::size_t size = text ? text->size() : 0;
            bytes += size;
            if (size > largest) {
                largest = size;
                name = file.relative;
            }
        }
        if (bytes > kMaxBundle) {
            context_
                .warning("fleet-bundle-size", bundle_.fleet.pos,
                         "the bundle is too large: Fleet keeps all its files in one API object")
                .found(fmt::format("{} bytes in {} files, \"{}\" alone has {}", bytes,
                                   bundle_.files.size(), name, largest))
                .expected("at most 1 MiB; more is compressed and may still be rejected")
                .hint("split the bundle, or exclude files in .fleetignore");
        }
    }

    // Names that begin with a dot are never in a bundle, even if they are listed.
    void check_hidden() const {
        for (const RepositoryBuild* build : reached_) {
            for (const std::string_view field : {"resources", "bases", "components"}) {
                for (const Value& entry : repo::list_of(build->root, field)) {
                    report_hidden(entry, text_of(&entry));
                }
            }
            for (const engines::ListedFile& file : engines::generator_files(build->root)) {
                report_hidden(*file.entry, file.path);
            }
        }
    }

    void report_hidden(const Value& entry, std::string_view path) const {
        if (is_hidden(path)) {
            context_
                .error("fleet-hidden-file", entry.pos(),
                       fmt::format("Fleet does not include hidden files in a bundle, so \"{}\" is "
                                   "missing on every cluster",
                                   path))
                .expected("a name that does not start with a dot")
                .hint(
                    "list it in a kustomization outside of Fleet's paths and apply that with "
                    "kubectl");
        }
    }

    // A chart is installed from its own files; manifests beside fleet.yaml are not installed.
    void check_loose() const {
        for (const engines::BundleFile& file : bundle_.files) {
            const bool candidate = repo::is_manifest_name(file.name) && !file.dir->in_chart &&
                                   !is_values_file(file) && !is_below_build(*file.dir);
            if (!candidate) {
                continue;
            }
            for (const RepositoryDocument& document : context_.repository.documents) {
                if (document.file->path == file.path() && document.is_object()) {
                    context_.about(document)
                        .warning(
                            "fleet-loose-file", document.pos,
                            "Fleet does not deploy this file: its bundle only installs a chart")
                        .hint(
                            "list it in a kustomization that kustomize.dir in fleet.yaml refers "
                            "to, or move it to a separate bundle")
                        .note({.pos = bundle_.fleet.pos, .text = "the bundle's fleet.yaml"});
                    break;
                }
            }
        }
    }

    [[nodiscard]] bool is_below_build(const repo::WalkedDir& dir) const {
        return std::ranges::any_of(context_.repository.builds, [&](const RepositoryBuild& build) {
            return repo::is_within(dir.path, build.dir->path);
        });
    }

    // Values files, and root files of the same name, are removed before kustomize runs.
    void check_values_files() const {
        for (const RepositoryBuild* build : reached_) {
            for (const Value& entry : repo::list_of(build->root, "resources")) {
                const std::string path = repo::relative_path(
                    repo::normal_path(repo::join_path(build->dir->path, text_of(&entry))),
                    bundle_.root->path);
                if (bundle_.fleet.is_values_file(path)) {
                    context_
                        .error("fleet-values-file", entry.pos(),
                               fmt::format("\"{}\" is not in the bundle when kustomize runs: "
                                           "fleet.yaml lists it, or a file of its name, in "
                                           "helm.valuesFiles",
                                           text_of(&entry)))
                        .hint("rename one of the two files");
                }
            }
        }
    }

    void reach(const std::string& dir) {
        for (const RepositoryBuild& build : context_.repository.builds) {
            if (build.dir->path != dir || !reached_.insert(&build).second) {
                continue;
            }
            for (const std::string_view field : {"resources", "bases", "components"}) {
                for (const Value& entry : repo::list_of(build.root, field)) {
                    reach(repo::normal_path(repo::join_path(dir, text_of(&entry))));
                }
            }
        }
    }

    const LintContext& context_;
    const RepositoryBundle& bundle_;
    std::set<const RepositoryBuild*> reached_;  // those that Fleet builds
};

}  // namespace

void check_fleet_bundles(const LintContext& context) {
    for (const RepositoryBundle& bundle : context.repository.bundles) {
        if (bundle.is_ours) {
            BundleCheck(context, bundle).run();
        }
    }
}

}  // namespace renderer::lint
