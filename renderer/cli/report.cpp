#include "renderer/cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace renderer {
namespace {

constexpr std::size_t kShownPaths = 25;
constexpr std::size_t kColumns = 7;
constexpr std::size_t kTailnetColumn = 3;
constexpr std::size_t kPublicColumn = 5;
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kAlarm = "\033[1;37;41m";
constexpr std::string_view kReset = "\033[0m";

using Cells = std::array<std::string, kColumns>;

// Columns that a text takes when every character is one column wide.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    }));
}

std::string place(Pos pos, const SourceMap& sources) {
    if (!pos.known()) {
        return {};
    }
    const Location location = sources.locate(pos);
    return location.line == 0 ? std::string(location.path)
                              : fmt::format("{}:{}", location.path, location.line);
}

std::string paint(std::string_view text, std::string_view style, bool color) {
    return color && !text.empty() ? fmt::format("{}{}{}", style, text, kReset) : std::string(text);
}

std::array<std::size_t, kColumns> widths_of(const std::vector<Cells>& rows) {
    std::array<std::size_t, kColumns> widths{};
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i < kColumns; ++i) {
            widths[i] = std::max(widths[i], width(row[i]));
        }
    }
    return widths;
}

void append_row(const Cells& row, const std::array<std::size_t, kColumns>& widths, bool header,
                bool color, std::string& out) {
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
        if (widths[i] == 0) {
            continue;  // nothing is public, all are in one tailnet: no such column
        }
        line.append(line.empty() ? 0 : 2, ' ');
        const std::string_view style = header ? kBold : i == kPublicColumn ? kAlarm : "";
        line += paint(row[i], style, color && !style.empty());
        line.append(widths[i] - width(row[i]), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    out += '\n';
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string public_warning(const Plan& plan, bool color) {
    std::string names;
    std::size_t count = 0;
    for (const DeviceRow& device : plan.devices) {
        if (device.is_public) {
            names += (names.empty() ? "" : ", ") + device.hostname;
            ++count;
        }
    }
    if (count == 0) {
        return {};
    }
    return fmt::format("{} anyone on the internet can reach {}: {}\n",
                       paint("PUBLIC:", kAlarm, color), counted(count, "device", "devices"), names);
}

void append_paths(std::string_view what, const std::vector<std::string>& paths, std::string& out) {
    const std::size_t shown = std::min(paths.size(), kShownPaths);
    for (std::size_t i = 0; i < shown; ++i) {
        fmt::format_to(std::back_inserter(out), "  {:<7}  {}\n", what, paths[i]);
    }
    if (shown < paths.size()) {
        fmt::format_to(std::back_inserter(out), "  {:<7}  … and {} more\n", what,
                       paths.size() - shown);
    }
}

}  // namespace

std::string device_table(const Plan& plan, const SourceMap& sources, bool color) {
    if (plan.devices.empty()) {
        return "no devices\n";
    }
    std::vector<Cells> rows;
    for (const DeviceRow& device : plan.devices) {
        rows.push_back({device.hostname, device.kind, device.tags, device.tailnet, device.leads_to,
                        device.is_public ? "PUBLIC" : "", place(device.pos, sources)});
    }
    auto widths = widths_of(rows);
    const std::string exposed = widths[kPublicColumn] == 0 ? "" : "EXPOSED";
    const std::string tailnet = widths[kTailnetColumn] == 0 ? "" : "TAILNET";
    const Cells header = {"HOSTNAME", "KIND", "TAGS", tailnet, "TARGET", exposed, "SOURCE"};
    rows.insert(rows.begin(), header);
    widths = widths_of(rows);
    std::string out;
    for (const Cells& row : rows) {
        append_row(row, widths, &row == &rows.front(), color, out);
    }
    return out + public_warning(plan, color);
}

std::string totals(const Loaded& loaded, const Plan& plan, const Objects& objects) {
    const auto read = static_cast<std::size_t>(std::count_if(
        loaded.documents.begin(), loaded.documents.end(), [](const Document& document) {
            return document.reachable && document.list == kNone && document.kind.is_string();
        }));
    const std::size_t made =
        objects.size() + plan.replacements.size() + loaded.generated_inputs.size();
    std::string out = fmt::format("{} generated; {} read", counted(made, "object", "objects"),
                                  counted(read, "document", "documents"));
    // The files of a package have them from the second run on, and what is said of it stays.
    const bool is_package = loaded.resource_list && loaded.resource_list->is_package;
    out += plan.edits.empty() || is_package
               ? "\n"
               : fmt::format(", {} in them\n", counted(plan.edits.size(), "edit", "edits"));
    if (loaded.skipped_files > 0) {
        fmt::format_to(std::back_inserter(out), "skipped {} without Kubernetes documents\n",
                       counted(loaded.skipped_files, "file", "files"));
    }
    for (const std::string& line : plan.summary) {
        out += line;
        out += '\n';
    }
    return out;
}

std::string write_summary(const std::string& dir, const WriteReport& report) {
    std::string out = fmt::format("{}: {} created, {} changed, {} removed, {} unchanged\n", dir,
                                  report.created.size(), report.changed.size(),
                                  report.removed.size(), report.unchanged);
    append_paths("created", report.created, out);
    append_paths("changed", report.changed, out);
    append_paths("removed", report.removed, out);
    return out;
}

std::string gone_summary(const std::string& dir, const WriteReport& report) {
    std::string out = fmt::format("{}: {} removed, the cluster is no longer in .tailrender.yaml\n",
                                  dir, report.removed.size());
    append_paths("removed", report.removed, out);
    return out;
}

}  // namespace renderer
