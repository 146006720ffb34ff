#include "renderer/load/roots/gitops_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/parallel.h"
#include "renderer/base/split.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/load/charts/chart_release.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

constexpr std::string_view kFluxSources = "source.toolkit.fluxcd.io/";
constexpr std::string_view kHelmGroup = "helm.toolkit.fluxcd.io/";
constexpr std::string_view kFluxOperator = "fluxcd.controlplane.io/";
constexpr std::string_view kSkipsFile = "+argocd:skip-file-rendering";
constexpr std::size_t kMaxTextRead = std::size_t{1} << 30U;  // of all files that are read here

bool has(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

bool may_hold_instance(std::string_view text) {
    return has(text, kFluxOperator) || (has(text, "instance:") && has(text, "sync:"));
}

// Of argocd-cm.
bool loads_any(std::string_view text) {
    return has(text, "kustomize.buildOptions") && has(text, "LoadRestrictionsNone");
}

// "owner/name" of https, ssh and scp addresses alike.
std::string repository_name(std::string_view url) {
    std::string name = lower_case(url);
    while (name.ends_with('/')) {
        name.pop_back();
    }
    if (name.ends_with(".git")) {
        name.resize(name.size() - 4);
    }
    const std::size_t last = name.find_last_of("/:");
    if (last == std::string::npos || last == 0) {
        return name;
    }
    const std::size_t before = name.find_last_of("/:", last - 1);
    return before == std::string::npos ? name : name.substr(before + 1);
}

std::vector<std::string> manifests_of(const DirList& dirs) {
    std::vector<std::string> paths;
    for (const WalkedDir* dir : dirs) {
        for (const std::string& name : dir->files) {
            if (is_manifest_name(name) && !dir->in_chart) {
                paths.push_back(join_path(dir->path, name));
            }
        }
    }
    return paths;
}

// `wanted` is asked on several threads, for each index once.
template <typename Wanted>
std::vector<std::pair<std::string, std::string>> read_wanted(const SourceTree& tree,
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

// The directories before what a generator fills in.
std::string_view fixed_part(std::string_view pattern) {
    const std::size_t filled = pattern.find_first_of("*?[{");
    return filled == std::string_view::npos ? pattern
                                            : pattern.substr(0, pattern.rfind('/', filled) + 1);
}

bool is_input(std::string_view api_version, std::string_view kind, std::string_view text) {
    if (kind == "Service" || kind == "Ingress" || api_version.starts_with("tailscale.com/") ||
        kind.ends_with("List")) {
        return true;
    }
    return api_version.starts_with("kustomize.config.k8s.io/") &&
           (has(text, "tailscale.com/") || has(text, "loadBalancerClass") ||
            has(text, "ingressClassName"));
}

bool has_input(const std::string& path, std::string text) {
    SourceMap sources;
    const SourceId source = sources.add(path, std::move(text));
    return std::ranges::any_of(
        scan_documents(sources, source), [&](const ScannedDocument& scanned) {
            if (!scanned.mentions_tailscale) {
                return false;
            }
            const std::string_view whole = sources.text(source).substr(
                scanned.range.begin, scanned.range.end - scanned.range.begin);
            if (scanned.plain) {
                return is_input(text_of(scanned.api_version), text_of(scanned.kind), whole);
            }
            Diagnostics unheard;
            const Value root = read_yaml(sources, source, scanned.range, unheard);
            return is_input(text_of(root, {"apiVersion"}), text_of(root, {"kind"}), whole);
        });
}

// May hold an object of Flux's helm-controller, and none whose kind is spelled right.
bool may_misspell_release(std::string_view text) {
    return has(text, kHelmGroup) && !has(text, "kind: HelmRelease");
}

// Of git, which leaves them in a file that nobody has mended.
bool has_conflict(std::string_view text) {
    return text.starts_with("<<<<<<< ") || has(text, "\n<<<<<<< ");
}

// "" for a kind of the engines, and for one that is not meant as such.
std::string_view meant_kind(const Value& object) {
    const std::string_view api_version = text_of(object, {"apiVersion"});
    const std::string_view kind = text_of(object, {"kind"});
    if (api_version.starts_with(kHelmGroup)) {
        return kind == "HelmRelease" ? "" : nearest(kind, {"HelmRelease"});
    }
    if (api_version.starts_with(kFluxGroup)) {
        return kind == "Kustomization" ? "" : nearest(kind, {"Kustomization"});
    }
    if (api_version.starts_with(kArgoGroup)) {
        const bool is_known = kind == "Application" || kind == "ApplicationSet";
        return is_known ? "" : nearest(kind, {"Application", "ApplicationSet"});
    }
    return {};
}

}  // namespace

bool may_hold_engine(std::string_view text) {
    return has(text, kFluxGroup) || has(text, kFluxSources) || has(text, kArgoGroup);
}

bool is_kind(const Value& object, std::string_view group, std::string_view kind) {
    return text_of(object, {"apiVersion"}).starts_with(group) && text_of(object, {"kind"}) == kind;
}

std::vector<const Value*> sources_of(const Value& application) {
    std::vector<const Value*> found = application_sources(application);
    std::erase_if(found, [](const Value* source) {
        return source->at({"path"}) == nullptr || source->at({"chart"}) != nullptr;
    });
    return found;
}

GitOpsTree::GitOpsTree(const SourceTree& tree, const DirList& dirs, const std::string& root,
                       SourceMap& sources, const LoadOptions& options)
    : tree_(tree),
      dirs_(dirs),
      root_(root),
      sources_(sources),
      threads_(options.threads),
      output_dir_(options.output_dir) {
    for (const WalkedDir* dir : dirs) {
        known_dirs_[dir->path] = dir;
    }
    collect();
    find_own_sources();
    learn_own_url(objects_);
    find_argo_clusters(options.argo_clusters);
    substitutes_.named_only = true;
    for (std::string_view text : options.substitutes) {
        const std::string_view name = take(text, '=');
        substitutes_.values.insert_or_assign(std::string(name), std::string(text));
    }
}

// What the user says takes the place of all that the tree does.
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

const WalkedDir* GitOpsTree::find(const std::string& dir) const {
    const auto known = known_dirs_.find(dir);
    return known == known_dirs_.end() ? nullptr : known->second;
}

std::string GitOpsTree::directory(std::string_view path) const {
    return normal_path(join_path(root_, normal_path("/" + std::string(path)).substr(1)));
}

std::vector<EngineObject> GitOpsTree::read(const std::string& path, std::string text) const {
    std::vector<UnreadFile> ignored;
    return read(path, std::move(text), ignored);
}

std::vector<EngineObject> GitOpsTree::read(const std::string& path, std::string text,
                                           std::vector<UnreadFile>& unread) const {
    std::vector<EngineObject> found;
    if (sources_.total_bytes() + text.size() >= kMaxTextRead) {
        return found;
    }
    const SourceId source = sources_.add(path, std::move(text));
    for (const ScannedDocument& scanned : scan_documents(sources_, source)) {
        Diagnostics unheard;
        Value root = read_yaml(sources_, source, scanned.range, unheard);
        if (!unheard.has_errors() && root.is_map()) {
            found.push_back({path, std::move(root)});
        } else if (unheard.has_errors() && (unread.empty() || unread.back().path != path)) {
            const auto error =
                std::ranges::find(unheard.all(), Severity::Error, &Diagnostic::severity);
            unread.push_back({path, error->pos, error->message});
        }
    }
    return found;
}

std::vector<EngineObject> GitOpsTree::objects_in(const std::string& file) const {
    std::vector<EngineObject> found;
    if (const auto known = engine_files_.find(file); known != engine_files_.end()) {
        for (const std::size_t index : known->second) {
            found.push_back({file, objects_[index].root.clone()});
        }
    }
    return found;
}

void GitOpsTree::collect() {
    const std::vector<std::string> paths = manifests_of(dirs_);
    std::vector<char> mentions(paths.size(), 0);
    auto texts = read_wanted(tree_, paths, threads_, [&](std::size_t i, std::string_view text) {
        mentions[i] = mentions_tailscale(text) ? 1 : 0;
        return may_hold_engine(text) || may_hold_instance(text) || loads_any(text) ||
               has(text, kSkipsFile) || may_misspell_release(text) || has_conflict(text);
    });
    for (std::size_t i = 0; i < paths.size(); ++i) {
        mentions_.emplace(paths[i], mentions[i] != 0);
    }
    for (auto& [path, text] : texts) {
        if (has(text, kSkipsFile)) {
            skipped_.insert(path);
        }
        argo_loads_any_ = argo_loads_any_ || loads_any(text);
        const bool is_engine = may_hold_engine(text);
        const bool is_instance = may_hold_instance(text);
        const bool is_judged = is_engine || has_conflict(text);
        if (is_engine) {
            engine_files_[path];
        }
        std::vector<UnreadFile> ignored;
        for (EngineObject& object : read(path, std::move(text), is_judged ? unread_ : ignored)) {
            const Value* values = object.root.at({"spec", "values"});
            const bool has_path =
                object.root.at({"spec", "sync", "path"}) != nullptr ||
                object.root.at({"instance", "sync", "path"}) != nullptr ||
                (values != nullptr && values->at({"instance", "sync", "path"}) != nullptr);
            if (const std::string_view meant = meant_kind(object.root); !meant.empty()) {
                const Value& kind = *object.root.find("kind");
                unread_.push_back(
                    {path, kind.pos(),
                     fmt::format("no kind \"{}\" in \"{}\": is {} meant?", kind.text(),
                                 text_of(object.root, {"apiVersion"}), meant)});
            } else if (is_instance && has_path) {
                instances_.push_back(std::move(object));
            } else if (is_engine) {
                engine_files_[path].push_back(objects_.size());
                objects_.push_back(std::move(object));
            }
        }
    }
}

// A Kustomization that lies in the directory that it applies is the repository's own. The top
// holds everything: there only the name that `flux bootstrap` gives tells.
void GitOpsTree::find_own_sources() {
    std::set<std::string> own_names = {"flux-system"};
    for (const EngineObject& object : objects_) {
        const std::string dir = directory(text_of(object.root, {"spec", "path"}));
        if (is_kind(object.root, kFluxGroup, "Kustomization") && dir != root_ &&
            is_within(parent_path(object.file), dir)) {
            own_names.emplace(text_of(object.root, {"spec", "sourceRef", "name"}));
        }
    }
    for (const EngineObject& object : objects_) {
        if (is_kind(object.root, kFluxSources, "GitRepository")) {
            const std::string name(text_of(object.root, {"metadata", "name"}));
            const std::string url = repository_name(text_of(object.root, {"spec", "url"}));
            defined_[name] = url;
            if (spelling_of(object.root.at({"spec", "suspend"})) == "true") {
                suspended_.insert(name);
            }
            ignored_[name].push_back(
                {object.file, std::string(text_of(object.root, {"spec", "ignore"}))});
            if (own_names.contains(name)) {
                own_.insert(url);
            }
        }
    }
}

bool GitOpsTree::has_own_source(const Value& kustomization) const {
    const std::string_view kind = text_of(kustomization, {"spec", "sourceRef", "kind"});
    const auto defined =
        defined_.find(std::string(text_of(kustomization, {"spec", "sourceRef", "name"})));
    return kind == "GitRepository" && (defined == defined_.end() || own_.contains(defined->second));
}

std::set<std::string> GitOpsTree::foreign_sources() const {
    std::set<std::string> names;
    for (const auto& [name, repository] : defined_) {
        if (!own_.contains(repository)) {
            names.insert(name);
        }
    }
    return names;
}

// Of several sources of that name the one in the same file; where they disagree, none.
std::string GitOpsTree::ignored_by(std::string_view source, const std::string& file) const {
    const auto known = ignored_.find(source);
    if (known == ignored_.end()) {
        return {};
    }
    const std::vector<Ignored>& sources = known->second;
    const auto beside = std::ranges::find(sources, file, &Ignored::file);
    if (beside != sources.end()) {
        return beside->patterns;
    }
    const std::string& first = sources.front().patterns;
    const bool agree =
        std::ranges::all_of(sources, [&](const Ignored& one) { return one.patterns == first; });
    return agree ? first : std::string();
}

std::shared_ptr<Artifact> GitOpsTree::artifact(std::string_view source, const std::string& file) {
    const std::string patterns = ignored_by(source, file);
    const auto [known, is_new] = artifacts_.try_emplace(patterns);
    if (is_new) {
        SourceIgnores ignores;
        for (const WalkedDir* dir : dirs_) {
            if (dir->has_sourceignore) {
                const Result<std::string> text =
                    tree_.read(join_path(dir->path, kSourceIgnoreName));
                ignores.add(text ? *text : std::string(), dir->relative);
            }
        }
        ignores.add(patterns, {});
        ArtifactTree tree(tree_, root_, dirs_, std::move(ignores));
        if (tree.leaves_out_any()) {
            known->second = std::make_shared<Artifact>(std::move(tree), sources_, output_dir_);
        }
    }
    return known->second;
}

// Of the repositories that Applications and their sets name, the one whose paths are here.
void GitOpsTree::learn_own_url(const std::vector<EngineObject>& objects) {
    if (!own_url_.empty()) {
        return;
    }
    std::map<std::string, int> counts;
    const auto count = [&](std::string_view url, std::string_view path) {
        if (url.empty() || url.starts_with("{{")) {
            return;
        }
        const std::string dir = directory(path);
        const bool shows = dir != root_ && tree_.kind(dir) == EntryKind::Directory;
        counts[repository_name(url)] += shows ? 1 : 0;
    };
    const auto count_generator = [&](const auto& self, const Value& generator) -> void {
        const Value* git = generator.find("git");
        for (const std::string_view field : {"directories", "files"}) {
            for (const Value& item : items_of(git == nullptr ? nullptr : git->find(field))) {
                count(text_of(*git, {"repoURL"}), fixed_part(text_of(item, {"path"})));
            }
        }
        for (const Value& element : items_of(generator.at({"list", "elements"}))) {
            for (const Member& parameter : members_of(&element)) {
                count(text_of(element, {"repoURL"}), fixed_part(text_of(parameter.value)));
            }
        }
        for (const std::string_view product : {"matrix", "merge"}) {
            for (const Value& inner : items_of(generator.at({product, "generators"}))) {
                self(self, inner);
            }
        }
    };
    for (const EngineObject& object : objects) {
        if (is_kind(object.root, kArgoGroup, "Application")) {
            for (const Value* source : sources_of(object.root)) {
                count(text_of(*source, {"repoURL"}), text_of(*source, {"path"}));
            }
        } else if (is_kind(object.root, kArgoGroup, "ApplicationSet")) {
            for (const Value& generator : items_of(object.root.at({"spec", "generators"}))) {
                count_generator(count_generator, generator);
            }
            const Value* shape = object.root.at({"spec", "template"});
            for (const Value* source :
                 shape == nullptr ? std::vector<const Value*>() : sources_of(*shape)) {
                count(text_of(*source, {"repoURL"}), fixed_part(text_of(*source, {"path"})));
            }
        }
    }
    int most = 0;
    for (const auto& [name, shown] : counts) {
        if (shown >= most) {
            own_url_ = shown > most ? name : std::string();
            most = shown;
        }
    }
}

bool GitOpsTree::is_own_url(std::string_view url) const {
    return !own_url_.empty() && repository_name(url) == own_url_;
}

bool GitOpsTree::is_other_url(std::string_view url) const {
    return !own_url_.empty() && repository_name(url) != own_url_;
}

bool GitOpsTree::holds_input(const std::string& path) {
    const auto [known, is_new] = inputs_.try_emplace(path, false);
    const auto mention = mentions_.find(path);
    if (is_new && (mention == mentions_.end() || mention->second)) {
        Result<std::string> text = tree_.read(path);
        known->second = text && mentions_tailscale(*text) && has_input(path, std::move(*text));
    }
    return known->second;
}

std::vector<const Value*> GitOpsTree::config_maps(std::string_view name) {
    if (!has_config_maps_) {
        has_config_maps_ = true;
        for (auto& [path, text] : read_wanted(
                 tree_, manifests_of(dirs_), threads_,
                 [](std::size_t, std::string_view text) { return has(text, "ConfigMap"); })) {
            for (EngineObject& object : read(path, std::move(text))) {
                const bool is_encrypted = object.root.find("sops") != nullptr;
                if (is_kind(object.root, "v1", "ConfigMap") && !is_encrypted) {
                    config_maps_[std::string(text_of(object.root, {"metadata", "name"}))].push_back(
                        std::move(object.root));
                }
            }
        }
        generated_maps_ = generated_config_maps(tree_, dirs_, root_, sources_);
    }
    std::vector<const Value*> found;
    for (const auto* maps : {&config_maps_, &generated_maps_}) {
        const auto known = maps->find(name);
        if (known != maps->end() && found.empty()) {
            for (const Value& one : known->second) {
                found.push_back(&one);
            }
        }
    }
    return found;
}

}  // namespace renderer
