// Runs the user's own `kustomize` for kustomizations that tailrender cannot build itself. The
// program gets a private copy of the files that the build names. It has no network, cannot start
// programs, and its time is limited. Source: kustomize api/krusty/options.go (what `kustomize
// build` does without flags: no plug-ins, no exec functions, no helm).
#pragma once

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/steps.h"
#include "renderer/core/result.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/kustomize/left_out.h"
#include "renderer/engines/kustomize/origins.h"
#include "renderer/repo/private_copy.h"
#include "renderer/repo/user_program.h"

namespace renderer::engines {

struct KustomizeProgram {
    std::string path;                         // absolute
    std::vector<std::string> verb;            // {"build"}, or {"kustomize"} of kubectl
    std::shared_future<std::string> version;  // "v5.8.1"; "" if unknown
    std::shared_ptr<const repo::PrivateFolder> copies = std::make_shared<repo::PrivateFolder>();
};

// Finds kustomize or kubectl as find_program does (user_program.h).
Result<std::string> find_kustomize(const std::string& choice, std::string_view search_path);

// Runs the program in another thread to get its version.
KustomizeProgram kustomize_at(const std::string& path);

struct KustomizeBuild {
    std::string stream;                        // what the program printed
    std::vector<DocumentOrigin> origins = {};  // their files are paths of the tree; empty: unknown
    std::vector<LeftOut> left_out;
};

// One build. The objects that it refers to must outlive it.
struct KustomizeJob {
    const repo::SourceTree& tree;
    KustomizationReader& reader;
    BuildFiles files;  // of the build, all in `root`
    std::string root;
    std::string dir;
    // True if kustomizations may name files that are not in or below their directories. That needs
    // a kernel that can block all other files of the machine; without it, kustomize refuses them.
    bool loads_any = false;
};

// Runs the job, or takes its result if that was kept. The error has the program's message, unless
// the message may contain values of a Secret.
Result<KustomizeBuild> run_kustomize(const KustomizeProgram& program, const KustomizeJob& job);

// Runs the jobs in parallel, and keeps the results for run_kustomize.
void run_kustomize_ahead(const KustomizeProgram& program, const std::vector<KustomizeJob>& jobs,
                         unsigned threads, Steps& steps);

// Keeps the result of a job that will be run again. The files that it reads must not change.
void keep_kustomize_build(const KustomizeJob& job, const KustomizeBuild& build);

}  // namespace renderer::engines
