#include "renderer/engines/gitops_tree.h"

#include <algorithm>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/k3s/helm_chart.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/engines/naming.h"
#include "renderer/engines/places.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kRepository = "repoURL:";
constexpr std::string_view kSkipsFile = "+argocd:skip-file-rendering";

bool has(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

bool may_hold_instance(std::string_view text) {
    return has(text, kFluxOperator) || (has(text, "instance:") && has(text, "sync:"));
}

bool may_hold_release(std::string_view text) {
    return (has(text, kHelmGroup) || has(text, kHelmOfK3s)) && has(text, "path:");
}

// True for an object that gives a path to an installed Flux Operator, also as values of its chart.
bool has_sync_path(const Value& object) {
    const Value* sync = instance_part(object, "sync");
    return sync != nullptr && sync->find("path") != nullptr;
}

// True for an argocd-cm that turns off kustomize's load restrictions.
bool loads_any(std::string_view text) {
    return has(text, "kustomize.buildOptions") && has(text, "LoadRestrictionsNone");
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
    return has(text, kFluxGroup) || has(text, kSourceGroup) || has(text, kFluxExtensions) ||
           has(text, kArgoGroup) || (has(text, kFluxOperator) && has(text, "ResourceSet"));
}

bool installs_chart_of_source(std::string_view text) {
    return names_version(text, kHelmGroup) && has(text, "HelmRelease") &&
           (has(text, "GitRepository") || has(text, "Bucket"));
}

GitOpsTree::GitOpsTree(const repo::SourceTree& tree, const DirList& dirs, const std::string& root,
                       SourceMap& sources, const repo::LoadOptions& options,
                       std::shared_ptr<const LocalSources> local)
    : tree_(tree),
      dirs_(dirs),
      root_(root),
      sources_(sources),
      input_words_(options.input_words),
      flux_sources_(tree, dirs, root, sources, options.output_dir, std::move(local)),
      variable_sources_(tree, dirs, root, sources, options),
      own_repository_(tree, root) {
    for (const repo::WalkedDir* dir : dirs) {
        known_dirs_[dir->path] = dir;
    }
    collect(options.threads);
    flux_sources_.learn(objects_, instances_);
    own_repository_.learn(objects_);
    find_argo_clusters(options.argo_clusters);
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

FileRoles GitOpsTree::roles_of(const std::string& file) const {
    const auto known = roles_.find(file);
    return known == roles_.end() ? FileRoles() : known->second;
}

const repo::WalkedDir* GitOpsTree::find(const std::string& dir) const {
    const auto known = known_dirs_.find(dir);
    return known == known_dirs_.end() ? nullptr : known->second;
}

std::string GitOpsTree::directory(std::string_view path) const {
    return repo::path_inside(root_, path);
}

std::vector<EngineObject> GitOpsTree::read(const std::string& path, std::string text) const {
    return read_objects(sources_, path, std::move(text));
}

void GitOpsTree::take_patched(std::vector<EngineObject> patched) {
    for (EngineObject& built : patched) {
        const auto raw = std::ranges::find_if(
            objects_, [&](const EngineObject& one) { return is_made_of(built, one); });
        const Value* spec = built.root.find("spec");
        if (raw != objects_.end() && spec != nullptr &&
            (raw->root.find("spec") == nullptr || *raw->root.find("spec") != *spec)) {
            set_places(built.root, raw->root.find("kind")->pos());
            raw->applied_itself =
                repo::is_within(raw->file, directory(text_of(raw->root, {"spec", "path"})));
            raw->root = std::move(built.root);
        }
    }
    flux_sources_.learn(objects_, instances_);
}

void GitOpsTree::take_instances(std::vector<EngineObject> patched) {
    std::erase_if(patched, [](const EngineObject& one) { return !has_sync_path(one.root); });
    instances_ = std::move(patched);
}

void GitOpsTree::add_objects(const std::vector<EngineObject>& made) {
    if (made.empty()) {
        return;
    }
    for (const EngineObject& object : made) {
        objects_.push_back({object.file, object.root.clone()});
    }
    flux_sources_.learn(objects_, instances_);
}

bool is_made_of(const EngineObject& built, const EngineObject& raw) {
    return raw.file == built.file && text_of(raw.root, {"kind"}) == text_of(built.root, {"kind"}) &&
           text_of(raw.root, {"metadata", "name"}) == text_of(built.root, {"metadata", "name"});
}

std::vector<EngineObject> GitOpsTree::objects_in(const std::string& file) const {
    std::vector<EngineObject> found;
    if (const auto outside = outside_.find(file); outside != outside_.end()) {
        for (const EngineObject& object : outside->second) {
            found.push_back({file, object.root.clone()});
        }
        return found;
    }
    if (may_make_units(file)) {
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
void GitOpsTree::collect_of_charts(unsigned threads,
                                   std::vector<std::pair<std::string, std::string>>& texts) {
    const std::vector<std::string> paths = manifests_of(dirs_, true);
    std::vector<char> is_manifest(paths.size(), 0);
    auto found = read_wanted(tree_, paths, threads, [&](std::size_t i, std::string_view text) {
        is_manifest[i] = holds_objects(paths[i], text) ? 1 : 0;
        return is_manifest[i] != 0 && (may_hold_engine(text) || has(text, kSkipsFile));
    });
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (is_manifest[i] != 0) {
            roles_[paths[i]].is_chart_manifest = true;
        }
    }
    const ChartDirs charts = chart_dirs(dirs_);
    for (auto& one : found) {
        if (has(one.second, kSkipsFile)) {
            roles_[one.first].is_skipped = true;
        }
        if (!is_part_of_chart(charts, one.first)) {
            texts.push_back(std::move(one));
        } else if (may_hold_engine(one.second)) {
            roles_[one.first].makes_units = true;
        }
    }
}

void GitOpsTree::collect(unsigned threads) {
    const std::vector<std::string> paths = manifests_of(dirs_, false);
    std::vector<char> mentions(paths.size(), 0);
    std::vector<char> charts(paths.size(), 0);
    auto texts = read_wanted(tree_, paths, threads, [&](std::size_t i, std::string_view text) {
        mentions[i] = repo::mentions_input(text, input_words_) ? 1 : 0;
        charts[i] = installs_chart_of_source(text) ? 1 : 0;
        return may_hold_engine(text) || may_hold_instance(text) || may_hold_release(text) ||
               loads_any(text) || has(text, kSkipsFile) || may_be_misspelled(text) ||
               has(text, kRepository) || has_conflict(text);
    });
    for (std::size_t i = 0; i < paths.size(); ++i) {
        mentions_.emplace(paths[i], mentions[i] != 0);
    }
    installs_own_charts_ = std::ranges::find(charts, 1) != charts.end();
    collect_of_charts(threads, texts);
    for (auto& [path, text] : texts) {
        if (has(text, kSkipsFile)) {
            roles_[path].is_skipped = true;
        }
        argo_loads_any_ = argo_loads_any_ || (loads_any(text) && !flux_sources_.is_outside(path));
        const bool is_engine = may_hold_engine(text);
        if (may_hold_units(text)) {
            roles_[path].holds_units = true;
        } else if (has(text, kRepository)) {
            roles_[path].makes_units = true;
        }
        const bool is_instance = may_hold_instance(text);
        const bool has_release = may_hold_release(text);
        const bool is_judged = is_engine || has_conflict(text);
        if (is_engine) {
            engine_files_[path];
        }
        std::vector<RefusedFile>* refused = is_judged ? &refused_ : nullptr;
        if (flux_sources_.is_outside(path)) {
            outside_[path] = read_objects(sources_, path, std::move(text), refused);
            continue;
        }
        for (EngineObject& object : read_objects(sources_, path, std::move(text), refused)) {
            if (const std::string in_text = instance_path_of(object.root); !in_text.empty()) {
                Value sync = Value::map();
                sync.put("path", in_text);
                object.root.put("instance", Value::map({{"sync", std::move(sync)}}));
            }
            if (has_release && (is_kind(object.root, kHelmGroup, "HelmRelease") ||
                                is_kind(object.root, kHelmOfK3s, "HelmChart"))) {
                releases_.push_back({path, object.root.clone()});
            }
            if (std::optional<Misspelling> found = misspelling_of(object.root)) {
                refused_.push_back(
                    {.path = path,
                     .pos = found->pos,
                     .why = std::move(found->message),
                     .is_misspelled = true,
                     .may_be_patch = found->may_be_patch,
                     .is_release = text_of(object.root, {"kind"}) == "HelmRelease" ||
                                   text_of(object.root, {"apiVersion"}).starts_with(kHelmGroup),
                     .naming = naming_tailscale(object.root.find("spec"))});
            } else if (is_instance && has_sync_path(object.root)) {
                instances_.push_back(std::move(object));
            } else if (is_engine) {
                engine_files_[path].push_back(objects_.size());
                objects_.push_back(std::move(object));
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

}  // namespace renderer::engines
