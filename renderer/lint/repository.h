// Everything below a root, read for lint: files whatever their role, their documents as trees, the
// directories that Fleet takes as bundles. What cannot be read or parsed is left out: the render
// has said so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/value.h"
#include "renderer/load/fleet/fleet_bundle.h"
#include "renderer/load/fleet/fleet_files.h"
#include "renderer/load/kustomize/kustomization.h"
#include "renderer/load/tree/source_tree.h"
#include "renderer/load/walk.h"

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

    [[nodiscard]] std::string_view api_version() const;
    [[nodiscard]] std::string_view group() const;  // "" = core
    [[nodiscard]] std::string_view kind() const;
    [[nodiscard]] std::string_view name() const;
    [[nodiscard]] std::string_view ns() const;
    [[nodiscard]] std::string object_name() const;
    // Of metadata.annotations; "" without it.
    [[nodiscard]] const Value* annotation(std::string_view key) const;
};

struct RepositoryBundle {
    const WalkedDir* root = nullptr;
    FleetFile fleet = {};  // for the cluster that is linted
    std::vector<BundleFile> files = {};
    std::string name = {};

    [[nodiscard]] bool is_chart() const;
    [[nodiscard]] std::string path_of(const BundleFile& file) const;
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

Repository read_repository(const SourceTree& tree, const LoadOptions& options, SourceMap& sources);

}  // namespace renderer
