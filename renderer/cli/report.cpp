#include "renderer/cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/base/utf8.h"
#include "renderer/core/text_of.h"

namespace renderer::cli {
namespace {

constexpr std::size_t kShown = 40;
constexpr std::size_t kEqualShown = 3;
constexpr std::size_t kColumns = 9;
constexpr std::size_t kClusterColumn = 0;
constexpr std::size_t kHostnameColumn = 1;
constexpr std::size_t kTagsColumn = 3;
constexpr std::size_t kTailnetColumn = 4;
constexpr std::size_t kTargetColumn = 5;
constexpr std::size_t kPublicColumn = 6;
constexpr std::size_t kStateColumn = 7;
constexpr std::size_t kSourceColumn = 8;
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kAlarm = "\033[1;37;41m";
constexpr std::string_view kReset = "\033[0m";

using Cells = std::array<std::string, kColumns>;

std::string paint(std::string_view text, std::string_view style, bool color) {
    return color && !text.empty() ? fmt::format("{}{}{}", style, text, kReset) : std::string(text);
}

std::array<std::size_t, kColumns> widths_of(const std::vector<Cells>& rows) {
    std::array<std::size_t, kColumns> widths{};
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i < kColumns; ++i) {
            widths[i] = std::max(widths[i], count_characters(row[i]));
        }
    }
    return widths;
}

void append_row(const Cells& row, const std::array<std::size_t, kColumns>& widths, bool header,
                bool color, std::string& out) {
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
        if (widths[i] == 0) {
            continue;  // the column is empty, for example if no device is public
        }
        line.append(line.empty() ? 0 : 2, ' ');
        const std::string_view style = header ? kBold : i == kPublicColumn ? kAlarm : "";
        line += paint(row[i], style, color && !style.empty());
        line.append(widths[i] - count_characters(row[i]), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    out += '\n';
}

void add_device(const plan::DeviceRow& device, const std::string& cluster, const SourceMap& sources,
                std::vector<Cells>& rows) {
    rows.push_back({cluster, device.hostname, device.kind, device.tags, device.tailnet,
                    device.target, device.is_public ? "PUBLIC" : "",
                    device.kept.empty() ? "" : "kept", place_of(device.pos, sources)});
    std::ranges::transform(rows.back(), rows.back().begin(), on_one_line);
}

// Cuts the text to so many characters at its front or at its end.
void shorten(std::string& text, std::size_t most, bool at_front) {
    const std::size_t count = count_characters(text);
    if (count <= most) {
        return;
    }
    const auto skip = [&](std::size_t characters) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < characters; ++i) {
            do {
                ++at;
            } while (at < text.size() && is_continuation(text[at]));
        }
        return at;
    };
    text =
        at_front ? "…" + text.substr(skip(count - most + 1)) : text.substr(0, skip(most - 1)) + "…";
}

// Shortens cells until the table fits: sources at their front, where the paths of a tree are alike,
// then what identifies a device least.
void fit(std::vector<Cells>& rows, std::size_t width) {
    constexpr std::size_t kLeast = 12;
    constexpr std::array kColumnsToCut = {kSourceColumn, kTargetColumn, kTagsColumn,
                                          kHostnameColumn};
    for (const std::size_t column : kColumnsToCut) {
        const auto widths = widths_of(rows);
        std::size_t total = 0;
        for (const std::size_t one : widths) {
            total += one == 0 ? 0 : one + (total == 0 ? 0 : 2);
        }
        if (width == 0 || total <= width) {
            return;
        }
        const std::size_t over = std::min(total - width, widths[column]);
        for (Cells& row : rows) {
            shorten(row[column], std::max(kLeast, widths[column] - over), column == kSourceColumn);
        }
    }
}

std::string table_of(std::vector<Cells> rows, bool color, std::size_t width) {
    auto widths = widths_of(rows);
    const auto header_of = [&](std::size_t column, const char* name) {
        return std::string(widths[column] == 0 ? "" : name);
    };
    const Cells header = {header_of(kClusterColumn, "CLUSTER"),
                          "HOSTNAME",
                          "KIND",
                          "TAGS",
                          header_of(kTailnetColumn, "TAILNET"),
                          "TARGET",
                          header_of(kPublicColumn, "EXPOSED"),
                          header_of(kStateColumn, "STATE"),
                          "SOURCE"};
    rows.insert(rows.begin(), header);
    fit(rows, width);
    widths = widths_of(rows);
    std::string out;
    for (const Cells& row : rows) {
        append_row(row, widths, &row == &rows.front(), color, out);
    }
    return out;
}

std::string public_warning(const plan::Plan& plan, bool color) {
    std::string names;
    std::size_t count = 0;
    for (const plan::DeviceRow& device : plan.devices) {
        if (device.is_public) {
            names += (names.empty() ? "" : ", ") + device.hostname;
            ++count;
        }
    }
    if (count == 0) {
        return {};
    }
    return fmt::format("{} anyone on the internet can reach {}: {}\n",
                       paint("PUBLIC:", kAlarm, color), counted(count, "device"),
                       on_one_line(names));
}

// Returns how many devices are kept for each reason, in the order of the devices.
std::string kept_note(const plan::Plan& plan) {
    std::vector<std::pair<std::string_view, std::size_t>> reasons;
    for (const plan::DeviceRow& device : plan.devices) {
        if (device.kept.empty()) {
            continue;
        }
        const auto known = std::ranges::find(reasons, device.kept,
                                             &std::pair<std::string_view, std::size_t>::first);
        if (known == reasons.end()) {
            reasons.emplace_back(device.kept, 1);
        } else {
            ++known->second;
        }
    }
    std::string out;
    for (const auto& [reason, count] : reasons) {
        fmt::format_to(std::back_inserter(out), "kept: {} by {}\n", counted(count, "device"),
                       on_one_line(reason));
    }
    return out;
}

std::string and_more(std::size_t left_out, std::string_view of_which = "") {
    std::string digits = fmt::format("{}", left_out);
    for (std::size_t at = digits.size(); at > 3;) {
        digits.insert(at -= 3, 1, ',');
    }
    return fmt::format("… and {} more{}; --all shows them\n", digits, of_which);
}

// Returns all public devices and the first of the others, in the order of the plan.
std::vector<const plan::DeviceRow*> shown_devices(const plan::Plan& plan, bool all) {
    const auto exposed = static_cast<std::size_t>(std::ranges::count_if(
        plan.devices, [](const plan::DeviceRow& row) { return row.is_public; }));
    std::size_t others = all ? plan.devices.size() : kShown - std::min(exposed, kShown);
    std::vector<const plan::DeviceRow*> shown;
    for (const plan::DeviceRow& device : plan.devices) {
        if (device.is_public || others > 0) {
            shown.push_back(&device);
            others -= device.is_public ? 0 : 1;
        }
    }
    return shown;
}

// Returns how many paths of each list are shown. A short list is never truncated to make room for a
// long one.
std::size_t share_of(std::initializer_list<std::size_t> sizes, bool all) {
    const auto lines = [&](std::size_t share) {
        std::size_t sum = 0;
        for (const std::size_t size : sizes) {
            sum += std::min(size, share);
        }
        return sum;
    };
    std::size_t share = std::max(sizes);
    if (!all && lines(share) > kShown) {
        for (share = kShown; lines(share) > kShown;) {
            --share;
        }
    }
    return share;
}

void append_paths(std::string_view what, const std::vector<std::string>& paths, std::size_t share,
                  std::string& out) {
    const std::size_t shown = std::min(paths.size(), share);
    for (std::size_t i = 0; i < shown; ++i) {
        fmt::format_to(std::back_inserter(out), "  {:<7}  {}\n", what, on_one_line(paths[i]));
    }
    if (shown < paths.size()) {
        fmt::format_to(std::back_inserter(out), "  {:<7}  {}", what,
                       and_more(paths.size() - shown));
    }
}

}  // namespace

std::string diagnostics_text(const std::vector<ShownDiagnostic>& diagnostics, bool all) {
    using Likeness = std::tuple<Severity, std::string_view, std::string_view>;
    const auto likeness_of = [](const ShownDiagnostic& shown) {
        return Likeness(shown.said.severity, shown.said.rule, shown.said.message);
    };
    std::map<Likeness, std::size_t> left, seen;
    for (const ShownDiagnostic& shown : diagnostics) {
        ++left[likeness_of(shown)];
    }
    std::string out;
    for (const ShownDiagnostic& shown : diagnostics) {
        const std::size_t before = seen[likeness_of(shown)]++;
        const std::size_t behind = --left[likeness_of(shown)];
        if (all || before < kEqualShown) {
            out += shown.text;
        }
        if (!all && before + 1 == kEqualShown && behind > 0) {
            out += and_more(behind, fmt::format(" like this [{}]", shown.said.rule));
        }
    }
    return out;
}

std::string place_of(Pos pos, const SourceMap& sources) {
    if (!pos.known()) {
        return {};
    }
    const Location location = sources.locate(pos);
    return location.line == 0 ? std::string(location.path)
                              : fmt::format("{}:{}", location.path, location.line);
}

std::string device_table(const plan::Plan& plan, const SourceMap& sources, bool color, bool all,
                         std::size_t width) {
    if (plan.devices.empty()) {
        return "no devices\n";
    }
    const std::vector<const plan::DeviceRow*> shown = shown_devices(plan, all);
    std::vector<Cells> rows;
    rows.reserve(shown.size());
    for (const plan::DeviceRow* device : shown) {
        add_device(*device, "", sources, rows);
    }
    std::string out = table_of(std::move(rows), color, width);
    if (shown.size() < plan.devices.size()) {
        out += and_more(plan.devices.size() - shown.size());
    }
    return out + public_warning(plan, color) + kept_note(plan);
}

std::string device_list(const std::deque<Run>& runs, bool color, std::size_t width) {
    std::vector<Cells> rows;
    for (const Run& run : runs) {
        for (const plan::DeviceRow& device : run.plan.devices) {
            add_device(device, runs.size() > 1 ? run.loaded.cluster : "", run.loaded.sources, rows);
        }
    }
    return rows.empty() ? "no devices\n" : table_of(std::move(rows), color, width);
}

std::string engine_note(const load::Loaded& loaded) {
    bool has_flux = false;
    bool has_argo = false;
    for (const Document& document : loaded.documents) {
        const std::string_view version = text_of(document.api_version);
        const std::string_view kind = text_of(document.kind);
        has_flux = has_flux ||
                   (version.starts_with("kustomize.toolkit.fluxcd.io/") && kind == "Kustomization");
        has_argo = has_argo || (version.starts_with("argoproj.io/") &&
                                (kind == "Application" || kind == "ApplicationSet"));
    }
    const bool is_whole = !loaded.only_generated && !loaded.is_stream && !loaded.resource_list &&
                          loaded.bundles.size() == 1 && !loaded.bundles.front().pos.known();
    return !is_whole || (!has_flux && !has_argo) ? std::string()
                                                 : fmt::format(
                                                       "everything in this tree is rendered; "
                                                       "--only generated follows what {} of it\n",
                                                       !has_flux   ? "Argo CD applies"
                                                       : !has_argo ? "Flux applies"
                                                                   : "Flux and Argo CD apply");
}

// Counts the units of the rendered clusters whose objects are not in this tree, or that the engine
// fails at.
std::size_t units_without_objects(const engines::Standings& standings) {
    return static_cast<std::size_t>(std::ranges::count_if(standings.all, [&](const auto& one) {
        const bool is_open = one.liveness == engines::Liveness::Broken ||
                             one.liveness == engines::Liveness::Unknown || one.is_external;
        return is_open && !one.is_release && !one.is_hidden &&
               !standings.others.contains(one.cluster);
    }));
}

std::string totals(const load::Loaded& loaded, const plan::Plan& plan,
                   const generate::Objects& objects) {
    const auto read = static_cast<std::size_t>(std::count_if(
        loaded.documents.begin(), loaded.documents.end(), [](const Document& document) {
            return document.reachable && document.list == kNone && document.kind.is_string();
        }));
    const std::size_t made = emit::Output{loaded, plan, objects}.made().size();
    std::string out = fmt::format("{} generated", counted(made, "object"));
    if (read > 0) {
        out += fmt::format("; {} read", counted(read, "document"));
    }
    // The files of a package contain the edits from the second run on, and the message must not
    // change then.
    const bool is_package = loaded.resource_list && loaded.resource_list->is_package;
    out += plan.edits.empty() || is_package || loaded.only_generated
               ? "\n"
               : fmt::format(", {} in them\n", counted(plan.edits.size(), "edit"));
    if (loaded.skipped_files > 0) {
        fmt::format_to(std::back_inserter(out), "skipped {} without Kubernetes documents\n",
                       counted(loaded.skipped_files, "file"));
    }
    if (loaded.hidden_exposures > 0) {
        fmt::format_to(std::back_inserter(out),
                       "not rendered: {} that charts and other operators make\n",
                       counted(loaded.hidden_exposures, "exposure"));
    }
    if (const std::size_t units = units_without_objects(loaded.standings); units > 0) {
        fmt::format_to(std::back_inserter(out),
                       "{} {} broken or not known: \"tailrender roots\" lists what and why\n",
                       counted(units, "unit"), units == 1 ? "is" : "are");
    }
    const auto charts = static_cast<std::size_t>(
        std::ranges::count(loaded.built, true, &load::BuiltSource::is_chart));
    const auto sets = static_cast<std::size_t>(
        std::ranges::count(loaded.built, true, &load::BuiltSource::is_set));
    if (const std::size_t builds = loaded.built.size() - charts - sets; builds > 0) {
        fmt::format_to(std::back_inserter(out), "{} built by kustomize {}\n",
                       counted(builds, "kustomization"), loaded.kustomize_version);
    }
    if (sets > 0) {
        fmt::format_to(std::back_inserter(out), "{} filled in\n", counted(sets, "ResourceSet"));
    }
    if (charts > 0) {
        fmt::format_to(std::back_inserter(out), "{} rendered by helm {}\n",
                       counted(charts, "chart"), loaded.helm_version);
    }
    for (const repo::FetchedChart& chart : loaded.fetched_charts) {
        fmt::format_to(std::back_inserter(out), "fetched {} {} from {} (sha256:{})\n",
                       on_one_line(chart.name), on_one_line(chart.version),
                       on_one_line(chart.source), chart.digest);
    }
    if (!loaded.left_alone.empty() && !loaded.only_generated) {
        fmt::format_to(std::back_inserter(out),
                       "left {} to kustomize: nothing of Tailscale in {}\n",
                       counted(loaded.left_alone.size(), "kustomization"),
                       loaded.left_alone.size() == 1 ? "it" : "them");
    }
    for (const std::string& line : plan.summary) {
        out += on_one_line(line);
        out += '\n';
    }
    return out;
}

std::string dataplane_line(const plan::Plan& plan) {
    const plan::Settings& settings = plan.settings;
    std::size_t total = 0;
    std::size_t others = 0;
    for (const plan::Workload& one : plan.workloads) {
        const bool has_choice = one.traits().are_proxies;
        total += has_choice ? 1 : 0;
        others += has_choice && one.dataplane != settings.dataplane ? 1 : 0;
    }
    const auto name = [](bool is_native) { return is_native ? "native" : "containerboot"; };
    const bool is_native = settings.dataplane == plan::Dataplane::Native;
    if (total == 0) {
        return {};
    }
    if (others == total) {
        return fmt::format("dataplane: {}, by annotation\n", name(!is_native));
    }
    return fmt::format("dataplane: {}, {}{}\n", name(is_native),
                       settings.sets_dataplane ? "set by tailrender.dataplane"
                       : is_native             ? "since tailrender.proxyImage has a repository"
                                               : "since tailrender.proxyImage has no repository",
                       others == 0 ? std::string()
                                   : fmt::format(" ({} of {} {}, by annotation)", others, total,
                                                 name(!is_native)));
}

std::string write_summary(const std::string& dir, const emit::WriteReport& report, bool all) {
    std::string out = fmt::format("{}: {} created, {} changed, {} removed, {} unchanged\n", dir,
                                  report.created.size(), report.changed.size(),
                                  report.removed.size(), report.unchanged);
    const std::size_t share =
        share_of({report.created.size(), report.changed.size(), report.removed.size()}, all);
    append_paths("created", report.created, share, out);
    append_paths("changed", report.changed, share, out);
    append_paths("removed", report.removed, share, out);
    return out;
}

std::string gone_summary(const std::string& dir, const emit::WriteReport& report, bool all) {
    std::string out = fmt::format("{}: {} removed, the cluster is no longer in .tailrender.yaml\n",
                                  dir, report.removed.size());
    append_paths("removed", report.removed, share_of({report.removed.size()}, all), out);
    return out;
}

}  // namespace renderer::cli
