#include "renderer/engines/gitops_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/parallel.h"
#include "renderer/base/split.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/k3s/helm_chart.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kFluxSources = "source.toolkit.fluxcd.io/";
constexpr std::string_view kRepository = "repoURL:";
constexpr std::string_view kSkipsFile = "+argocd:skip-file-rendering";
constexpr std::size_t kMaxTextRead = std::size_t{1} << 30U;  // of all files together

bool has(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

bool may_hold_instance(std::string_view text) {
    return has(text, kFluxOperator) || (has(text, "instance:") && has(text, "sync:"));
}

// True for an argocd-cm that turns off kustomize's load restrictions.
bool loads_any(std::string_view text) {
    return has(text, "kustomize.buildOptions") && has(text, "LoadRestrictionsNone");
}

std::vector<std::string> manifests_of(const DirList& dirs, bool in_charts) {
    std::vector<std::string> paths;
    for (const repo::WalkedDir* dir : dirs) {
        for (const std::string& name : dir->files) {
            if (repo::is_manifest_name(name) && dir->in_chart == in_charts) {
                paths.push_back(repo::join_path(dir->path, name));
            }
        }
    }
    return paths;
}

// `wanted` is called on several threads, once for each index.
template <typename Wanted>
std::vector<std::pair<std::string, std::string>> read_wanted(const repo::SourceTree& tree,
                                                             const std::vector<std::string>& paths,
                                                             unsigned threads,
                                                             const Wanted& wanted) {
    std::vector<std::string> texts(paths.size());
    for_each_parallel(paths.size(), threads, [&](std::size_t i) {
        Result<std::string> text = tree.read(paths[i]);
        if (text && wanted(i, *text)) {
            texts[i] = std::move(*text);
        }
    });
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!texts[i].empty()) {
            found.emplace_back(paths[i], std::move(texts[i]));
        }
    }
    return found;
}

// True if the text has conflict markers of git.
bool has_conflict(std::string_view text) {
    return text.starts_with("<<<<<<< ") || has(text, "\n<<<<<<< ");
}

// True if the group is in an apiVersion, not in an annotation.
bool names_version(std::string_view text, std::string_view group) {
    for (std::size_t at = text.find(group); at != std::string_view::npos;
         at = text.find(group, at + 1)) {
        const std::string_view before = text.substr(0, at);
        if (has(before.substr(before.rfind('\n') + 1), "apiVersion")) {
            return true;
        }
    }
    return false;
}

bool may_hold_units(std::string_view text) {
    return names_version(text, kFluxGroup) || names_version(text, kArgoGroup) ||
           (has(text, kFluxOperator) && has(text, "ResourceSet"));
}

}  // namespace

bool may_hold_engine(std::string_view text) {
    return has(text, kFluxGroup) || has(text, kFluxSources) || has(text, kFluxExtensions) ||
           has(text, kArgoGroup) || (has(text, kFluxOperator) && has(text, "ResourceSet"));
}

GitOpsTree::GitOpsTree(const repo::SourceTree& tree, const DirList& dirs, const std::string& root,
                       SourceMap& sources, const repo::LoadOptions& options,
                       std::shared_ptr<const LocalSources> local)
    : tree_(tree),
      dirs_(dirs),
      root_(root),
      sources_(sources),
      threads_(options.threads),
      output_dir_(options.output_dir),
      input_words_(options.input_words),
      local_(std::move(local)),
      own_repository_(tree, root) {
    for (const repo::WalkedDir* dir : dirs) {
        known_dirs_[dir->path] = dir;
    }
    collect();
    find_own_sources();
    own_repository_.learn(objects_);
    find_argo_clusters(options.argo_clusters);
    substitutes_.named_only = true;
    substitutes_.values.insert(options.configured_substitutes.begin(),
                               options.configured_substitutes.end());
    for (std::string_view text : options.substitutes) {
        const std::string_view name = take(text, '=');
        substitutes_.values.insert_or_assign(std::string(name), std::string(text));
    }
}

// Clusters that the user gives replace those of the tree.
void GitOpsTree::find_argo_clusters(const std::vector<std::string>& named) {
    for (const std::string& text : named) {
        if (std::optional<ArgoCluster> cluster = parse_argo_cluster(text)) {
            argo_clusters_.push_back(std::move(*cluster));
        }
    }
    for (const EngineObject& object : objects_) {
        if (!named.empty()) {
            break;
        }
        if (std::optional<ArgoCluster> cluster = argo_cluster_of(object.root)) {
            argo_clusters_.push_back(std::move(*cluster));
        }
    }
}

const repo::WalkedDir* GitOpsTree::find(const std::string& dir) const {
    const auto known = known_dirs_.find(dir);
    return known == known_dirs_.end() ? nullptr : known->second;
}

std::string GitOpsTree::directory(std::string_view path) const {
    return repo::path_inside(root_, path);
}

std::vector<EngineObject> GitOpsTree::read(const std::string& path, std::string text) const {
    std::vector<RefusedFile> ignored;
    return read(path, std::move(text), ignored);
}

std::vector<EngineObject> GitOpsTree::read(const std::string& path, std::string text,
                                           std::vector<RefusedFile>& refused) const {
    std::vector<EngineObject> found;
    if (sources_.total_bytes() + text.size() >= kMaxTextRead) {
        return found;
    }
    const SourceId source = sources_.add(path, std::move(text));
    for (const ScannedDocument& scanned : scan_documents(sources_, source)) {
        Diagnostics discarded;
        Value root = read_yaml(sources_, source, scanned.range, discarded);
        if (!discarded.has_errors() && root.is_map()) {
            std::vector<Value> objects;
            add_objects(std::move(root), objects);
            for (Value& object : objects) {
                found.push_back({path, std::move(object)});
            }
        } else if (discarded.has_errors() && (refused.empty() || refused.back().path != path)) {
            const auto error =
                std::ranges::find(discarded.all(), Severity::Error, &Diagnostic::severity);
            refused.push_back({path, error->pos, error->message});
        }
    }
    return found;
}

std::vector<EngineObject> GitOpsTree::objects_in(const std::string& file) const {
    std::vector<EngineObject> found;
    if (const auto outside = outside_.find(file); outside != outside_.end()) {
        for (const EngineObject& object : outside->second) {
            found.push_back({file, object.root.clone()});
        }
        return found;
    }
    if (unit_makers_.contains(file)) {
        if (Result<std::string> text = tree_.read(file)) {
            found = read(file, std::move(*text));
        }
        return found;
    }
    if (const auto known = engine_files_.find(file); known != engine_files_.end()) {
        for (const std::size_t index : known->second) {
            found.push_back({file, objects_[index].root.clone()});
        }
    }
    return found;
}

// A manifest in the folder of a chart counts if the folder is applied as a directory.
void GitOpsTree::collect_of_charts(std::vector<std::pair<std::string, std::string>>& texts) {
    const std::vector<std::string> paths = manifests_of(dirs_, true);
    std::vector<char> is_manifest(paths.size(), 0);
    auto found = read_wanted(tree_, paths, threads_, [&](std::size_t i, std::string_view text) {
        is_manifest[i] = holds_objects(paths[i], text) ? 1 : 0;
        return is_manifest[i] != 0 && (may_hold_engine(text) || has(text, kSkipsFile));
    });
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (is_manifest[i] != 0) {
            chart_manifests_.insert(paths[i]);
        }
    }
    for (auto& one : found) {
        if (has(one.second, kSkipsFile)) {
            skipped_.insert(one.first);
        }
        if (!is_part_of_chart(one.first)) {
            texts.push_back(std::move(one));
        } else if (may_hold_engine(one.second)) {
            unit_makers_.insert(one.first);
        }
    }
}

// True if the file belongs to a chart in a directory at any level above it.
bool GitOpsTree::is_part_of_chart(const std::string& file) const {
    std::string dir = repo::parent_path(file);
    for (const repo::WalkedDir* known = find(dir); known != nullptr && known->in_chart;
         known = find(dir)) {
        if (known->has_chart && is_of_chart(repo::relative_path(file, dir))) {
            return true;
        }
        if (dir == repo::parent_path(dir)) {
            break;
        }
        dir = repo::parent_path(dir);
    }
    return false;
}

void GitOpsTree::collect() {
    const std::vector<std::string> paths = manifests_of(dirs_, false);
    std::vector<char> mentions(paths.size(), 0);
    auto texts = read_wanted(tree_, paths, threads_, [&](std::size_t i, std::string_view text) {
        mentions[i] = repo::mentions_input(text, input_words_) ? 1 : 0;
        return may_hold_engine(text) || may_hold_instance(text) || loads_any(text) ||
               has(text, kSkipsFile) || may_be_misspelled(text) || has(text, kRepository) ||
               has_conflict(text);
    });
    for (std::size_t i = 0; i < paths.size(); ++i) {
        mentions_.emplace(paths[i], mentions[i] != 0);
    }
    collect_of_charts(texts);
    for (auto& [path, text] : texts) {
        if (has(text, kSkipsFile)) {
            skipped_.insert(path);
        }
        argo_loads_any_ = argo_loads_any_ || (loads_any(text) && !is_outside(path));
        const bool is_engine = may_hold_engine(text);
        if (may_hold_units(text)) {
            unit_files_.insert(path);
        } else if (has(text, kRepository)) {
            unit_makers_.insert(path);
        }
        const bool is_instance = may_hold_instance(text);
        const bool is_judged = is_engine || has_conflict(text);
        if (is_engine) {
            engine_files_[path];
        }
        std::vector<RefusedFile> ignored;
        if (is_outside(path)) {
            outside_[path] = read(path, std::move(text), is_judged ? refused_ : ignored);
            continue;
        }
        for (EngineObject& object : read(path, std::move(text), is_judged ? refused_ : ignored)) {
            if (const std::string in_text = instance_path_of(object.root); !in_text.empty()) {
                Value sync = Value::map();
                sync.put("path", in_text);
                object.root.put("instance", Value::map({{"sync", std::move(sync)}}));
            }
            const Value* values = object.root.at({"spec", "values"});
            const bool has_path =
                object.root.at({"spec", "sync", "path"}) != nullptr ||
                object.root.at({"instance", "sync", "path"}) != nullptr ||
                (values != nullptr && values->at({"instance", "sync", "path"}) != nullptr);
            if (std::optional<Misspelling> found = misspelling_of(object.root)) {
                refused_.push_back({.path = path,
                                    .pos = found->pos,
                                    .why = std::move(found->message),
                                    .is_misspelled = true,
                                    .may_be_patch = found->may_be_patch});
            } else if (is_instance && has_path) {
                instances_.push_back(std::move(object));
            } else if (is_engine) {
                engine_files_[path].push_back(objects_.size());
                objects_.push_back(std::move(object));
            }
        }
    }
}

// A Kustomization in the directory that it applies has this repository as its source. The root
// contains everything, so there only the name that `flux bootstrap` uses decides.
void GitOpsTree::find_own_sources() {
    std::set<std::string> own_names = {"flux-system"};
    for (const EngineObject& object : objects_) {
        const std::string dir = directory(text_of(object.root, {"spec", "path"}));
        if (is_kind(object.root, kFluxGroup, "Kustomization") && dir != root_ &&
            repo::is_within(repo::parent_path(object.file), dir)) {
            own_names.emplace(text_of(object.root, {"spec", "sourceRef", "name"}));
        }
    }
    for (const EngineObject& instance : instances_) {
        for (const Value* sync : {instance.root.at({"spec", "sync"}),
                                  instance.root.at({"spec", "values", "instance", "sync"}),
                                  instance.root.at({"instance", "sync"})}) {
            const std::string_view kind = sync == nullptr ? "" : text_of(*sync, {"kind"});
            const std::string_view url = sync == nullptr ? "" : text_of(*sync, {"url"});
            if ((kind.empty() || kind == "GitRepository") && !url.empty() && !has(url, "${")) {
                own_.insert(repository_name(url));
            }
        }
    }
    for (const EngineObject& object : objects_) {
        if (text_of(object.root, {"apiVersion"}).starts_with(kFluxSources)) {
            const std::string key = fmt::format("{}/{}", text_of(object.root, {"kind"}),
                                                text_of(object.root, {"metadata", "name"}));
            urls_.emplace(key, text_of(object.root, {"spec", "url"}));
            if (spelling_of(object.root.at({"spec", "suspend"})) == "true") {
                suspended_.insert(key);
            }
        }
        if (is_kind(object.root, kFluxSources, "GitRepository")) {
            const std::string name(text_of(object.root, {"metadata", "name"}));
            const std::string url = repository_name(text_of(object.root, {"spec", "url"}));
            defined_[name] = url;
            ignored_[name].push_back(
                {object.file, std::string(text_of(object.root, {"spec", "ignore"}))});
            if (own_names.contains(name)) {
                own_.insert(url);
            }
        }
    }
}

bool GitOpsTree::holds_input(const std::string& path) {
    const auto [known, is_new] = inputs_.try_emplace(path, false);
    const auto mention = mentions_.find(path);
    if (is_new && (mention == mentions_.end() || mention->second)) {
        Result<std::string> text = tree_.read(path);
        known->second = text && repo::mentions_input(*text, input_words_) &&
                        has_input(path, std::move(*text), input_words_);
    }
    return known->second;
}

void GitOpsTree::find_maps() {
    if (std::exchange(has_maps_, true)) {
        return;
    }
    for (auto& [path, text] : read_wanted(tree_, manifests_of(dirs_, false), threads_,
                                          [](std::size_t, std::string_view text) {
                                              return has(text, "ConfigMap") || has(text, "Secret");
                                          })) {
        for (EngineObject& object : read(path, std::move(text))) {
            const bool is_encrypted = object.root.find("sops") != nullptr;
            const std::string name(text_of(object.root, {"metadata", "name"}));
            if (is_kind(object.root, "v1", "ConfigMap")) {
                auto& known = config_maps_[name];
                if (!is_encrypted) {
                    known.push_back(std::move(object.root));
                }
            } else if (is_kind(object.root, "v1", "Secret")) {
                secrets_[name].push_back(std::move(object.root));
            }
        }
    }
    generated_maps_ = generated_config_maps(tree_, dirs_, root_, sources_);
}

std::vector<const Value*> GitOpsTree::config_maps(std::string_view name) {
    find_maps();
    std::vector<const Value*> found;
    for (const auto* maps : {&config_maps_, &generated_maps_}) {
        if (const auto known = maps->find(name); known != maps->end() && found.empty()) {
            std::ranges::transform(known->second, std::back_inserter(found),
                                   [](const Value& one) { return &one; });
        }
    }
    return found;
}

std::vector<const Value*> GitOpsTree::secrets(std::string_view name) {
    find_maps();
    std::vector<const Value*> found;
    if (const auto known = secrets_.find(name); known != secrets_.end()) {
        std::ranges::transform(known->second, std::back_inserter(found),
                               [](const Value& one) { return &one; });
    }
    return found;
}

bool GitOpsTree::has_config_map(std::string_view name) {
    find_maps();
    return config_maps_.contains(name) || generated_maps_.contains(name);
}

}  // namespace renderer::engines
