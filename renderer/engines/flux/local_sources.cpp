#include "renderer/engines/flux/local_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/engines/cluster_config.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/link_guard.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/paths.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::engines {

namespace {

constexpr const char* kSourceFlag = "--source";

// Returns a path below "_sources", with more "_" in front if the tree already has that name.
std::string place_of(const repo::SourceTree& tree, const std::string& root, const SourceKey& key) {
    std::string name = "_sources";
    while (tree.kind(repo::join_path(root, name)) != repo::EntryKind::Missing) {
        name.insert(name.begin(), '_');
    }
    std::string ref = key.address.ref;
    std::ranges::replace(ref, '/', '_');
    const std::string below =
        key.kind.empty()
            ? fmt::format("{}{}{}", key.address.path, ref.empty() ? "" : "@", ref)
            : fmt::format("{}/{}{}{}", key.kind, key.ns, key.ns.empty() ? "" : "/", key.name);
    return repo::normal_path(repo::join_path(repo::join_path(root, name), below));
}

}  // namespace

LocalSources::LocalSources(const repo::SourceTree& tree, const repo::LoadOptions& options,
                           const Cluster& cluster, Diagnostics& diagnostics)
    : base_(tree), root_(repo::normal_path(options.path)), mounted_(tree, root_) {
    if (options.path.empty() || tree.kind(root_) != repo::EntryKind::Directory) {
        return;
    }
    sources_.reserve(options.sources.size() + cluster.sources.size());
    for (auto text = options.sources.rbegin(); text != options.sources.rend(); ++text) {
        if (const std::optional<GivenSource> given = parse_source(*text)) {
            add(given->key, given->dir, {}, diagnostics);
        }
    }
    for (const NamedSource& source : cluster.sources) {
        add(source.key, source.path.path, source.path.pos, diagnostics);
    }
}

// A directory of the command line is relative to the working directory and may be anywhere.
void LocalSources::add(const std::string& key, const std::string& dir, Pos pos,
                       Diagnostics& diagnostics) {
    std::optional<SourceKey> parsed = parse_source_key(key);
    if (!parsed) {
        diagnostics
            .error("invalid-source", pos,
                   fmt::format("invalid source \"{}\"", secrets::without_url_credentials(key)))
            .expected("KIND/NAME or KIND/NAMESPACE/NAME of Flux, or an address");
        return;
    }
    Source source{.text = key, .key = std::move(*parsed), .pos = pos};
    std::string path = repo::normal_path(pos.known() ? repo::join_path(root_, dir) : dir);
    if (!pos.known() && !repo::is_within(path, root_)) {
        const std::string real = repo::canonical_path(path);
        const std::string real_root = base_.real_path(root_);
        if (repo::is_within(real, real_root)) {
            path = repo::normal_path(repo::join_path(root_, repo::relative_path(real, real_root)));
        }
    }
    source.path = path;
    if (pos.known() && !repo::is_in_repository(base_, root_, path)) {
        diagnostics
            .error("outside-tree", pos, "a file of the tree must not name a source outside of it")
            .found(fmt::format("\"{}\"", dir))
            .expected("a directory of the tree, or of the Git repository around it")
            .hint("--source on the command line may name any directory");
        return;
    }
    if (!repo::is_within(path, root_)) {
        source.path = place_of(base_, root_, source.key);
        if (!mount(source, path, diagnostics)) {
            return;
        }
    }
    const repo::EntryKind kind = mounted_.kind(source.path);
    const bool is_usable = kind == repo::EntryKind::Directory ||
                           (kind == repo::EntryKind::File && source.key.kind.empty());
    if (!is_usable) {
        Finding error = diagnostics.error(
            "missing-path", pos,
            source.key.kind.empty() ? "no such file or directory" : "no such directory");
        error.found(fmt::format("\"{}\" for {}", dir, secrets::without_url_credentials(key)))
            .expected("where the files of this source are");
        if (!pos.known()) {
            error.where(kSourceFlag);
        }
        return;
    }
    sources_.push_back(std::move(source));
}

bool LocalSources::mount(const Source& source, const std::string& dir, Diagnostics& diagnostics) {
    std::shared_ptr<const repo::SourceTree> tree;
    if (source.pos.known()) {  // sources in `.tailrender.yaml` are in the work tree
        tree = std::shared_ptr<const repo::SourceTree>(std::shared_ptr<const repo::SourceTree>(),
                                                       &base_);
        const bool is_file = base_.kind(dir) == repo::EntryKind::File;
        Diagnostic refused;
        if (is_file) {
            Result<std::string> text = base_.read(dir);
            refused = text ? refused : text.error().diagnostic;
        } else {
            Result<std::vector<repo::Entry>> entries = base_.list(dir);
            refused = entries ? refused : entries.error().diagnostic;
        }
        if (!refused.message.empty()) {
            refused.pos = source.pos;
            diagnostics.add(std::move(refused));
            return false;
        }
    } else {
        tree = std::make_shared<repo::DiskTree>(std::vector<std::string>{},
                                                std::vector<std::string>{dir});
    }
    mounted_.mount(source.path, dir, std::move(tree));
    if (mounted_.kind(source.path) == repo::EntryKind::Directory) {
        for (repo::WalkedDir& found : repo::walk_tree(mounted_, source.path, {}, diagnostics)) {
            found.relative = repo::relative_path(found.path, root_);
            found.is_outside = true;
            outside_.push_back(std::move(found));
        }
    }
    return true;
}

std::optional<std::string> LocalSources::find_object(std::string_view kind, std::string_view ns,
                                                     std::string_view name,
                                                     std::string_view url) const {
    for (const Source& source : sources_) {
        if (source.key.kind == kind && source.key.name == name &&
            (source.key.ns.empty() || source.key.ns == ns)) {
            used_.insert(&source);
            return source.path;
        }
    }
    return url.empty() ? std::nullopt : find_address(url);
}

const LocalSources::Source* LocalSources::find_below(const SourceAddress& address) const {
    const Source* found = nullptr;
    for (const Source& source : sources_) {
        const SourceAddress& known = source.key.address;
        const bool fits = source.key.kind.empty() && repo::is_within(address.path, known.path) &&
                          (known.ref.empty() || known.ref == address.ref);
        if (fits && (found == nullptr || known.path.size() > found->key.address.path.size())) {
            found = &source;
        }
    }
    return found;
}

std::optional<std::string> LocalSources::find_address(std::string_view text) const {
    const std::optional<SourceAddress> address =
        sources_.empty() ? std::nullopt : parse_address(text);
    if (!address) {
        return std::nullopt;
    }
    for (const std::optional<SourceAddress>& one : {address, raw_address(*address)}) {
        const Source* source = one ? find_below(*one) : nullptr;
        if (source != nullptr) {
            used_.insert(source);
            return repo::normal_path(repo::join_path(
                source->path, repo::relative_path(one->path, source->key.address.path)));
        }
    }
    return std::nullopt;
}

bool LocalSources::holds(const std::string& path) const {
    return std::ranges::any_of(sources_, [&](const Source& source) {
        return source.key.kind.empty() && repo::is_within(path, source.path);
    });
}

void LocalSources::warn_unused(Diagnostics& diagnostics) const {
    for (const Source& source : sources_) {
        if (used_.contains(&source)) {
            continue;
        }
        Finding warning = diagnostics.warning("unused-source", source.pos,
                                              "nothing that is rendered uses this source");
        warning.found(secrets::without_url_credentials(source.text))
            .expected("a source that an object of Flux or Argo CD, or a kustomization, names")
            .hint("check its spelling, or leave it out");
        if (!source.pos.known()) {
            warning.where(kSourceFlag);
        }
    }
}

}  // namespace renderer::engines
