#include "renderer/load/roots/appliers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/parallel.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

constexpr std::string_view kFlux = "kustomize.toolkit.fluxcd.io/";
constexpr std::string_view kFluxSource = "source.toolkit.fluxcd.io/";
constexpr std::string_view kArgo = "argoproj.io/";
constexpr std::size_t kMaxText = std::size_t{1} << 30U;  // of all files that are read here

struct ReadObject {
    std::string file;
    Value root;
};

bool is_kind(const Value& object, std::string_view group, std::string_view kind) {
    return text_of(object, {"apiVersion"}).starts_with(group) && text_of(object, {"kind"}) == kind;
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

// `..` cannot lead out, and `./x`, `/x` and `x` are the same.
std::string path_below(const std::string& root, std::string_view path) {
    return normal_path(join_path(root, normal_path("/" + std::string(path)).substr(1)));
}

class Collector {
public:
    Collector(const SourceTree& tree, const DirList& dirs, const std::string& root,
              SourceMap& sources, unsigned threads)
        : tree_(tree), dirs_(dirs), root_(root), sources_(sources), threads_(threads) {}

    std::map<std::string, std::optional<BuildUnit>> run() {
        collect(
            [](std::string_view text) {
                return text.find(kFlux) != std::string_view::npos ||
                       text.find(kFluxSource) != std::string_view::npos ||
                       text.find(kArgo) != std::string_view::npos;
            },
            objects_);
        find_own_sources();
        find_own_repository();
        collect_config_maps();
        for (const ReadObject& object : objects_) {
            if (is_kind(object.root, kFlux, "Kustomization")) {
                add_flux(object.root, object.file);
            }
        }
        add_applications();
        return std::move(units_);
    }

private:
    template <typename Wanted>
    void collect(const Wanted& wanted, std::vector<ReadObject>& objects) {
        std::vector<std::string> paths;
        for (const WalkedDir* dir : dirs_) {
            for (const std::string& name : dir->files) {
                if (is_manifest_name(name) && !dir->in_chart) {
                    paths.push_back(join_path(dir->path, name));
                }
            }
        }
        std::vector<std::string> texts(paths.size());
        for_each_parallel(paths.size(), threads_, [&](std::size_t i) {
            Result<std::string> text = tree_.read(paths[i]);
            if (text && wanted(*text)) {
                texts[i] = std::move(*text);
            }
        });
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!texts[i].empty() && sources_.total_bytes() + texts[i].size() < kMaxText) {
                read_objects(paths[i], std::move(texts[i]), objects);
            }
        }
    }

    void read_objects(const std::string& path, std::string text, std::vector<ReadObject>& objects) {
        const SourceId source = sources_.add(path, std::move(text));
        for (const ScannedDocument& scanned : scan_documents(sources_, source)) {
            Diagnostics unheard;
            Value root = read_yaml(sources_, source, scanned.range, unheard);
            if (!unheard.has_errors() && root.is_map()) {
                objects.push_back({path, std::move(root)});
            }
        }
    }

    // A Kustomization that lies in the directory that it applies is the repository's own. The top
    // holds everything: there only the name that `flux bootstrap` gives tells.
    void find_own_sources() {
        std::set<std::string> own_names = {"flux-system"};
        for (const ReadObject& object : objects_) {
            const std::string dir = path_below(root_, text_of(object.root, {"spec", "path"}));
            if (is_kind(object.root, kFlux, "Kustomization") && dir != root_ &&
                is_within(parent_path(object.file), dir)) {
                own_names.emplace(text_of(object.root, {"spec", "sourceRef", "name"}));
            }
        }
        for (const ReadObject& object : objects_) {
            if (is_kind(object.root, kFluxSource, "GitRepository")) {
                const std::string name(text_of(object.root, {"metadata", "name"}));
                const std::string url = repository_name(text_of(object.root, {"spec", "url"}));
                defined_[name] = url;
                if (own_names.contains(name)) {
                    own_.insert(url);
                }
            }
        }
    }

    // Of the repositories that Applications name, the one whose paths are here.
    void find_own_repository() {
        std::map<std::string, int> counts;
        for_each_source([&](const ReadObject&, const Value& source, const std::string& dir) {
            const bool shows = dir != root_ && tree_.kind(dir) == EntryKind::Directory;
            counts[repository_name(text_of(source, {"repoURL"}))] += shows ? 1 : 0;
        });
        int most = 0;
        for (const auto& [name, count] : counts) {
            if (count >= most) {
                own_repository_ = count > most ? name : std::string();
                most = count;
            }
        }
    }

    // Sources of Applications with a path.
    template <typename Take>
    void for_each_source(const Take& take) {
        for (const ReadObject& object : objects_) {
            if (!is_kind(object.root, kArgo, "Application")) {
                continue;
            }
            const auto take_one = [&](const Value& source) {
                const Value* path = source.at({"path"});
                if (path != nullptr && source.at({"chart"}) == nullptr) {
                    take(object, source, path_below(root_, text_of(path)));
                }
            };
            const auto sources = items_of(object.root.at({"spec", "sources"}));
            const Value* source = object.root.at({"spec", "source"});
            if (sources.empty() && source != nullptr) {
                take_one(*source);
            }
            std::ranges::for_each(sources, take_one);
        }
    }

    // A source that is not defined in the tree is what the cluster was started with.
    [[nodiscard]] bool is_own(const Value& kustomization) const {
        const std::string_view kind = text_of(kustomization, {"spec", "sourceRef", "kind"});
        const auto defined =
            defined_.find(std::string(text_of(kustomization, {"spec", "sourceRef", "name"})));
        return kind == "GitRepository" &&
               (defined == defined_.end() || own_.contains(defined->second));
    }

    void collect_config_maps() {
        std::set<std::string_view> names;
        for (const ReadObject& object : objects_) {
            for (const Value& from :
                 items_of(object.root.at({"spec", "postBuild", "substituteFrom"}))) {
                if (text_of(from, {"kind"}) == "ConfigMap") {
                    names.insert(text_of(from, {"name"}));
                }
            }
        }
        if (names.empty()) {
            return;
        }
        std::vector<ReadObject> found;
        collect(
            [&](std::string_view text) {
                return text.find("ConfigMap") != std::string_view::npos &&
                       std::ranges::any_of(names, [&](std::string_view name) {
                           return text.find(name) != std::string_view::npos;
                       });
            },
            found);
        for (ReadObject& object : found) {
            const std::string name(text_of(object.root, {"metadata", "name"}));
            if (is_kind(object.root, "v1", "ConfigMap") && names.contains(name)) {
                config_maps_[name].push_back(std::move(object.root));
            }
        }
    }

    static void add_variables(const Value* map, UnitVariables& variables) {
        for (const Member& member : members_of(map)) {
            std::string text(spelling_of(member.value));
            std::erase(text, '\n');
            variables.values.insert_or_assign(std::string(spelling_of(member.key)),
                                              std::move(text));
        }
    }

    // Several ConfigMaps of one name are of several clusters or namespaces: none is taken.
    [[nodiscard]] std::optional<UnitVariables> variables_of(const Value& kustomization) const {
        const Value* post_build = kustomization.at({"spec", "postBuild"});
        if (post_build == nullptr) {
            return {};
        }
        UnitVariables variables;
        const auto from = items_of(post_build->at({"substituteFrom"}));
        for (const Value& one : from) {
            const auto known = config_maps_.find(std::string(text_of(one, {"name"})));
            if (text_of(one, {"kind"}) == "ConfigMap" && known != config_maps_.end() &&
                known->second.size() == 1) {
                add_variables(known->second.front().find("data"), variables);
            }
        }
        add_variables(post_build->at({"substitute"}), variables);
        const bool always = text_of(*post_build, {"substituteStrategy"}) == "Always";
        const bool runs = !from.empty() || !variables.values.empty() || always;
        return runs ? std::optional(std::move(variables)) : std::nullopt;
    }

    void add_flux(const Value& object, const std::string& file) {
        const bool elsewhere = object.at({"spec", "kubeConfig"}) != nullptr;
        const Value* path = object.at({"spec", "path"});
        if (elsewhere || !is_own(object) || text_of(path).find('$') != std::string_view::npos) {
            return;
        }
        add({.dir = path_below(root_, text_of(path)),
             .target_namespace = std::string(text_of(object, {"spec", "targetNamespace"})),
             .fallback_namespace = {},
             .variables = variables_of(object),
             .file = spelling_of(object.at({"spec", "suspend"})) == "true" ? "" : file});
    }

    void add_applications() {
        for_each_source([&](const ReadObject& application, const Value& source, std::string dir) {
            if (!own_repository_.empty() &&
                repository_name(text_of(source, {"repoURL"})) == own_repository_) {
                add({.dir = std::move(dir),
                     .target_namespace = std::string(text_of(source, {"kustomize", "namespace"})),
                     .fallback_namespace = std::string(
                         text_of(application.root, {"spec", "destination", "namespace"})),
                     .variables = {},
                     .recurses = spelling_of(source.at({"directory", "recurse"})) == "true",
                     .file = application.file});
            }
        });
    }

    void add(BuildUnit unit) {
        if (tree_.kind(unit.dir) != EntryKind::Directory) {
            return;
        }
        const auto [known, is_new] = units_.try_emplace(unit.dir, unit);
        if (!is_new && known->second && !agree(*known->second, unit)) {
            known->second.reset();
        }
    }

    static bool agree(const BuildUnit& a, const BuildUnit& b) {
        return a.target_namespace == b.target_namespace &&
               a.fallback_namespace == b.fallback_namespace && a.variables == b.variables &&
               a.recurses == b.recurses;
    }

    const SourceTree& tree_;
    const DirList& dirs_;
    const std::string& root_;
    SourceMap& sources_;
    unsigned threads_;
    std::vector<ReadObject> objects_;
    std::map<std::string, std::string> defined_;  // GitRepository: its repository
    std::set<std::string> own_;
    std::string own_repository_;  // "" when several could be
    std::map<std::string, std::vector<Value>> config_maps_;
    std::map<std::string, std::optional<BuildUnit>> units_;
};

}  // namespace

Appliers::Appliers(const SourceTree& tree, const DirList& dirs, const std::string& root,
                   SourceMap& sources, unsigned threads)
    : units_(Collector(tree, dirs, root, sources, threads).run()) {
    for (const WalkedDir* dir : dirs) {
        dirs_[dir->path] = dir;
    }
}

const BuildUnit* Appliers::of(const WalkedDir& dir) const {
    const auto own = units_.find(dir.path);
    if (own != units_.end()) {
        return own->second ? &*own->second : nullptr;
    }
    // Flux and Argo CD take what lies below, as far as no kustomization above has a say.
    std::string path = dir.path;
    while (path != "." && path != parent_path(path)) {
        path = parent_path(path);
        const auto above = dirs_.find(path);
        if (above == dirs_.end() || !above->second->kustomizations.empty()) {
            return nullptr;
        }
        if (const auto unit = units_.find(path); unit != units_.end()) {
            return unit->second && unit->second->recurses ? &*unit->second : nullptr;
        }
    }
    return nullptr;
}

bool Appliers::is_loose(const std::string& file) const {
    std::string dir = parent_path(file);
    for (auto known = dirs_.find(dir); known != dirs_.end(); known = dirs_.find(dir)) {
        if (!known->second->kustomizations.empty()) {
            return false;
        }
        if (dir == parent_path(dir)) {
            break;
        }
        dir = parent_path(dir);
    }
    return true;
}

}  // namespace renderer
