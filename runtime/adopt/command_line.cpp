#include "runtime/adopt/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <utility>

namespace runtime::adopt {

namespace {

constexpr int kLongestPatience = 24 * 60 * 60;

std::string check_patience(const std::string& text) {
    int seconds = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seconds);
    const bool is_good =
        error == std::errc() && stop == end && seconds >= 1 && seconds <= kLongestPatience;
    return is_good ? std::string()
                   : fmt::format("invalid timeout \"{}\": expected whole seconds from 1 to {}",
                                 text, kLongestPatience);
}

}  // namespace

AdoptLine parse_adopt_line(int argc, const char* const* argv) {
    AdoptCommand command;
    CLI::App app(
        "Moves the proxies of a running Tailscale operator to rendered ones, with their devices.",
        "tailrender-adopt");
    operate::add_cluster_flags(app, command.cluster);
    auto* dry_run = app.add_flag("--dry-run", command.options.dry_run, "show what would move");
    auto* partial = app.add_flag("--partial", command.options.partial,
                                 "skip what cannot be moved, and move the rest");
    auto* roll_back = app.add_flag("--rollback", command.roll_back,
                                   "give everything back to the operator, and start it");
    auto* finish = app.add_flag("--finish", command.finish,
                                "remove the records, after which rollback is no longer possible");
    roll_back->excludes(dry_run)->excludes(partial)->excludes(finish);
    finish->excludes(dry_run)->excludes(partial);
    app.add_option("--patience", command.patience,
                   "how long a pod may take to stop or to start (default 300)")
        ->type_name("SECONDS")
        ->check(check_patience);
    app.footer("Exit codes: 0 done; 1 not done, with the reason on stderr; 2 wrong usage.");
    if (auto answer = operate::parse_arguments(app, argc, argv)) {
        return {.answer = std::move(answer)};
    }
    return {.command = std::move(command)};
}

}  // namespace runtime::adopt
