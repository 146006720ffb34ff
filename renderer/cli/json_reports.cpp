#include "renderer/cli/json_reports.h"

#include <algorithm>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/cli/diagnostic_formats.h"
#include "renderer/core/json.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/standing.h"
#include "renderer/lint/lint.h"
#include "renderer/repo/inventory.h"

namespace renderer::cli {
namespace {

constexpr int kReportVersion = 1;

Value report_head(std::string_view name) {
    return Value::map({{"version", kReportVersion}, {"report", name}});
}

// Adds the key unless the text is empty.
void put_filled(Value& map, std::string_view key, std::string_view text) {
    if (!text.empty()) {
        map.add(Value::borrowed(key), text);
    }
}

Value json_device(const plan::DeviceRow& device, const SourceMap& sources) {
    Value map = Value::map({{"hostname", device.hostname},
                            {"kind", device.kind},
                            {"tags", text_list(split(device.tags, ','))}});
    put_filled(map, "tailnet", device.tailnet);
    map.add("target", Value(device.target));
    map.add("public", Value(device.is_public));
    put_filled(map, "kept", device.kept);
    if (device.pos.known()) {
        const Location place = sources.locate(device.pos);
        put_filled(map, "file", place.line > 0 ? place.path : sources.file_of_part(device.pos));
        if (place.line > 0) {
            map.add("line", static_cast<std::int64_t>(place.line));
        }
    }
    return map;
}

Value json_units(const engines::UnitList& list, std::size_t parent) {
    Value units = Value::list();
    for (std::size_t i = 0; i < list.units.size(); ++i) {
        const engines::BuildUnit& unit = list.units[i];
        if (unit.parent != parent) {
            continue;
        }
        const bool is_included = unit.name.starts_with(engines::kIncluded);
        Value map = Value::map({{"name", is_included ? "--include" : std::string_view(unit.name)},
                                {"directory", unit.dir},
                                {"state", engines::word_of(unit.state)}});
        put_filled(map, "cluster", unit.cluster);
        put_filled(map, "file", unit.file);
        put_filled(map, "reason", unit.reason);
        put_filled(map, "namespace",
                   unit.target_namespace.empty() ? unit.fallback_namespace : unit.target_namespace);
        map.add("inputs", static_cast<std::int64_t>(list.inputs[i]));
        map.add("units", json_units(list, i));
        units.append(std::move(map));
    }
    return units;
}

Value json_explanation(const Explanation& one) {
    Value map = Value::map({{"object", one.object}});
    put_filled(map, "note", one.note);
    put_filled(map, "generator", one.generator);
    put_filled(map, "rule", one.rule);
    put_filled(map, "parent", one.parent);
    Value lines = Value::list();
    for (const SourceLine& line : one.lines) {
        lines.append(Value::map({{"place", line.place}, {"text", line.text}}));
    }
    map.add("lines", std::move(lines));
    map.add("together", text_list(one.together));
    map.add("makes", text_list(one.makes));
    put_filled(map, "offers", one.offers);
    map.add("servedBy", text_list(one.served_by));
    map.add("approvals", text_list(one.approvals));
    put_filled(map, "policy", one.policy);
    map.add("edits", text_list(one.edits));
    return map;
}

Value json_checked(const CheckedTree& tree) {
    Value created = Value::list();
    for (const emit::OutputFile* file : tree.changes.created) {
        created.append(file->path);
    }
    Value changed = Value::list();
    if (tree.changes.old_inventory != tree.changes.new_inventory) {
        changed.append(repo::kInventoryFile);
    }
    for (const emit::Replacement& replacement : tree.changes.changed) {
        changed.append(replacement.file->path);
    }
    Value removed = text_list(tree.changes.stale);
    Value map =
        Value::map({{"cluster", tree.cluster}, {"directory", tree.dir}, {"stale", tree.is_stale}});
    map.add("created", std::move(created));
    map.add("changed", std::move(changed));
    map.add("removed", std::move(removed));
    return map;
}

std::string text_of_report(const Value& report) {
    return write_json_pretty(report) + "\n";
}

}  // namespace

std::string devices_json(const std::deque<Run>& runs) {
    Value clusters = Value::list();
    for (const Run& run : runs) {
        Value devices = Value::list();
        for (const plan::DeviceRow& device : run.plan.devices) {
            devices.append(json_device(device, run.loaded.sources));
        }
        clusters.append(
            Value::map({{"cluster", run.loaded.cluster}, {"devices", std::move(devices)}}));
    }
    Value report = report_head("devices");
    report.add("clusters", std::move(clusters));
    return text_of_report(report);
}

std::string images_json(const std::vector<std::string>& images) {
    Value report = report_head("images");
    report.add("images", text_list(images));
    return text_of_report(report);
}

std::string roots_json(const engines::UnitList& list) {
    Value unreached = Value::list();
    for (const auto& [dir, names] : list.unreached) {
        unreached.append(Value::map({{"directory", dir}, {"files", text_list(names)}}));
    }
    Value report = report_head("roots");
    report.add("applied", Value(list.are_applied));
    report.add("units", json_units(list, SIZE_MAX));
    report.add("unreached", std::move(unreached));
    return text_of_report(report);
}

std::string lint_json(const std::string& path, const std::vector<ShownDiagnostic>& diagnostics) {
    const auto errors = std::ranges::count_if(diagnostics, [](const ShownDiagnostic& shown) {
        return shown.said.severity == Severity::Error;
    });
    Value report = report_head("lint");
    report.add("path", Value(path));
    report.add("errors", static_cast<std::int64_t>(errors));
    report.add("warnings", static_cast<std::int64_t>(std::ssize(diagnostics) - errors));
    report.add("diagnostics", diagnostic_list(diagnostics));
    return text_of_report(report);
}

std::string checks_json() {
    Value checks = Value::list();
    for (const lint::LintCheck& check : lint::lint_checks()) {
        checks.append(Value::map({{"rule", check.id}, {"explanation", check.explanation}}));
    }
    Value report = report_head("checks");
    report.add("checks", std::move(checks));
    return text_of_report(report);
}

std::string explain_json(const std::vector<Explanation>& explanations) {
    Value list = Value::list();
    for (const Explanation& one : explanations) {
        list.append(json_explanation(one));
    }
    Value report = report_head("explain");
    report.add("explanations", std::move(list));
    return text_of_report(report);
}

std::string check_json(const std::vector<CheckedTree>& trees) {
    Value list = Value::list();
    for (const CheckedTree& tree : trees) {
        list.append(json_checked(tree));
    }
    Value report = report_head("check");
    report.add("stale", Value(std::ranges::any_of(trees, &CheckedTree::is_stale)));
    report.add("trees", std::move(list));
    return text_of_report(report);
}

}  // namespace renderer::cli
