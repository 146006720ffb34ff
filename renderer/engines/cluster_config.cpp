#include "renderer/engines/cluster_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/engines/argo/argo_clusters.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/config_file.h"
#include "renderer/repo/link_guard.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kMostLevels = 32;

constexpr std::array kClusterFields = {
    repo::SchemaField{"name clusterDomain tailnetDomain", repo::FieldType::Text},
    repo::SchemaField{"labels sources substitute", repo::FieldType::TextMap},
    repo::SchemaField{"bundles include ignore charts argoClusters", repo::FieldType::TextList},
    repo::SchemaField{"kubernetesVersion"},
    repo::SchemaField{"values", repo::FieldType::Map},
};

constexpr std::array kFileFields = {
    repo::SchemaField{"clusters", repo::FieldType::SectionList, kClusterFields},
    repo::SchemaField{"include ignore charts argoClusters", repo::FieldType::TextList},
    repo::SchemaField{"sources substitute", repo::FieldType::TextMap},
    repo::SchemaField{"policy", repo::FieldType::Text},
};

std::string quoted_names(std::span<const Value> clusters) {
    std::vector<std::string_view> names;
    names.reserve(clusters.size());
    for (const Value& cluster : clusters) {
        names.push_back(repo::text_of(cluster, "name"));
    }
    return some_quoted(names);
}

bool check_names(std::span<const Value> clusters, Diagnostics& diagnostics) {
    std::map<std::string_view, Pos> first;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        const std::string_view name = repo::text_of(clusters[i], "name");
        if (!is_path_component(name) || name.starts_with('.')) {
            diagnostics
                .error("invalid-cluster", clusters[i].pos(),
                       "a cluster needs a name that is valid as a directory name")
                .found(fmt::format("\"{}\"", name))
                .expected("name: home");
            return false;
        }
        const auto [same, is_first] = first.try_emplace(name, clusters[i].pos());
        if (!is_first) {
            diagnostics
                .error("invalid-cluster", clusters[i].pos(),
                       fmt::format("a second cluster \"{}\"", name))
                .expected("unique names: each is a directory of the output")
                .note({.pos = same->second, .text = "the first is here"});
            return false;
        }
    }
    return true;
}

std::string_view nearest_cluster(std::string_view wanted, std::span<const Value> clusters) {
    std::vector<std::string_view> names;
    for (const Value& cluster : clusters) {
        names.push_back(repo::text_of(cluster, "name"));
    }
    return nearest(wanted, names);
}

// Returns the entry of the selected cluster, or nullptr after an error.
const Value* chosen_entry(std::span<const Value> clusters, Pos pos, const std::string& wanted,
                          Diagnostics& diagnostics) {
    if (clusters.empty()) {
        diagnostics.error("invalid-cluster", pos, "no clusters")
            .expected("clusters: [{name: home}]")
            .hint(fmt::format("add one, or remove {}", kConfigFile));
        return nullptr;
    }
    if (!check_names(clusters, diagnostics)) {
        return nullptr;
    }
    if (wanted.empty() && clusters.size() > 1) {
        diagnostics
            .error("cluster-needed", clusters[1].pos(),
                   "several clusters cannot be rendered to one stream")
            .found(quoted_names(clusters))
            .expected("one cluster, or a directory for all")
            .hint("use --cluster NAME, or render all of them with -o DIR");
        return nullptr;
    }
    const auto chosen = std::ranges::find_if(clusters, [&](const Value& cluster) {
        return wanted.empty() || repo::text_of(cluster, "name") == wanted;
    });
    if (chosen == clusters.end()) {
        diagnostics.error("unknown-cluster", {}, fmt::format("cluster \"{}\" not found", wanted))
            .where("--cluster")
            .expected(quoted_names(clusters))
            .hint(did_you_mean(nearest_cluster(wanted, clusters)))
            .note({.pos = clusters[0].pos(), .text = "clusters are listed here"});
        return nullptr;
    }
    return &*chosen;
}

void add_domains(const Value& entry, std::vector<Value>& layers) {
    Value ours = Value::map();
    for (const std::string_view key : {"clusterDomain", "tailnetDomain"}) {
        const Member* member = entry.find_member(key);
        if (member != nullptr && member->value.is_string()) {
            ours.add(member->key.clone(), member->value.clone());
        }
    }
    if (ours.size() > 0) {
        ours.set_pos(entry.pos());
        layers.push_back(Value::map({{"tailrender", std::move(ours)}}));
    }
}

void add_directories(const Value& section, Cluster& cluster) {
    for (const Value& dir : repo::list_of(section, "include")) {
        cluster.includes.push_back({dir.pos(), std::string(dir.text())});
    }
    for (const Value& dir : repo::list_of(section, "ignore")) {
        cluster.ignores.push_back({dir.pos(), std::string(dir.text())});
    }
}

void add_sources(const Value& section, Cluster& cluster) {
    for (const Member& source : members_of(section.find("sources"))) {
        if (source.value.is_string()) {
            cluster.sources.push_back(
                {.key = std::string(source.name()),
                 .path = {source.key.pos(), std::string(source.value.text())}});
        }
    }
}

void add_chart_dirs(const Value& section, const repo::SourceTree& tree, const std::string& root,
                    Cluster& cluster, Diagnostics& diagnostics) {
    for (const Value& dir : repo::list_of(section, "charts")) {
        const std::string path = repo::normal_path(repo::join_path(root, dir.text()));
        if (!repo::is_in_repository(tree, root, path)) {
            diagnostics
                .error("outside-tree", dir.pos(),
                       "a file of the tree must not name charts outside of it")
                .found(fmt::format("\"{}\"", dir.text()))
                .expected("a directory of the tree, or of the Git repository around it")
                .hint("--charts on the command line may name any directory");
        } else if (tree.kind(path) != repo::EntryKind::Directory) {
            diagnostics.error("missing-path", dir.pos(), "no such directory")
                .found(fmt::format("\"{}\"", dir.text()))
                .expected("a directory with charts, NAME/Chart.yaml or NAME-VERSION.tgz");
        } else {
            cluster.chart_dirs.push_back(path);
        }
    }
}

// The file is read only where a verb asks for it, so it need not exist.
void read_policy_path(const Value& root, const repo::SourceTree& tree, const std::string& dir,
                      Cluster& cluster, Diagnostics& diagnostics) {
    const std::string_view name = repo::text_of(root, "policy");
    if (name.empty()) {
        return;
    }
    const Pos pos = root.find("policy")->pos();
    const std::string path = repo::normal_path(repo::join_path(dir, name));
    if (repo::is_in_repository(tree, dir, path)) {
        cluster.policy_file = {pos, path};
        return;
    }
    diagnostics
        .error("outside-tree", pos, "a file of the tree must not name a policy outside of it")
        .found(fmt::format("\"{}\"", name))
        .expected("a file of the tree, or of the Git repository around it")
        .hint("--policy-base and --policy-head of \"diff\" may name any file");
}

// Reads settings in the format of the flags. Those of a cluster take precedence over those of the
// file.
void add_facts(const Value& section, Cluster& cluster, Diagnostics& diagnostics) {
    for (const Member& variable : members_of(section.find("substitute"))) {
        if (!is_variable_name(variable.name())) {
            diagnostics
                .error("invalid-variable", variable.key.pos(),
                       fmt::format("invalid variable name \"{}\"", variable.name()))
                .expected("letters, digits and \"_\", and no digit first");
        } else if (variable.value.is_string()) {
            cluster.substitutes.emplace(variable.name(), variable.value.text());
        }
    }
    for (const Value& one : repo::list_of(section, "argoClusters")) {
        if (!parse_argo_cluster(one.text())) {
            diagnostics.error("invalid-argo-cluster", one.pos(), "invalid Argo CD cluster")
                .found(fmt::format("\"{}\"", one.text()))
                .expected("NAME[,server=URL][,LABEL=VALUE]...");
        } else {
            cluster.argo_clusters.emplace_back(one.text());
        }
    }
}

void decode_cluster(const Value& entry, Cluster& cluster, Diagnostics& diagnostics) {
    add_directories(entry, cluster);
    add_sources(entry, cluster);
    add_facts(entry, cluster, diagnostics);
    cluster.name = repo::text_of(entry, "name");
    for (const Member& label : members_of(entry.find("labels"))) {
        cluster.labels.emplace(label.name(), label.value.text());
    }
    for (const Value& glob : repo::list_of(entry, "bundles")) {
        cluster.bundles.push_back({repo::normal_path(glob.text()), glob.pos()});
    }
    if (const Value* version = entry.find("kubernetesVersion")) {
        cluster.kubernetes_version = version->clone();
    }
    add_domains(entry, cluster.layers);
    if (const Value* values = repo::map_of(entry, "values")) {
        cluster.layers.push_back(values->clone());
    }
}

constexpr std::string_view kMisnamedFile = ".tailrender.yml";

// Returns the nearest parent directory that has the file, up to the top of the repository; "" if
// there is none.
std::string directory_above(const repo::SourceTree& tree, const std::string& path) {
    std::string dir = repo::normal_path(path);
    for (std::size_t i = 0; i < kMostLevels; ++i) {
        if (tree.kind(repo::join_path(dir, ".git")) != repo::EntryKind::Missing) {
            return {};
        }
        dir = repo::normal_path(repo::join_path(dir, ".."));
        if (tree.kind(repo::join_path(dir, kConfigFile)) == repo::EntryKind::File) {
            return dir;
        }
    }
    return {};
}

// Warns of a file that is misnamed or in a directory above. Without this warning, the cluster's
// settings in that file would be missed, and later errors would be misleading.
void warn_of_other_file(const repo::SourceTree& tree, const repo::LoadOptions& options,
                        Diagnostics& diagnostics) {
    if (options.install || options.stream.has_value()) {
        return;
    }
    const std::string misnamed = repo::join_path(options.path, kMisnamedFile);
    if (tree.kind(misnamed) == repo::EntryKind::File) {
        diagnostics.warning("misnamed-config", {}, "this file is not read: it has the wrong name")
            .where(misnamed)
            .expected(fmt::format("\"{}\"", kConfigFile))
            .hint(fmt::format("rename it to {}", kConfigFile));
        return;
    }
    if (options.cluster.empty()) {
        return;
    }
    const std::string above = directory_above(tree, options.path);
    if (!above.empty()) {
        diagnostics
            .warning("clusters-above", {},
                     fmt::format("unknown cluster \"{}\": \"{}\" has no {}", options.cluster,
                                 options.path, kConfigFile))
            .where("--cluster")
            .found(fmt::format("\"{}\"", repo::join_path(above, kConfigFile)))
            .hint(fmt::format("render \"{}\", or pass the cluster's values with --values", above));
    }
}

bool has_file(const repo::SourceTree& tree, const repo::LoadOptions& options) {
    return !options.install && !options.stream.has_value() &&
           tree.kind(options.path) == repo::EntryKind::Directory &&
           tree.kind(repo::join_path(options.path, kConfigFile)) != repo::EntryKind::Missing;
}

repo::ConfigFile read_clusters(const repo::SourceTree& tree, const repo::LoadOptions& options,
                               SourceMap& sources, Diagnostics& diagnostics) {
    return repo::read_config(tree, repo::join_path(options.path, kConfigFile), kFileFields,
                             kConfigFile, sources, diagnostics);
}

}  // namespace

repo::Schema config_fields() {
    return kFileFields;
}

void give_facts(const Cluster& cluster, repo::LoadOptions& options) {
    options.configured_substitutes = cluster.substitutes;
    options.configured_chart_dirs = cluster.chart_dirs;
    if (options.argo_clusters.empty()) {
        options.argo_clusters = cluster.argo_clusters;
    }
}

std::vector<std::string> cluster_names(const repo::SourceTree& tree,
                                       const repo::LoadOptions& options) {
    std::vector<std::string> names;
    if (has_file(tree, options)) {
        SourceMap sources;
        Diagnostics ignored;
        const repo::ConfigFile file = read_clusters(tree, options, sources, ignored);
        for (const Value& cluster : items_of(file.usable ? file.root.find("clusters") : nullptr)) {
            names.emplace_back(repo::text_of(cluster, "name"));
        }
    }
    return names;
}

Cluster load_cluster(const repo::SourceTree& tree, const repo::LoadOptions& options,
                     SourceMap& sources, Diagnostics& diagnostics) {
    Cluster cluster{.name = options.cluster};
    if (!has_file(tree, options)) {
        warn_of_other_file(tree, options, diagnostics);
        return cluster;
    }
    cluster.configured = true;
    const repo::ConfigFile file = read_clusters(tree, options, sources, diagnostics);
    if (!file.usable) {
        return cluster;
    }
    const std::string root = repo::normal_path(options.path);
    add_directories(file.root, cluster);
    add_chart_dirs(file.root, tree, root, cluster, diagnostics);
    read_policy_path(file.root, tree, root, cluster, diagnostics);
    const bool has_others = file.root.is_map() && file.root.size() > 0;
    if (has_others && file.root.find("clusters") == nullptr) {
        add_sources(file.root, cluster);
        add_facts(file.root, cluster, diagnostics);
        cluster.configured = false;
        return cluster;
    }
    const auto clusters = repo::list_of(file.root, "clusters");
    if (const Value* entry = chosen_entry(clusters, file.pos, options.cluster, diagnostics)) {
        decode_cluster(*entry, cluster, diagnostics);
        for (const Value& other : clusters) {
            if (&other == entry) {
                continue;
            }
            cluster.others.emplace_back(repo::text_of(other, "name"));
            for (const Value& glob : repo::list_of(other, "bundles")) {
                cluster.other_bundles.push_back(repo::normal_path(glob.text()));
            }
        }
        add_chart_dirs(*entry, tree, root, cluster, diagnostics);
    }
    add_sources(file.root, cluster);
    add_facts(file.root, cluster, diagnostics);
    return cluster;
}

}  // namespace renderer::engines
