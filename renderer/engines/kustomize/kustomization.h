// Executes kustomizations: which files a build applies, in which namespace, and what its generators
// make. Owns resources, namespace, generators and their options; every other field that would
// change the result is an error that names the field and the way around. Never fetches anything.
// Source: kustomize api/types/kustomization.go, api/internal/target/kusttarget.go.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/engines/selection.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer {

// Whose entries are paths, or what kustomize fetches.
constexpr std::array<std::string_view, 6> kListFields = {
    "resources", "bases", "components", "generators", "transformers", "validators"};

// A kustomization file that was read and whose fields were checked.
struct Kustomization {
    std::string dir, path;
    Value root;
    Diagnostics faults;       // reported by a build that it takes part in
    bool is_changed = false;  // what was remote is at hand: `root` is not what the file says
    [[nodiscard]] bool usable() const { return !faults.has_errors(); }
};

struct BuildFiles;
struct KustomizeBuild;
class LocalSources;

// Reads each kustomization file once, whoever asks.
class KustomizationReader {
public:
    // `output_dir` is going to be written, and may be empty.
    // `local`: in whose place remote entries are read; none: those stay what they are.
    KustomizationReader(const SourceTree& tree, SourceMap& sources,
                        const std::string& output_dir = {},
                        std::shared_ptr<const LocalSources> local = {})
        : tree_(tree),
          sources_(sources),
          local_(std::move(local)),
          real_output_(output_dir.empty() ? "" : tree.real_path(output_dir)) {}

    // nullptr: the directory has none. Two of them are a fault of the first.
    const Kustomization* find(const std::string& dir);
    // The one of that file; nullptr: another file is read in its directory, or it holds no map.
    const Kustomization* find_file(const std::string& path);

    // Output of ours, of an earlier run or of this one, which may list it before it is there.
    [[nodiscard]] bool is_rendered(const std::string& path) const;

    // Whether a file does, each of which is read once.
    bool mentions_tailscale(const std::string& path);
    // What someone else has found out.
    void know_mention(const std::string& path, bool mentions) { mentions_[path] = mentions; }

    // Of find_build_files, by directory.
    std::map<std::string, std::shared_ptr<const BuildFiles>> build_files;
    // Of kustomize_program.h, by job, and how often each will be asked for.
    struct KeptBuild {
        std::shared_ptr<Result<KustomizeBuild>> build;
        std::size_t takers = 1;
    };
    std::map<std::string, KeptBuild> kept_builds;

    // Files that kustomize takes for what its helm made: it gives their objects no namespace.
    std::set<std::string> made_by_helm;

    [[nodiscard]] const std::shared_ptr<const LocalSources>& local() const { return local_; }
    // A file at hand in place of a remote one, which kustomize takes wherever it is.
    [[nodiscard]] bool is_local_copy(const std::string& path) const;

    // Directories that its fields for resources, components and plug-ins name, normal paths.
    std::vector<std::string> directories(const Kustomization& kustomization) const;

private:
    std::unique_ptr<Kustomization> read(const std::string& dir, const std::string& path);

    const SourceTree& tree_;
    SourceMap& sources_;
    std::shared_ptr<const LocalSources> local_;
    std::string real_output_;
    std::map<std::string, std::unique_ptr<Kustomization>> known_;
    std::map<std::string, bool> mentions_;
};

// A component, which is nothing by itself.
bool is_component(const Kustomization& kustomization);

// An entry of `resources` that kustomize fetches.
bool is_remote_resource(std::string_view entry);

struct BuildRequest {
    std::string dir;
    std::string boundary;  // nothing outside of this directory exists; "" = no such limit
    std::string bundle_dir;
    std::uint32_t bundle = 0;
    NamespaceRule rule;  // what the bundle says
};

struct BuildContext {
    const SourceTree& tree;
    SourceMap& sources;
    KustomizationReader& reader;
    Selection& selection;
    Diagnostics& diagnostics;
    // Below it files may be named from anywhere, as with LoadRestrictionsNone; "" = only those in
    // or below the kustomization's own directory.
    std::string files_root = {};

    [[nodiscard]] bool may_load(const std::string& path, const std::string& dir) const;
};

// Adds the files and generated objects of one build to the selection. Returns the directories whose
// kustomizations took part.
std::vector<std::string> run_build(const BuildContext& context, const BuildRequest& request);

// Looks only for a secretGenerator named `operator-oauth`.
void find_oauth(const BuildContext& context, const Kustomization& kustomization);

}  // namespace renderer
