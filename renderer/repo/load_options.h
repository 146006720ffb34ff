// The options of load.h: what a run reads, and how. Only engines and load open the named files.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/base/steps.h"

namespace renderer::repo {

class ChartFetcher;
class SourceTree;

struct LoadOptions {
    std::shared_ptr<const SourceTree> tree;  // where files are read; null: the disk
    std::string path;                        // directory or file; unused for a stream
    std::optional<std::string> stream;       // stdin, already read to its end: post-render, krm
    bool resource_list = false;              // `stream` is a ResourceList: krm
    std::vector<std::string> values_files;   // --values, in order
    std::vector<std::string> sets;           // --set key.path=value, in order
    std::vector<std::string> context_dirs;   // --context: read as facts, never written
    std::string cluster;                     // --cluster; "" = the only one
    std::string default_namespace;           // --namespace
    std::string output_dir;                  // -o: skipped while reading
    bool only_generated = false;             // --only generated: sources are applied unchanged
    std::vector<std::string> includes;       // --include: folders to render although not applied
    std::vector<std::string> ignores;        // --ignore: folders that need not be applied
    std::vector<std::string> substitutes;    // --substitute NAME=VALUE: variables of Flux
    std::map<std::string, std::string> configured_substitutes = {};  // in .tailrender.yaml; weaker
    std::vector<std::string> argo_clusters;  // --argo-cluster: all clusters of Argo CD
    std::vector<std::string> sources;        // --source KEY=DIR; the last one wins
    std::vector<std::string> input_words;    // what makes an input with the operator's settings
    bool skip_suspended = false;             // --skip-suspended: skip what is not reconciled
    bool fixes_sources = false;              // with only_generated: plan edits of the sources
    bool lints = false;                      // what only fails once applied is an error
    bool one_stream = false;                 // no tree is written, so builds cannot be copied
    std::string kustomize = "none";          // --kustomize: path of kustomize or kubectl
    std::string helm = "none";               // --helm: path of helm
    std::vector<std::string> chart_dirs;     // --charts: directories on disk that hold charts
    std::vector<std::string> configured_chart_dirs = {};  // in .tailrender.yaml; in `tree`; weaker
    std::shared_ptr<ChartFetcher> fetcher;  // --allow-network; null: nothing is fetched
    // Paths of units (engines::AppliedUnit) that gave devices to the output of an earlier run: they
    // are checked although nothing of them mentions Tailscale any more.
    std::set<std::string, std::less<>> earlier_units = {};
    bool install = false;            // render only the operator's chart, from values
    std::string kubernetes_version;  // --kubernetes-version
    bool validate = false;           // --validate: check all documents and outputs
    unsigned threads = 0;            // 0 = one per core
    std::shared_ptr<Steps> steps = std::make_shared<Steps>();  // for the line of progress
};

// Returns the tree of the options, or the disk if they have none.
std::shared_ptr<const SourceTree> source_tree(const LoadOptions& options);

}  // namespace renderer::repo
