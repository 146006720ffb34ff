// Writes SARIF 2.1.0 (OASIS). A diagnostic about a file is a result; one about a flag or a stream
// is a notification of the run, because readers refuse results without a file.
#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/printable.h"
#include "renderer/cli/append_format.h"
#include "renderer/cli/diagnostic_formats.h"
#include "renderer/cli/diagnostic_words.h"
#include "renderer/cli/rule_help.h"
#include "renderer/core/json.h"

namespace renderer::cli {
namespace {

// Turns a path into a URI reference (RFC 3986).
std::string sarif_uri(std::string_view path) {
    std::string out = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        if (is_alphanumeric(c) || std::string_view("/-._~").find(c) != std::string_view::npos) {
            out += c;
        } else {
            append_format(out, "%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

Value sarif_text(std::string_view text) {
    return Value::map({{"text", text}});
}

Value sarif_position(const ShownPlace& place) {
    Value artifact = Value::map({{"uri", sarif_uri(place.file)}});
    put_if(artifact, !place.file.starts_with('/'), "uriBaseId", "%SRCROOT%");
    Value physical = Value::map({{"artifactLocation", std::move(artifact)}});
    if (place.line > 0) {
        physical.add("region",
                     Value::map({{"startLine", static_cast<std::int64_t>(place.line)},
                                 {"startColumn", static_cast<std::int64_t>(place.character)}}));
    }
    return physical;
}

Value sarif_location(const ShownDiagnostic& shown) {
    Value location = Value::map({{"physicalLocation", sarif_position(shown.place)}});
    if (!shown.said.object.empty()) {
        location.add(
            "logicalLocations",
            Value::list({Value::map(
                {{"fullyQualifiedName", on_one_line(shown.said.object)}, {"kind", "resource"}})}));
    }
    return location;
}

Value sarif_notes(const ShownDiagnostic& shown) {
    Value related = Value::list();
    for (std::size_t i = 0; i < shown.said.notes.size(); ++i) {
        const ShownPlace& place = shown.note_places[i];
        Value location = Value::map();
        if (!place.file.empty()) {
            location.add("physicalLocation", sarif_position(place));
        }
        location.add("message", sarif_text(note_text(shown.said.notes[i])));
        related.append(std::move(location));
    }
    return related;
}

Value sarif_message(const ShownDiagnostic& shown) {
    const bool has_place = shown.place.line > 0 || shown.place.name.empty();
    return sarif_text(fmt::format("{}{}{}", has_place ? "" : shown.place.name + ": ",
                                  headline(shown), details(shown)));
}

Value sarif_rule(const std::string& rule) {
    Value map = Value::map({{"id", rule}});
    const RuleHelp help = rule_help(rule);
    if (!help.cause.empty()) {
        map.add("shortDescription", sarif_text(plain_text(help.cause)));
        map.add("help", Value::map({{"text", plain_text(help.remedy)}, {"markdown", help.remedy}}));
    }
    return map;
}

}  // namespace

std::string sarif_diagnostics(const DiagnosticRun& run) {
    std::set<std::string> ids;
    for (const ShownDiagnostic& shown : run.diagnostics) {
        ids.insert(shown.said.rule);
    }
    Value rules = Value::list();
    for (const std::string& id : ids) {
        rules.append(sarif_rule(id));
    }
    Value results = Value::list();
    Value notifications = Value::list();
    Fingerprints fingerprints;
    bool has_failed = run.exit_code == 2;
    for (const ShownDiagnostic& shown : run.diagnostics) {
        const auto index =
            static_cast<std::int64_t>(std::distance(ids.begin(), ids.find(shown.said.rule)));
        const std::string_view level = severity_word(shown.said.severity);
        if (shown.place.file.empty()) {
            notifications.append(Value::map(
                {{"level", level},
                 {"message", sarif_message(shown)},
                 {"associatedRule", Value::map({{"id", shown.said.rule}, {"index", index}})}}));
            has_failed = has_failed || shown.said.severity == Severity::Error;
            continue;
        }
        Value result = Value::map(
            {{"ruleId", shown.said.rule},
             {"ruleIndex", index},
             {"level", level},
             {"message", sarif_message(shown)},
             {"locations", Value::list({sarif_location(shown)})},
             {"partialFingerprints", Value::map({{"tailrender/v1", fingerprints.of(shown)}})}});
        if (!shown.said.notes.empty()) {
            result.add("relatedLocations", sarif_notes(shown));
        }
        results.append(std::move(result));
    }
    Value invocation =
        Value::map({{"executionSuccessful", !has_failed}, {"exitCode", run.exit_code}});
    if (notifications.size() > 0) {
        invocation.add("toolConfigurationNotifications", std::move(notifications));
    }
    Value driver = Value::map(
        {{"name", "tailrender"}, {"version", TAILRENDER_VERSION}, {"rules", std::move(rules)}});
    Value one = Value::map({{"tool", Value::map({{"driver", std::move(driver)}})},
                            {"invocations", Value::list({std::move(invocation)})},
                            {"columnKind", "unicodeCodePoints"},
                            {"results", std::move(results)}});
    return write_json_pretty(
               Value::map({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", Value::list({std::move(one)})}})) +
           "\n";
}

}  // namespace renderer::cli
