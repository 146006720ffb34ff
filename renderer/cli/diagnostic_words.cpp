#include "renderer/cli/diagnostic_words.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/base/printable.h"
#include "renderer/base/sha256.h"
#include "renderer/base/split.h"
#include "renderer/cli/append_format.h"

namespace renderer::cli {

std::string_view severity_word(Severity severity) {
    return severity == Severity::Error ? "error" : "warning";
}

std::string printable_lines(std::string_view text) {
    std::string out = on_one_line(take(text, '\n'));
    while (!text.empty()) {
        out += '\n' + on_one_line(take(text, '\n'));
    }
    return out;
}

std::string headline(const ShownDiagnostic& shown) {
    const Diagnostic& said = shown.said;
    return fmt::format("{}{}{}", on_one_line(said.object), said.object.empty() ? "" : ": ",
                       on_one_line(said.message));
}

std::string details(const ShownDiagnostic& shown) {
    const Diagnostic& said = shown.said;
    std::string out;
    const std::pair<std::string_view, const std::string*> lines[] = {
        {"found", &said.found}, {"expected", &said.expected}, {"hint", &said.hint}};
    for (const auto& [name, text] : lines) {
        if (!text->empty()) {
            append_format(out, "\n{}: {}", name, printable_lines(*text));
        }
    }
    return out;
}

std::string note_text(const Note& note) {
    return fmt::format("{}{}{}", on_one_line(note.object),
                       note.object.empty() || note.text.empty() ? "" : ": ",
                       on_one_line(note.text));
}

std::string Fingerprints::of(const ShownDiagnostic& shown) {
    const Diagnostic& said = shown.said;
    const std::string facts =
        fmt::format("{}\n{}\n{}\n{}\n{}", said.rule,
                    shown.place.file.empty() ? shown.place.name : shown.place.file, said.object,
                    said.message, said.found);
    return sha256_hex(fmt::format("{}\n{}", facts, seen_[facts]++));
}

}  // namespace renderer::cli
