#include "renderer/cli/policy_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/repo/disk_tree.h"

namespace renderer::cli {

std::optional<PolicyFile> read_policy_file(const repo::SourceTree& tree, const std::string& path,
                                           Run& run) {
    Result<std::string> text = tree.read(path);
    if (!text) {
        Diagnostic& error = text.error().diagnostic;
        error.expected = "the policy file of the tailnet";
        error.hint =
            "correct the path; it is relative to the current directory, in .tailrender.yaml to the "
            "directory of that file";
        run.diagnostics.add(std::move(error));
        return std::nullopt;
    }
    SourceMap& sources = run.loaded.sources;
    const SourceId source = sources.add(path, std::move(*text));
    std::optional<policy::Node> read = policy::read_hujson(sources, source, run.diagnostics);
    if (!read) {
        return std::nullopt;
    }
    auto root = std::make_unique<policy::Node>(std::move(*read));
    const auto sections = policy::find_sections(*root, sources, source, run.diagnostics);
    return sections ? std::optional(PolicyFile{source, std::move(root), *sections}) : std::nullopt;
}

std::optional<PolicyFile> read_policy_file(const std::string& path, Run& run) {
    return read_policy_file(repo::DiskTree({path}), path, run);
}

Result<Unit> check_tailnet(const std::string& tailnet, const std::vector<ClusterRuns*>& runs) {
    const bool is_known =
        tailnet.empty() || std::ranges::any_of(runs, [&](const ClusterRuns* side) {
            return side->tailnets().contains(tailnet);
        });
    if (!is_known) {
        return Error{{.rule = "unknown-tailnet",
                      .where = "--tailnet",
                      .message = fmt::format("Tailnet \"{}\" not found", tailnet),
                      .expected = "the name of a Tailnet of the tree"}};
    }
    return Unit{};
}

}  // namespace renderer::cli
