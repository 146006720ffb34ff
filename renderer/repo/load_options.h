// The options of load.h: what a run reads, and how. The files that they name are not opened before
// load runs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace renderer {

class ChartFetcher;
class LocalSources;
class SourceTree;

struct LoadOptions {
    std::shared_ptr<const SourceTree> tree;  // files are read from it; null: from the disk
    std::string path;                        // directory or file; unused for a stream
    std::optional<std::string> stream;       // stdin, already read to its end: post-render, krm
    bool resource_list = false;              // `stream` is a ResourceList: krm
    std::vector<std::string> values_files;   // --values, in order
    std::vector<std::string> sets;           // --set key.path=value, in order
    std::vector<std::string> context_dirs;   // --context: documents there are facts, never output
    std::string cluster;                     // --cluster; empty = the only one
    std::string default_namespace;           // --namespace
    std::string output_dir;                  // -o: skipped while reading
    bool only_generated = false;        // --only generated: the sources are applied as they are
    std::vector<std::string> includes;  // --include: folders to render that nothing applies
    std::vector<std::string> ignores;   // --ignore: folders that nothing has to apply
    std::vector<std::string>
        substitutes;  // --substitute NAME=VALUE: variables of Flux not in the tree
    std::map<std::string, std::string> configured_substitutes = {};  // of .tailrender.yaml; weaker
    std::vector<std::string> argo_clusters;  // --argo-cluster: all clusters of Argo CD
    std::vector<std::string> sources;        // --source KEY=DIR; the last one wins
    std::shared_ptr<const LocalSources> local_sources = {};  // made of `sources`; null: not yet
    bool skip_suspended = false;            // --skip-suspended: leave out what is not reconciled
    bool fixes_sources = false;             // with only_generated: plan edits of the sources
    bool lints = false;                     // report as errors what only matters once applied
    bool one_stream = false;                // no tree is written, so no build can be copied
    std::string kustomize = "none";         // --kustomize: path of kustomize or kubectl
    std::string helm = "none";              // --helm: path of helm
    std::vector<std::string> chart_dirs;    // --charts: directories on disk that hold charts
    std::shared_ptr<ChartFetcher> fetcher;  // --allow-network; null: nothing is fetched
    bool install = false;                   // render only the operator's chart, from values
    std::string kubernetes_version;         // --kubernetes-version
    bool validate = false;                  // --validate: check all documents and outputs
    unsigned threads = 0;                   // 0 = one per core
};

}  // namespace renderer
