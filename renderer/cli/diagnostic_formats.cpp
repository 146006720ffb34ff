#include "renderer/cli/diagnostic_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/cli/append_format.h"
#include "renderer/cli/diagnostic_words.h"
#include "renderer/cli/rule_help.h"
#include "renderer/core/json.h"

namespace renderer::cli {
namespace {

constexpr int kDiagnosticsVersion = 1;

constexpr std::array kFormatWords = {
    std::pair{"text", DiagnosticFormat::Text},     std::pair{"json", DiagnosticFormat::Json},
    std::pair{"sarif", DiagnosticFormat::Sarif},   std::pair{"github", DiagnosticFormat::Github},
    std::pair{"gitlab", DiagnosticFormat::Gitlab}, std::pair{"junit", DiagnosticFormat::Junit}};

std::size_t count_of(const DiagnosticRun& run, Severity severity) {
    return static_cast<std::size_t>(std::ranges::count_if(
        run.diagnostics, [&](const auto& shown) { return shown.said.severity == severity; }));
}

Value json_count(std::size_t count) {
    return {static_cast<std::int64_t>(count)};
}

void put_known(Value& map, std::string_view key, const std::string& text) {
    if (!text.empty()) {
        map.add(Value::borrowed(key), Value(text));
    }
}

void put_place(Value& map, const ShownPlace& place) {
    put_known(map, "place", place.name);
    put_known(map, "file", place.file);
    if (place.line > 0) {
        map.add("line", json_count(place.line));
        map.add("column", json_count(place.column));
    }
}

Value json_diagnostic(const ShownDiagnostic& shown) {
    const Diagnostic& said = shown.said;
    Value map = Value::map({{"severity", severity_word(shown.said.severity)}, {"rule", said.rule}});
    put_place(map, shown.place);
    put_known(map, "object", on_one_line(said.object));
    map.add("message", Value(on_one_line(said.message)));
    put_known(map, "found", printable_lines(said.found));
    put_known(map, "expected", printable_lines(said.expected));
    put_known(map, "hint", printable_lines(said.hint));
    Value notes = Value::list();
    for (std::size_t i = 0; i < said.notes.size(); ++i) {
        Value note = Value::map();
        put_place(note, shown.note_places[i]);
        put_known(note, "object", on_one_line(said.notes[i].object));
        put_known(note, "text", on_one_line(said.notes[i].text));
        notes.append(std::move(note));
    }
    map.add("notes", std::move(notes));
    const RuleHelp help = rule_help(said.rule);
    put_known(map, "cause", plain_text(help.cause));
    put_known(map, "remedy", plain_text(help.remedy));
    return map;
}

// Escapes % and line ends; in a property also the characters that end it.
std::string command_text(std::string_view text, bool is_property) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '%':
                out += "%25";
                break;
            case '\r':
                out += "%0D";
                break;
            case '\n':
                out += "%0A";
                break;
            case ':':
                out += is_property ? "%3A" : ":";
                break;
            case ',':
                out += is_property ? "%2C" : ",";
                break;
            default:
                out += c;
        }
    }
    return out;
}

// Escapes marks of XML 1.0. Of the characters that XML forbids, only U+FFFE and U+FFFF get here,
// because all others are spelled out before.
std::string xml_text(std::string_view text) {
    constexpr std::string_view kMarks = "&<>\"\n";
    constexpr std::array<std::string_view, 5> kNames = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;"};
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t mark = kMarks.find(text[at]);
        const std::string_view three = text.substr(at, 3);
        if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
            out += '?';
            at += 2;
        } else if (mark != std::string_view::npos) {
            out += kNames[mark];
        } else {
            out += text[at];
        }
    }
    return out;
}

std::string place_name(const ShownDiagnostic& shown, const DiagnosticRun& run) {
    return !shown.place.file.empty()   ? shown.place.file
           : !shown.place.name.empty() ? shown.place.name
           : !run.verb.empty()         ? std::string(run.verb)
                                       : std::string("tailrender");
}

}  // namespace

Value diagnostic_list(std::span<const ShownDiagnostic> diagnostics) {
    Value list = Value::list();
    for (const ShownDiagnostic& shown : diagnostics) {
        list.append(json_diagnostic(shown));
    }
    return list;
}

std::string json_diagnostics(const DiagnosticRun& run) {
    Value root = Value::map({{"version", kDiagnosticsVersion}, {"report", "diagnostics"}});
    put_known(root, "verb", std::string(run.verb));
    root.add("exitCode", Value(run.exit_code));
    root.add("errors", json_count(count_of(run, Severity::Error)));
    root.add("warnings", json_count(count_of(run, Severity::Warning)));
    root.add("diagnostics", diagnostic_list(run.diagnostics));
    return write_json_pretty(root) + "\n";
}

std::string github_diagnostics(const DiagnosticRun& run) {
    std::string out;
    for (const ShownDiagnostic& shown : run.diagnostics) {
        const ShownPlace& place = shown.place;
        std::string properties;
        if (!place.file.empty()) {
            properties = fmt::format(" file={}", command_text(place.file, true));
        }
        if (place.line > 0) {
            append_format(properties, ",line={},col={}", place.line, place.character);
        }
        const std::string where =
            place.line > 0 || place.name.empty() ? "" : fmt::format("{}: ", place.name);
        append_format(out, "::{}{}::{}\n", severity_word(shown.said.severity), properties,
                      command_text(as_lines(fmt::format("{}{} [{}]{}", where, headline(shown),
                                                        shown.said.rule, details(shown))),
                                   false));
    }
    return out;
}

std::string gitlab_diagnostics(const DiagnosticRun& run) {
    Value list = Value::list();
    Fingerprints fingerprints;
    for (const ShownDiagnostic& shown : run.diagnostics) {
        const bool is_error = shown.said.severity == Severity::Error;
        Value lines = Value::map({{"begin", json_count(std::max(shown.place.line, 1U))}});
        list.append(Value::map({{"description", headline(shown) + details(shown)},
                                {"check_name", shown.said.rule},
                                {"fingerprint", fingerprints.of(shown)},
                                {"severity", Value::borrowed(is_error ? "major" : "minor")},
                                {"location", Value::map({{"path", place_name(shown, run)},
                                                         {"lines", std::move(lines)}})}}));
    }
    return write_json_pretty(list) + "\n";
}

// Each diagnostic is a test: an error is a failed one, a warning a skipped one. A run without
// diagnostics is one test that passes, because readers refuse a report without tests.
std::string junit_diagnostics(const DiagnosticRun& run) {
    const std::size_t errors = count_of(run, Severity::Error);
    const std::size_t warnings = count_of(run, Severity::Warning);
    const std::string suite = fmt::format("tailrender{}{}", run.verb.empty() ? "" : " ", run.verb);
    const std::size_t tests = std::max<std::size_t>(errors + warnings, 1);
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    append_format(out,
                  "<testsuites>\n  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" "
                  "errors=\"0\" skipped=\"{}\">\n",
                  suite, tests, errors, warnings);
    if (run.diagnostics.empty()) {
        append_format(out, "    <testcase classname=\"{0}\" name=\"no diagnostics\"/>\n", suite);
    }
    for (const ShownDiagnostic& shown : run.diagnostics) {
        const bool is_error = shown.said.severity == Severity::Error;
        append_format(out, "    <testcase classname=\"{}\" name=\"{}\">\n      ",
                      xml_text(place_name(shown, run)),
                      xml_text(fmt::format("{} [{}]", headline(shown), shown.said.rule)));
        const std::string message = xml_text(fmt::format("{}{}{} [{}]", shown.place.name,
                                                         shown.place.name.empty() ? "" : ": ",
                                                         headline(shown), shown.said.rule));
        if (is_error) {
            append_format(out, "<failure type=\"{}\" message=\"{}\">{}</failure>\n",
                          xml_text(shown.said.rule), message,
                          xml_text(printable_lines(shown.text)));
        } else {
            append_format(out, "<skipped message=\"warning: {}\"/>\n", message);
        }
        out += "    </testcase>\n";
    }
    return out + "  </testsuite>\n</testsuites>\n";
}

std::optional<DiagnosticTarget> parse_target(std::string_view text) {
    const std::string_view word = text.substr(0, text.find('='));
    for (const auto& [name, format] : kFormatWords) {
        if (word == name && word.size() + 1 != text.size()) {
            return DiagnosticTarget{
                format, std::string(text.substr(std::min(word.size() + 1, text.size())))};
        }
    }
    return std::nullopt;
}

std::string format_words() {
    std::string words;
    for (const auto& [name, format] : kFormatWords) {
        append_format(words, "{}{}", words.empty() ? "" : "|", name);
    }
    return words;
}

std::string formatted_diagnostics(DiagnosticFormat format, const DiagnosticRun& run) {
    switch (format) {
        case DiagnosticFormat::Json:
            return json_diagnostics(run);
        case DiagnosticFormat::Sarif:
            return sarif_diagnostics(run);
        case DiagnosticFormat::Github:
            return github_diagnostics(run);
        case DiagnosticFormat::Gitlab:
            return gitlab_diagnostics(run);
        case DiagnosticFormat::Junit:
            return junit_diagnostics(run);
        case DiagnosticFormat::Text:
            break;
    }
    return {};
}

}  // namespace renderer::cli
