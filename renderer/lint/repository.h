// Everything below a root, read for lint: all files with their documents as trees, and the
// directories that are Fleet bundles. Files that cannot be read or parsed are left out; the render
// has reported them.
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

namespace renderer::lint {

struct RepositoryFile {
    std::string path;      // as the user typed it
    std::string relative;  // relative to the root
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
    // True for the core group, in its only version.
    [[nodiscard]] bool is_core(std::string_view of_kind) const {
        return api_version() == "v1" && kind() == of_kind;
    }
    // True if it has a kind and a version, so that appliers treat it as an object.
    [[nodiscard]] bool is_object() const { return !kind().empty() && !api_version().empty(); }
    // Returns nullptr if it is missing.
    [[nodiscard]] const Value* annotation(std::string_view key) const {
        return root.at({"metadata", "annotations", key});
    }
};

struct RepositoryBundle {
    const repo::WalkedDir* root = nullptr;
    engines::FleetFile fleet = {};  // for the cluster that is linted
    std::vector<engines::BundleFile> files = {};
    std::string name = {};
    bool is_ours = false;  // a file of it mentions Tailscale

    [[nodiscard]] bool is_chart() const { return fleet.has_chart() || root->has_chart; }
};

// A kustomization file.
struct RepositoryBuild {
    const repo::WalkedDir* dir = nullptr;
    std::string path;
    Value root;  // a map
};

struct Repository {
    const repo::SourceTree& tree;
    std::string root;
    std::vector<repo::WalkedDir> dirs = {};
    std::vector<RepositoryFile> files =
        {};  // files with names of manifests, sorted; without charts and hidden names
    std::vector<RepositoryDocument> documents = {};
    std::vector<RepositoryBundle> bundles = {};  // those with a readable fleet.yaml
    std::vector<RepositoryBuild> builds = {};
    std::vector<std::string> rendered =
        {};  // directories that a render wrote, relative to the root

    // Returns the innermost bundle that contains a path, relative to the root; nullptr if none
    // does.
    [[nodiscard]] const RepositoryBundle* bundle_of(std::string_view relative) const;
};

// Returns a path, as appliers spell it from the top of the repository: "/apps", "./apps".
std::string path_in_repository(std::string_view text);

Repository read_repository(const repo::SourceTree& tree, const repo::LoadOptions& options,
                           SourceMap& sources);

}  // namespace renderer::lint
