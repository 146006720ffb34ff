// Everything below a root, read for lint: files whatever their role, their documents as trees, the
// directories that Fleet takes as bundles. What cannot be read or parsed is left out: the render
// has said so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/value.h"
#include "renderer/engines/fleet/fleet_bundle.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/kube/group_of.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer {

struct RepositoryFile {
    std::string path;      // as typed
    std::string relative;  // to the root
    SourceId source = 0;
};

struct RepositoryDocument {
    const RepositoryFile* file = nullptr;
    Value root;  // a map
    Pos pos;     // of `kind`, else of the document

    [[nodiscard]] std::string_view api_version() const { return text_of(root.find("apiVersion")); }
    [[nodiscard]] std::string_view group() const { return group_of(api_version()); }
    [[nodiscard]] std::string_view kind() const { return text_of(root.find("kind")); }
    [[nodiscard]] std::string_view name() const { return text_of(root.at({"metadata", "name"})); }
    [[nodiscard]] std::string_view ns() const {
        return text_of(root.at({"metadata", "namespace"}));
    }
    [[nodiscard]] std::string object_name() const;
    [[nodiscard]] bool is(std::string_view of_group, std::string_view of_kind) const {
        return group() == of_group && kind() == of_kind;
    }
    // Of the core group, in its only version.
    [[nodiscard]] bool is_core(std::string_view of_kind) const {
        return api_version() == "v1" && kind() == of_kind;
    }
    // With a kind and a version, so that appliers take it for an object.
    [[nodiscard]] bool is_object() const { return !kind().empty() && !api_version().empty(); }
    // nullptr without it.
    [[nodiscard]] const Value* annotation(std::string_view key) const {
        return root.at({"metadata", "annotations", key});
    }
};

struct RepositoryBundle {
    const WalkedDir* root = nullptr;
    FleetFile fleet = {};  // for the cluster that is linted
    std::vector<BundleFile> files = {};
    std::string name = {};

    [[nodiscard]] bool is_chart() const { return fleet.has_chart() || root->has_chart; }
};

// A kustomization file.
struct RepositoryBuild {
    const WalkedDir* dir = nullptr;
    std::string path;
    Value root;  // a map
};

struct Repository {
    const SourceTree& tree;
    std::string root;
    std::vector<WalkedDir> dirs = {};
    std::vector<RepositoryFile> files =
        {};  // manifests by name, sorted; charts and hidden names left out
    std::vector<RepositoryDocument> documents = {};
    std::vector<RepositoryBundle> bundles = {};  // those whose fleet.yaml can be read
    std::vector<RepositoryBuild> builds = {};
    std::vector<std::string> rendered =
        {};  // directories that a render wrote, relative to the root

    // The innermost bundle that a path, relative to the root, is in; nullptr: none.
    [[nodiscard]] const RepositoryBundle* bundle_of(std::string_view relative) const;
};

// A path as appliers spell it, from the top of the repository: "/apps", "./apps".
std::string path_in_repository(std::string_view text);

Repository read_repository(const SourceTree& tree, const LoadOptions& options, SourceMap& sources);

}  // namespace renderer
