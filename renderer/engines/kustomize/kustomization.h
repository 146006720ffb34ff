// Executes kustomizations: finds the files that a build applies and their namespace, and runs its
// generators. It supports resources, namespace, generators and their options; every other field
// that would change the result is an error that names the field and a workaround. It fetches
// nothing.
// Source: kustomize api/types/kustomization.go, api/internal/target/kusttarget.go.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/engines/selection.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

inline constexpr std::string_view kKustomizationVersion = "kustomize.config.k8s.io/v1beta1";

// The fields whose entries are paths, or addresses that kustomize fetches.
constexpr std::array<std::string_view, 6> kListFields = {
    "resources", "bases", "components", "generators", "transformers", "validators"};

// A kustomization file that was read and whose fields were checked.
struct Kustomization {
    std::string dir, path;
    Value root;
    Diagnostics faults;       // a build that includes it reports them
    bool is_changed = false;  // `root` has local copies in place of remote entries
    [[nodiscard]] bool usable() const { return !faults.has_errors(); }
};

struct BuildFiles;
struct KustomizeBuild;
class LocalSources;

// Reads kustomization files, each of them once.
class KustomizationReader {
public:
    // `output_dir`: the directory that the run will write; may be empty.
    // `local`: local copies that are read in place of remote entries; null: no entry has one.
    KustomizationReader(const repo::SourceTree& tree, SourceMap& sources,
                        const std::string& output_dir = {},
                        std::shared_ptr<const LocalSources> local = {})
        : tree_(tree),
          sources_(sources),
          local_(std::move(local)),
          real_output_(output_dir.empty() ? "" : tree.real_path(output_dir)) {}

    // Returns nullptr if the directory has no kustomization. A second file is a fault of the first.
    const Kustomization* find(const std::string& dir);
    // Returns the kustomization in this file, nullptr if the directory's kustomization is another
    // file, or if the file is not a map.
    const Kustomization* find_file(const std::string& path);

    // True for output of tailrender, from an earlier run or this one. A kustomization may list the
    // output directory before it exists.
    [[nodiscard]] bool is_rendered(const std::string& path) const;

    // True if the file mentions Tailscale. Each file is read once.
    bool mentions_tailscale(const std::string& path);
    // Sets the answer of mentions_tailscale for a file that the caller has read already.
    void know_mention(const std::string& path, bool mentions) { mentions_[path] = mentions; }

    // Results of find_build_files, by directory.
    std::map<std::string, std::shared_ptr<const BuildFiles>> build_files;
    // Results of kustomize_program.h, by job, and how often each of them will be used.
    struct KeptBuild {
        std::shared_ptr<Result<KustomizeBuild>> build;
        std::size_t takers = 1;
    };
    std::map<std::string, KeptBuild> kept_builds;

    // Files with the output of charts, which kustomize must take for output of its helm: it sets no
    // namespace on objects from there.
    std::set<std::string> made_by_helm;

    [[nodiscard]] const std::shared_ptr<const LocalSources>& local() const { return local_; }
    // True for a local copy of a remote file. It may be outside of the kustomization's directory.
    [[nodiscard]] bool is_local_copy(const std::string& path) const;

    // Returns the existing directories that the fields of kListFields name, as normal paths.
    std::vector<std::string> directories(const Kustomization& kustomization) const;

private:
    std::unique_ptr<Kustomization> read(const std::string& dir, const std::string& path);

    const repo::SourceTree& tree_;
    SourceMap& sources_;
    std::shared_ptr<const LocalSources> local_;
    std::string real_output_;
    std::map<std::string, std::unique_ptr<Kustomization>> known_;
    std::map<std::string, bool> mentions_;
};

// True for a Component, which builds nothing by itself.
bool is_component(const Kustomization& kustomization);

// True for an entry of `resources` that kustomize fetches.
bool is_remote_resource(std::string_view entry);

// Returns the flag that names a local copy of a remote resource, for hints.
std::string source_flag(std::string_view entry);

struct BuildRequest {
    std::string dir;
    std::string boundary;  // directories outside of it are refused; "" = no limit
    std::string bundle_dir;
    std::uint32_t bundle = 0;
    NamespaceRule rule;  // the namespaces that the bundle sets
};

struct BuildContext {
    const repo::SourceTree& tree;
    SourceMap& sources;
    KustomizationReader& reader;
    Selection& selection;
    Diagnostics& diagnostics;
    // A kustomization may name any file in or below this directory, as with LoadRestrictionsNone;
    // "" = only files in or below its own directory.
    std::string files_root = {};

    [[nodiscard]] bool may_load(const std::string& path, const std::string& dir) const;
};

// Adds the files and generated objects of one build to the selection. Returns the directories whose
// kustomizations took part.
std::vector<std::string> run_build(const BuildContext& context, const BuildRequest& request);

// Records the env file of the secretGenerator `operator-oauth`, and ignores everything else.
void find_oauth(const BuildContext& context, const Kustomization& kustomization);

}  // namespace renderer::engines
