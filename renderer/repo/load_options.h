// What a run is asked to read, and how. Nothing here is looked at before load.h does.
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
    std::shared_ptr<const SourceTree> tree;  // where files are read; none: the disk
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
    std::vector<std::string> includes;  // --include: folders to render that no one applies
    std::vector<std::string> ignores;   // --ignore: folders that may hold such
    std::vector<std::string>
        substitutes;  // --substitute NAME=VALUE: of Flux, where the tree has none
    std::map<std::string, std::string> configured_substitutes = {};  // below, of .tailrender.yaml
    std::vector<std::string> argo_clusters;  // --argo-cluster: all that Argo CD knows
    std::vector<std::string> sources;        // --source KEY=DIR, the last wins
    std::shared_ptr<const LocalSources> local_sources = {};  // made of them; none: not yet
    bool skip_suspended = false;     // --skip-suspended: not what engines leave as it is
    bool fixes_sources = false;      // with only_generated: the edits that sources need are made
    bool lints = false;              // what only matters once it is applied is an error, too
    bool one_stream = false;         // what is left out of the output is lost
    std::string kustomize = "none";  // --kustomize: where kustomize or kubectl is
    std::string helm = "none";       // --helm: where helm is
    std::vector<std::string> chart_dirs;    // --charts: directories of the disk that hold charts
    std::shared_ptr<ChartFetcher> fetcher;  // --allow-network; none: nothing is fetched
    bool install = false;                   // no input but values: a bundle of the operator's chart
    std::string kubernetes_version;         // --kubernetes-version
    bool validate = false;                  // --validate: foreign documents and outputs too
    unsigned threads = 0;                   // 0 = one per core
};

}  // namespace renderer
