// Runs the user's own `kustomize` for a kustomization that says more than kustomization.h executes.
// It gets a private copy of the files that the build names, no network, no programs and little
// time. Source: kustomize api/krusty/options.go (what `kustomize build` does without flags: no
// plug-ins, no exec functions, no helm).
#pragma once

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/kustomize/left_out.h"
#include "renderer/engines/kustomize/origins.h"
#include "renderer/repo/private_copy.h"
#include "renderer/repo/user_program.h"

namespace renderer {

struct KustomizeProgram {
    std::string path;                         // absolute
    std::vector<std::string> verb;            // {"build"}, or {"kustomize"} of kubectl
    std::shared_future<std::string> version;  // "v5.8.1"; "" when it does not say
    std::shared_ptr<const PrivateFolder> copies = std::make_shared<PrivateFolder>();
};

// As user_program.h finds it.
Result<std::string> find_kustomize(const std::string& choice, std::string_view search_path);

// Runs the program in another thread to get its version.
KustomizeProgram kustomize_at(const std::string& path);

struct KustomizeBuild {
    std::string stream;  // what the program printed
    std::vector<DocumentOrigin> origins =
        {};  // files as `root` names them; none when it does not know
    std::vector<LeftOut> left_out;
};

// One build. All that it refers to outlives it.
struct KustomizeJob {
    const SourceTree& tree;
    KustomizationReader& reader;
    BuildFiles files;  // of the build, all in `root`
    std::string root;
    std::string dir;
    // A kustomization may name files that are not in or below its directory, for which the kernel
    // must keep the rest of the machine from being read; else kustomize refuses them.
    bool loads_any = false;
};

// Fails with what the program printed to standard error, which is not told where it may show values
// of a Secret. A result that is kept is taken.
Result<KustomizeBuild> run_kustomize(const KustomizeProgram& program, const KustomizeJob& job);

// Runs the jobs in parallel, and keeps the results for run_kustomize.
void run_kustomize_ahead(const KustomizeProgram& program, const std::vector<KustomizeJob>& jobs,
                         unsigned threads);

// For a job that will be run again. Nothing that it reads may change meanwhile.
void keep_kustomize_build(const KustomizeJob& job, const KustomizeBuild& build);

}  // namespace renderer
