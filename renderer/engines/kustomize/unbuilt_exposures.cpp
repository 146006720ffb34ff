#include "renderer/engines/kustomize/unbuilt_exposures.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/engines/kustomize/exposing_patches.h"
#include "renderer/engines/kustomize/plug_ins.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

struct KnownObject {
    std::string kind, name;
};

class BuildPatches {
public:
    BuildPatches(const PatchedBuild& build, SourceMap& sources)
        : build_(build), sources_(sources) {}

    PatchesOfBuild run() {
        const std::set<std::string> all = below(build_.dir);
        for (const std::string& dir : all) {
            const Kustomization* file = build_.places.find(dir);
            if (file != nullptr && file->root.is_map()) {
                // A component changes the objects of the kustomizations that name it.
                judge(dir, file->root, is_component(*file) ? all : below(dir));
            }
        }
        if (build_.changes != nullptr) {
            judge(build_.dir, *build_.changes, all);
        }
        return std::move(found_);
    }

private:
    // Returns the directory and all directories that it names, directly or indirectly.
    std::set<std::string> below(const std::string& top) {
        std::set<std::string> dirs;
        std::vector<std::string> open = {top};
        while (!open.empty()) {
            const std::string dir = std::move(open.back());
            open.pop_back();
            const Kustomization* file = build_.reader.find(dir);
            if (file != nullptr && file->root.is_map() && dirs.insert(dir).second) {
                for (std::string& named : build_.reader.directories(*file)) {
                    open.push_back(std::move(named));
                }
            }
        }
        return dirs;
    }

    void judge(const std::string& dir, const Value& root, const std::set<std::string>& scope) {
        for (ExposingPatch& patch : exposing_patches(build_.tree, dir, root, sources_)) {
            const LeftOut* what = meant(patch, scope);
            if (what == nullptr) {
                found_.applied.push_back(std::move(patch));
            } else {
                found_.unbuilt.push_back({std::move(patch), *what});
            }
        }
    }

    // Returns what is left out and may have the patch's object, nullptr if the patch is only for
    // objects of the build.
    const LeftOut* meant(const ExposingPatch& patch, const std::set<std::string>& scope) {
        if (patch.is_for_one && has(patch, scope)) {
            return nullptr;
        }
        for (const std::string& dir : scope) {
            for (const LeftOut& what : left_out(dir)) {
                if (may_hold(what, build_.reader.find(dir)->root, patch)) {
                    return &what;
                }
            }
        }
        return nullptr;
    }

    // Most plug-ins make Secrets, which a patch for several objects is not meant for.
    static bool may_hold(const LeftOut& what, const Value& root, const ExposingPatch& patch) {
        constexpr std::string_view kChart = "chart ";
        const bool is_ours =
            what.is_chart && is_operator_chart(std::string_view(what.what).substr(kChart.size()));
        const bool makes_objects =
            what.is_chart || (what.is_plug_in ? patch.is_for_one : is_listed(what.what, root));
        return makes_objects && !what.is_secret && !is_ours;
    }

    static bool is_listed(std::string_view what, const Value& root) {
        return std::ranges::any_of(kListFields, [&](std::string_view field) {
            return std::ranges::any_of(items_of(root.find(field)),
                                       [&](const Value& entry) { return text_of(entry) == what; });
        });
    }

    const std::vector<LeftOut>& left_out(const std::string& dir) {
        const auto [known, is_new] = left_out_.try_emplace(dir);
        if (is_new) {
            known->second = left_out_of(build_.tree, build_.reader, *build_.reader.find(dir));
        }
        return known->second;
    }

    // True if the object of the patch is in the build. A kustomization may add a prefix or a suffix
    // to its name.
    bool has(const ExposingPatch& patch, const std::set<std::string>& scope) {
        const bool is_renamed = std::ranges::any_of(scope, [&](const std::string& dir) {
            const Value& root = build_.reader.find(dir)->root;
            return root.find("namePrefix") != nullptr || root.find("nameSuffix") != nullptr;
        });
        return std::ranges::any_of(scope, [&](const std::string& dir) {
            return std::ranges::any_of(objects(dir), [&](const KnownObject& one) {
                return one.kind == patch.kind &&
                       (one.name == patch.name || (is_renamed && !one.name.empty() &&
                                                   patch.name.find(one.name) != std::string::npos));
            });
        });
    }

    const std::vector<KnownObject>& objects(const std::string& dir) {
        const auto [known, is_new] = objects_.try_emplace(dir);
        if (is_new) {
            for (const Value& entry : items_of(build_.reader.find(dir)->root.find("resources"))) {
                const std::string path = repo::normal_path(repo::join_path(dir, text_of(entry)));
                const Result<std::string> text = build_.tree.kind(path) == repo::EntryKind::File
                                                     ? build_.tree.read(path)
                                                     : Result(std::string());
                for (const Value& document : text ? documents_of(*text) : std::vector<Value>()) {
                    add(document, known->second);
                }
            }
        }
        return known->second;
    }

    static void add(const Value& document, std::vector<KnownObject>& objects) {
        objects.push_back({std::string(text_of(document, {"kind"})),
                           std::string(text_of(document, {"metadata", "name"}))});
        for (const Value& item : items_of(document.is_map() ? document.find("items") : nullptr)) {
            add(item, objects);
        }
    }

    const PatchedBuild& build_;
    SourceMap& sources_;
    PatchesOfBuild found_;
    std::map<std::string, std::vector<LeftOut>> left_out_;
    std::map<std::string, std::vector<KnownObject>> objects_;
};

}  // namespace

PatchesOfBuild patches_of_build(const PatchedBuild& build, SourceMap& sources) {
    return BuildPatches(build, sources).run();
}

}  // namespace renderer::engines
