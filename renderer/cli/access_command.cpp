#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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
#include "renderer/emit/tree/packed_text.h"
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

bool is_offered(const access::Question& question, const access::Cluster& cluster) {
    return std::ranges::any_of(cluster.devices, [&](const access::Device& device) {
        return question.asks(device) &&
               std::ranges::any_of(device.endpoints,
                                   [&](const access::Endpoint& one) { return question.asks(one); });
    });
}

// Reads the policy, and writes the report of one cluster after the other.
class AccessReader {
public:
    explicit AccessReader(const Options& options) : options_(options) {}

    // Is called for each run (ClusterRuns::Take). Nothing is added without a policy.
    void take(const Run& one, Diagnostics& later) {
        if (!is_asked_) {
            is_asked_ = true;
            read(one.loaded.policy_file.path);
        }
        if (!report_ || failure || one.diagnostics.has_errors()) {
            return;
        }
        Result<diff::ClusterTree> tree = cluster_tree(one, options_.load.threads);
        if (!tree) {
            failure = std::move(tree.error());
            return;
        }
        const access::Cluster cluster =
            read_cluster(one, *tree, file_->sections, options_.policy.tailnet);
        check_egress(cluster, *evaluator, later);
        is_offered_ = is_offered_ || is_offered(question_, cluster);
        add([&](auto& report) { return report.add(cluster); });
    }

    [[nodiscard]] bool offers_what_is_asked() const {
        return question_.device.empty() || is_offered_;
    }

    // Returns the report in pieces. Must be called before `run` is moved.
    std::vector<emit::PackedText> finish() {
        if (report_) {
            add([](auto& report) { return report.end(); });
        }
        return std::move(pieces_);
    }

    bool is_named = false;
    Run run;  // holds the file, and what is wrong with it
    std::optional<access::Policy> policy;
    std::optional<access::Evaluator> evaluator;
    std::optional<Error> failure;

private:
    // Reads the file of the flag, else the one that the tree names.
    void read(const std::string& named) {
        const std::string& chosen = options_.access.policy;
        is_named = !chosen.empty() || !named.empty();
        if (!is_named) {
            return;
        }
        if (!chosen.empty()) {
            file_ = read_policy_file(chosen, run);
        } else if (options_.load.tree == nullptr) {
            file_ = read_policy_file(repo::DiskTree({}, {options_.load.path}), named, run);
        } else {
            file_ = read_policy_file(*options_.load.tree, named, run);
        }
        policy = file_ ? access::read_policy(*file_->root, run.loaded.sources, file_->source,
                                             run.diagnostics)
                       : std::nullopt;
        if (policy) {
            begin_report();
        }
    }

    void begin_report() {
        Result<access::Question> question = question_of(options_.access, *file_->root);
        if (!question) {
            failure = std::move(question.error());
            return;
        }
        question_ = std::move(*question);
        evaluator.emplace(*policy);
        const SourceMap& sources = run.loaded.sources;
        if (options_.format == ReportFormat::Json) {
            auto& report = report_.emplace(std::in_place_type<access::JsonReport>, question_,
                                           *policy, *evaluator, sources);
            pieces_.emplace_back(std::get<access::JsonReport>(report).begin());
        } else {
            report_.emplace(std::in_place_type<access::TextReport>, question_, *evaluator, sources);
        }
    }

    void add(const auto& piece_of) { pieces_.emplace_back(std::visit(piece_of, *report_)); }

    const Options& options_;
    bool is_asked_ = false;
    bool is_offered_ = false;
    std::optional<PolicyFile> file_;
    access::Question question_;
    std::optional<std::variant<access::TextReport, access::JsonReport>> report_;
    std::vector<emit::PackedText> pieces_;
};

}  // namespace

Result<int> run_access(const Options& options, ClusterRuns& runs, Console& console) {
    AccessReader read(options);
    if (!runs.render_each(options.load,
                          [&](const Run& run, Diagnostics& later) { read.take(run, later); })) {
        return runs.fail(console, "nothing printed");
    }
    TRY(check_tailnet(options.policy.tailnet, {&runs}));
    if (!read.is_named) {
        return Error{no_policy()};
    }
    const std::vector<emit::PackedText> pieces = read.finish();
    Run& run = runs.all().emplace_back(std::move(read.run));
    if (!read.policy) {
        return runs.fail(console, "nothing printed");
    }
    if (read.failure) {
        return std::move(*read.failure);
    }
    if (!read.offers_what_is_asked()) {
        return Error{{.rule = "usage",
                      .where = "--to",
                      .message = "no device of the tree offers this",
                      .found = fmt::format("\"{}\"", options.access.to),
                      .expected = "a device of \"tailrender devices\", and one of its ports"}};
    }
    access::run_tests(*read.policy, *read.evaluator, run.diagnostics);
    runs.print_diagnostics(console);
    for (const emit::PackedText& piece : pieces) {
        if (!console.show(piece.unpack())) {
            return kErrors;
        }
    }
    return code_after_gates(options, runs.warnings().size(),
                            run.diagnostics.has_errors() ? kErrors : 0, console);
}

}  // namespace renderer::cli
