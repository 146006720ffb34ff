#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/access/policy_tests.h"
#include "renderer/access/read_policy.h"
#include "renderer/access/report.h"
#include "renderer/access/selectors.h"
#include "renderer/cli/access_devices.h"
#include "renderer/cli/cluster_tree.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/policy_file.h"
#include "renderer/emit/emit.h"
#include "renderer/repo/disk_tree.h"

namespace renderer::cli {
namespace {

using access::Match;

Diagnostic unknown_selector(std::string_view flag, const std::string& text,
                            std::string_view expected) {
    return {.rule = "usage",
            .where = std::string(flag),
            .message = "the policy knows no such name",
            .found = fmt::format("\"{}\"", text),
            .expected = std::string(expected)};
}

// Parses "shop:443" or "shop".
Result<Unit> read_destination(const std::string& text, access::Question& question) {
    question.device = text;
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || text.substr(0, colon) == "svc") {
        return Unit{};
    }
    question.device = text.substr(0, colon);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, question.port);
    if (error != std::errc() || stop != end || question.port < 0 ||
        question.port > access::kMaxPort) {
        return Error{{.rule = "usage",
                      .where = "--to",
                      .message = "invalid port",
                      .found = fmt::format("\"{}\"", text),
                      .expected = "DEVICE or DEVICE:PORT, such as \"shop:443\""}};
    }
    return Unit{};
}

Result<access::Question> question_of(const AccessOptions& options, const policy::Node& root) {
    access::Question question{.why = options.why};
    const access::SelectorReader selectors(root);
    for (const std::string& from : options.from) {
        auto parsed = selectors.parse(from);
        if (!parsed.selector) {
            return Error{unknown_selector("--from", from, parsed.expected)};
        }
        question.from.push_back(std::move(*parsed.selector));
    }
    if (!options.to.empty()) {
        TRY(read_destination(options.to, question));
    }
    return question;
}

// Warns of egress that no rule allows.
void check_egress(const access::Cluster& cluster, const access::Evaluator& evaluator,
                  Diagnostics& diagnostics) {
    for (const access::Egress& egress : cluster.egress) {
        if (evaluator.may_leave(egress) == Match::No) {
            diagnostics
                .warning("access-egress", egress.pos,
                         "the policy does not let the proxy reach its target")
                .object(egress.parent)
                .found(fmt::format("no rule from {} to {}", fmt::join(egress.tags, ", "),
                                   egress.target))
                .expected("a grant from one of its tags to the target");
        }
    }
}

Diagnostic no_policy() {
    return {.rule = "usage",
            .where = "--policy",
            .message = "no policy file is named",
            .expected = "--policy FILE, or \"policy: FILE\" in .tailrender.yaml"};
}

// Reads the file of the flag, else the one that the tree names.
std::optional<PolicyFile> read_chosen_file(const Options& options, const std::string& named,
                                           Run& run) {
    if (!options.access.policy.empty()) {
        return read_policy_file(options.access.policy, run);
    }
    return options.load.tree == nullptr
               ? read_policy_file(repo::DiskTree({}, {options.load.path}), named, run)
               : read_policy_file(*options.load.tree, named, run);
}

bool is_offered(const access::Question& question, const std::vector<access::Cluster>& clusters) {
    for (const access::Cluster& cluster : clusters) {
        for (const access::Device& device : cluster.devices) {
            if (question.asks(device) &&
                std::ranges::any_of(device.endpoints, [&](const access::Endpoint& one) {
                    return question.asks(one);
                })) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

Result<int> run_access(const Options& options, ClusterRuns& runs, Console& console) {
    if (!runs.render_each(options.load)) {
        return runs.fail(console, "nothing printed");
    }
    TRY(check_tailnet(options.policy.tailnet, {&runs}));
    const std::string named = runs.all().front().loaded.policy_file.path;
    if (options.access.policy.empty() && named.empty()) {
        return Error{no_policy()};
    }
    Run& run = runs.all().emplace_back();
    std::optional<PolicyFile> file = read_chosen_file(options, named, run);
    const auto policy =
        file ? access::read_policy(*file->root, run.loaded.sources, file->source, run.diagnostics)
             : std::nullopt;
    if (!policy) {
        return runs.fail(console, "nothing printed");
    }
    const access::Question question = TRY(question_of(options.access, *file->root));
    access::Evaluator evaluator(*policy);
    std::vector<access::Cluster> clusters;
    for (Run& one : runs.all()) {
        if (&one != &run) {
            clusters.push_back(read_cluster(
                one, cluster_tree(one, TRY(emit::emit_tree({one.loaded, one.plan, one.objects}))),
                file->sections, options.policy.tailnet));
            check_egress(clusters.back(), evaluator, one.diagnostics);
        }
    }
    if (!question.device.empty() && !is_offered(question, clusters)) {
        return Error{{.rule = "usage",
                      .where = "--to",
                      .message = "no device of the tree offers this",
                      .found = fmt::format("\"{}\"", options.access.to),
                      .expected = "a device of \"tailrender devices\", and one of its ports"}};
    }
    access::run_tests(*policy, evaluator, run.diagnostics);
    runs.print_diagnostics(console);
    const SourceMap& sources = run.loaded.sources;
    const std::string text =
        options.format == ReportFormat::Json
            ? access::json_report(clusters, question, *policy, evaluator, sources)
            : access::text_report(clusters, question, evaluator, sources);
    if (!console.show(text)) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(),
                            run.diagnostics.has_errors() ? kErrors : 0, console);
}

}  // namespace renderer::cli
