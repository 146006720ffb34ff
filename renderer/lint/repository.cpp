#include "renderer/lint/repository.h"

#include <algorithm>
#include <utility>

#include "renderer/core/document.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/config_file.h"
#include "renderer/repo/inventory.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

class Reader {
public:
    Reader(Repository& repository, SourceMap& sources) : out_(repository), sources_(sources) {}

    void read_files() {
        for (const repo::WalkedDir& dir : out_.dirs) {
            for (const std::string& name : dir.files) {
                if (repo::is_manifest_name(name) && !dir.in_chart) {
                    add_file(repo::join_path(dir.path, name), repo::join_path(dir.relative, name));
                }
            }
        }
        for (const RepositoryFile& file : out_.files) {
            add_documents(file);
        }
    }

    void read_bundles(const engines::Cluster& cluster) {
        const std::vector<const repo::WalkedDir*> roots = engines::bundle_roots(out_.dirs);
        for (std::size_t i = 0; i < roots.size(); ++i) {
            if (roots[i] != &out_.dirs[i]) {
                continue;
            }
            engines::DirList dirs;
            for (std::size_t j = i; j < roots.size(); ++j) {
                if (roots[j] == roots[i]) {
                    dirs.push_back(&out_.dirs[j]);
                }
            }
            add_bundle(*roots[i], dirs, cluster);
        }
    }

    void read_builds() {
        for (const repo::WalkedDir& dir : out_.dirs) {
            for (const std::string& name : dir.kustomizations) {
                const std::string path = repo::join_path(dir.path, name);
                Value root = repo::read_config(out_.tree, path, {}, sources_, quiet_).root;
                if (root.is_map()) {
                    out_.builds.push_back({&dir, path, std::move(root)});
                }
            }
        }
    }

    void find_rendered(const std::string& path, const std::string& relative) {
        const Result<std::vector<repo::Entry>> entries = out_.tree.list(path);
        if (!entries) {
            return;
        }
        const bool is_rendered = std::ranges::any_of(
            *entries, [](const repo::Entry& entry) { return entry.name == repo::kInventoryFile; });
        if (is_rendered && !relative.empty()) {
            out_.rendered.push_back(relative);
            return;
        }
        for (const repo::Entry& entry : *entries) {
            if (entry.kind == repo::EntryKind::Directory && !entry.is_link &&
                !entry.name.starts_with('.')) {
                find_rendered(repo::join_path(path, entry.name),
                              repo::join_path(relative, entry.name));
            }
        }
    }

private:
    void add_file(const std::string& path, const std::string& relative) {
        if (Result<std::string> text = out_.tree.read(path)) {
            out_.files.push_back({path, relative, sources_.add(path, std::move(*text))});
        }
    }

    void add_documents(const RepositoryFile& file) {
        for (const ScannedDocument& scanned : scan_documents(sources_, file.source)) {
            Value root = read_yaml(sources_, file.source, scanned.range, quiet_);
            if (!root.is_map()) {
                continue;
            }
            const Value* kind = root.find("kind");
            const Pos pos = (kind != nullptr ? *kind : root).pos();
            out_.documents.push_back({&file, std::move(root), pos});
        }
    }

    void add_bundle(const repo::WalkedDir& root, const engines::DirList& dirs,
                    const engines::Cluster& cluster) {
        RepositoryBundle bundle{.root = &root};
        bundle.fleet =
            engines::read_fleet(out_.tree, repo::join_path(root.path, root.fleet_files.front()),
                                cluster, sources_, quiet_);
        if (!bundle.fleet.root.is_map()) {
            return;
        }
        bundle.files = engines::bundle_files(out_.tree, dirs);
        bundle.is_ours = std::ranges::any_of(bundle.files, [&](const engines::BundleFile& file) {
            return repo::file_mentions_tailscale(out_.tree, file.path());
        });
        bundle.name = repo::text_of(bundle.fleet.root, "name");
        bundle.name = bundle.name.empty() ? engines::bundle_slug(root.relative) : bundle.name;
        out_.bundles.push_back(std::move(bundle));
    }

    Repository& out_;
    SourceMap& sources_;
    Diagnostics quiet_;
};

}  // namespace

std::string RepositoryDocument::object_name() const {
    return renderer::object_name(kind(), ns(), name());
}

const RepositoryBundle* Repository::bundle_of(std::string_view relative) const {
    const RepositoryBundle* best = nullptr;
    for (const RepositoryBundle& bundle : bundles) {
        const std::string& dir = bundle.root->relative;
        const bool inside = dir.empty() || repo::is_within(relative, dir);
        if (inside && (best == nullptr || dir.size() >= best->root->relative.size())) {
            best = &bundle;
        }
    }
    return best;
}

std::string path_in_repository(std::string_view text) {
    return repo::normal_path(text.substr(std::min(text.find_first_not_of('/'), text.size())));
}

Repository read_repository(const repo::SourceTree& tree, const repo::LoadOptions& options,
                           SourceMap& sources) {
    Repository repository{.tree = tree, .root = repo::normal_path(options.path)};
    if (tree.kind(repository.root) != repo::EntryKind::Directory) {
        return repository;
    }
    Diagnostics quiet;
    repository.dirs = repo::walk_tree(tree, repository.root, options.output_dir, quiet);
    const engines::Cluster cluster = engines::load_cluster(tree, options, sources, quiet);
    Reader reader(repository, sources);
    reader.read_files();
    reader.read_bundles(cluster);
    reader.read_builds();
    reader.find_rendered(repository.root, "");
    return repository;
}

}  // namespace renderer::lint
