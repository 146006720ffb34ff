// Makes the text of diagnostics. Confidential parts are hidden here, so that no format prints them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/base/split.h"
#include "renderer/base/utf8.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/shown_diagnostic.h"
#include "renderer/secrets/confidential.h"

namespace renderer::inline core {

namespace {

// Bytes of a source line that are shown.
constexpr std::size_t kMaxLine = 120;
constexpr std::size_t kMinLine = 40;

struct Colors {
    std::string_view error, warning, note, bold, reset;
};

constexpr Colors kPlain{};
constexpr Colors kAnsi{"\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[1m", "\x1b[0m"};

auto sort_key(const Diagnostic& d) {
    return std::tie(d.pos, d.where, d.severity, d.object, d.rule, d.message);
}

std::string place_of(const SourceMap& sources, Pos pos, std::string_view where) {
    return on_one_line(pos.known() ? sources.describe(pos) : std::string(where));
}

// True for a file; false for a flag, a stream, an address, or the output of a program.
bool is_file_source(std::string_view path) {
    return path.find_first_of("./") != std::string_view::npos && path.front() != '-' &&
           path.front() != '<' && path.find("://") == std::string_view::npos &&
           !path.starts_with("helm template ");
}

// Also false for a directory, a key of values, or the name of an object.
bool names_file(std::string_view name) {
    const std::string_view file = name.substr(name.rfind('/') + 1);
    if (!is_file_source(name) || file.find_first_not_of('.') == std::string_view::npos ||
        name.find(' ') != std::string_view::npos) {
        return false;
    }
    const auto dots = std::ranges::count(file, '.');
    const bool is_manifest = file.ends_with(".yaml") || file.ends_with(".yml");
    return dots == 1 || (dots > 1 && (is_manifest || file.size() < name.size()));
}

ShownPlace shown_place(const SourceMap& sources, Pos pos, std::string_view where) {
    ShownPlace place{.name = place_of(sources, pos, where)};
    if (!pos.known()) {
        place.file = names_file(where) ? place.name : "";
        return place;
    }
    const Location at = sources.locate(pos);
    if (at.line == 0) {
        place.file = on_one_line(sources.file_of_part(pos));
    } else if (is_file_source(at.path)) {
        place.file = on_one_line(at.path);
        place.line = at.line;
        place.column = at.column;
        const std::size_t before = std::min<std::size_t>(at.column - 1, at.text.size());
        place.character =
            static_cast<std::uint32_t>(count_characters(at.text.substr(0, before)) + 1);
    }
    return place;
}

// Prints the source line with a caret under the place. A long line is truncated around it.
void print_line(const SourceMap& sources, Pos pos, std::size_t width, std::string& out) {
    constexpr std::size_t kMargin = 8;
    const std::size_t most =
        width == 0 ? kMaxLine : std::clamp(width - std::min(width, kMargin), kMinLine, kMaxLine);
    const Location place = sources.locate(pos);
    std::string_view line = place.text;
    std::size_t column = std::min<std::size_t>(place.column - 1, line.size());
    std::size_t cut = column > most - 20 ? column - (most - 20) : 0;
    while (cut > 0 && is_continuation(line[cut])) {
        --cut;
    }
    line = line.substr(cut, most);
    column -= cut;
    while (!line.empty() && column < line.size() && line.size() == most &&
           (static_cast<unsigned char>(line.back()) & 0x80U) != 0) {
        line.remove_suffix(1);
    }
    std::string shown;
    std::string blanks;
    for (std::size_t at = 0; at < line.size();) {
        const CharacterAt character = character_at(line, at);
        const bool is_tab = line[at] == '\t';
        if (character.printable || is_tab) {
            shown.append(line, at, character.size);
        } else {
            shown += character.is_utf8 ? ' ' : '?';
        }
        if (at < column) {
            blanks += is_tab ? '\t' : ' ';
        }
        at += character.size;
    }
    const std::string number = place.line == 0 ? "" : fmt::to_string(place.line);
    fmt::format_to(std::back_inserter(out), "{:>5} | {}\n      | {}^\n", number, shown, blanks);
}

// Indents all lines but the first, so that no line of a user's program looks like a diagnostic.
std::string indented(std::string_view text) {
    constexpr std::string_view kIndent = "    ";
    std::string out = on_one_line(take(text, '\n'));
    while (!text.empty()) {
        const std::string line = on_one_line(take(text, '\n'));
        out += fmt::format("\n{}{}", line.starts_with(kIndent) ? "" : kIndent, line);
    }
    return out;
}

void print_one(const Diagnostic& d, const SourceMap& sources, Look look, std::string& out) {
    const Colors& c = look.color ? kAnsi : kPlain;
    const bool error = d.severity == Severity::Error;
    const std::string place = place_of(sources, d.pos, d.where);
    fmt::format_to(std::back_inserter(out), "{}{}{}{}{}:{} {}{}{} [{}]\n", c.bold, place,
                   place.empty() ? "" : ": ", error ? c.error : c.warning,
                   error ? "error" : "warning", c.reset, on_one_line(d.object),
                   d.object.empty() ? "" : ": ", on_one_line(d.message), d.rule);
    if (d.pos.known() && !d.hide_text) {
        print_line(sources, d.pos, look.width, out);
    }
    const std::pair<std::string_view, const std::string*> lines[] = {
        {"found", &d.found}, {"expected", &d.expected}, {"hint", &d.hint}};
    for (const auto& [name, text] : lines) {
        if (!text->empty()) {
            fmt::format_to(std::back_inserter(out), "  {}: {}\n", name, indented(*text));
        }
    }
    for (const Note& note : d.notes) {
        const std::string note_place = place_of(sources, note.pos, "");
        fmt::format_to(std::back_inserter(out), "{}{}{}{}note:{} {}{}{}\n", c.bold, note_place,
                       note_place.empty() ? "" : ": ", c.note, c.reset, on_one_line(note.object),
                       note.object.empty() || note.text.empty() ? "" : ": ",
                       on_one_line(note.text));
    }
}

// Removes the second of two reports of the same fault: of an object and of the file that it is in.
void drop_second_reports(const SourceMap& sources, std::vector<const Diagnostic*>& sorted) {
    std::map<std::tuple<std::string, std::string_view, std::string_view>, std::string_view> known;
    std::erase_if(sorted, [&](const Diagnostic* one) {
        if (!one->pos.known() || one->found.empty()) {
            return false;
        }
        const auto [first, is_new] =
            known.try_emplace({sources.describe(one->pos), one->rule, one->found}, one->object);
        return !is_new && first->second.empty() != one->object.empty();
    });
}

}  // namespace

std::string Diagnostics::print(const SourceMap& sources, bool color) const {
    std::string out;
    for (const Block& block : blocks(sources, color)) {
        out += block.text;
    }
    return out;
}

std::vector<Diagnostics::Block> Diagnostics::blocks(const SourceMap& sources, bool color) const {
    std::vector<Block> blocks;
    for (ShownDiagnostic& shown : shown_diagnostics(*this, sources, {.color = color})) {
        blocks.push_back({shown.said.severity, std::move(shown.said.rule),
                          std::move(shown.said.message), std::move(shown.text)});
    }
    return blocks;
}

std::vector<ShownDiagnostic> shown_diagnostics(const Diagnostics& diagnostics,
                                               const SourceMap& sources, Look look) {
    std::vector<const Diagnostic*> sorted;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        sorted.push_back(&diagnostic);
    }
    std::ranges::stable_sort(sorted, [](const Diagnostic* a, const Diagnostic* b) {
        return sort_key(*a) < sort_key(*b);
    });
    const auto same = [](const Diagnostic* a, const Diagnostic* b) {
        return sort_key(*a) == sort_key(*b);
    };
    sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
    drop_second_reports(sources, sorted);
    std::vector<ShownDiagnostic> all;
    secrets::CredentialFilter filter(sources);
    for (const Diagnostic* diagnostic : sorted) {
        ShownDiagnostic& shown = all.emplace_back();
        shown.said = filter.shown(*diagnostic);
        shown.place = shown_place(sources, shown.said.pos, shown.said.where);
        for (const Note& note : shown.said.notes) {
            shown.note_places.push_back(shown_place(sources, note.pos, ""));
        }
        print_one(shown.said, sources, look, shown.text);
    }
    return all;
}

}  // namespace renderer::inline core
