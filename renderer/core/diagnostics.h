// Collects the errors and warnings of a run. Stages add diagnostics and continue; `pipeline.cpp`
// stops between stages if there are errors, so one run reports all of them. Printing sorts by
// position and removes duplicates, so the output does not depend on the order of threads.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/source_map.h"

namespace renderer::inline core {

enum class Severity { Error, Warning };

struct Note {
    Pos pos = {};
    std::string object = {};  // "Kind/namespace/name", "Kind/name", or empty
    std::string text = {};
};

// Message style: lower case, no full stop, user text in double quotes.
struct Diagnostic {
    Severity severity = Severity::Error;
    std::string rule = {};    // kebab-case id, printed in brackets: "invalid-hostname"
    Pos pos = {};             // unknown only when there is no place in a file: then set `where`
    std::string where = {};   // a flag ("--cluster"), a file that could not be read, "<stdin>"
    std::string object = {};  // the Kubernetes object concerned, "Kind/namespace/name", or empty
    std::string message = {};
    std::string found = {};
    std::string expected = {};
    std::string hint = {};
    std::vector<Note> notes = {};
    // True if something is missing that may be in a file that could not be read.
    bool is_absence = false;
    bool hide_text = false;  // the line may hold a credential: its place is printed, its text not
};

// Sets more fields of the diagnostic that was just added. It must not be used after another one is
// added.
class Finding {
public:
    explicit Finding(Diagnostic& added) : added_(added) {}

    Finding& object(std::string_view object) { return set(&Diagnostic::object, object); }
    Finding& where(std::string_view where) { return set(&Diagnostic::where, where); }
    Finding& found(std::string_view found) { return set(&Diagnostic::found, found); }
    Finding& expected(std::string_view expected) { return set(&Diagnostic::expected, expected); }
    Finding& hint(std::string_view hint) { return set(&Diagnostic::hint, hint); }
    Finding& notes(std::vector<Note> notes) { return set(&Diagnostic::notes, std::move(notes)); }
    Finding& note(Note note) {
        added_.notes.push_back(std::move(note));
        return *this;
    }
    Finding& hide_text(bool hide = true) { return set(&Diagnostic::hide_text, hide); }
    Finding& is_absence() { return set(&Diagnostic::is_absence, true); }

private:
    template <typename Field, typename T>
    Finding& set(Field Diagnostic::*field, T value) {
        added_.*field = std::move(value);
        return *this;
    }

    Diagnostic& added_;
};

class Diagnostics {
public:
    void add(Diagnostic diagnostic);
    Finding say(Severity severity, std::string_view rule, Pos pos, std::string message);
    Finding error(std::string_view rule, Pos pos, std::string message) {
        return say(Severity::Error, rule, pos, std::move(message));
    }
    Finding warning(std::string_view rule, Pos pos, std::string message) {
        return say(Severity::Warning, rule, pos, std::move(message));
    }
    void append(Diagnostics other);  // merges what a thread collected
    void remove_warnings(std::string_view rule, Pos pos);

    [[nodiscard]] bool has_errors() const { return errors_ > 0; }
    [[nodiscard]] std::size_t error_count() const { return errors_; }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }

    // Returns all diagnostics, sorted and without duplicates, in the form that editors parse:
    //   file:line:col: error: Kind/ns/name: message [rule]
    //      12 |   scale: { replica: 3 }
    //         |            ^
    //     found: …
    //     expected: …
    //     hint: …
    //   file:line:col: note: Kind/ns/name: text
    [[nodiscard]] std::string print(const SourceMap& sources, bool color) const;

    // One printed diagnostic. blocks() returns them in the order of print().
    struct Block {
        Severity severity;
        std::string rule, message;
        std::string text;  // the whole text
    };
    [[nodiscard]] std::vector<Block> blocks(const SourceMap& sources, bool color) const;

private:
    std::vector<Diagnostic> all_;
    std::size_t errors_ = 0;
};

// Adds diagnostics about one object ("Kind/namespace/name").
class Report {
public:
    Report(std::string object, Diagnostics& diagnostics)
        : object_(std::move(object)), diagnostics_(diagnostics) {}

    Finding say(Severity severity, std::string_view rule, Pos pos, std::string message);
    Finding error(std::string_view rule, Pos pos, std::string message) {
        return say(Severity::Error, rule, pos, std::move(message));
    }
    Finding warning(std::string_view rule, Pos pos, std::string message) {
        return say(Severity::Warning, rule, pos, std::move(message));
    }

private:
    std::string object_;
    Diagnostics& diagnostics_;
};

// Returns the candidate nearest to `word` if `word` may be a typo of it, else "".
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);
// The same for the key of a map, which may also be the beginning of the candidate, or begin with
// it: "tailnet" for "tailnetDomain".
std::string_view nearest_key(std::string_view word,
                             const std::vector<std::string_view>& candidates);

// Returns the hint that suggests `near`, or "" if it is empty.
std::string did_you_mean(std::string_view near);

// Returns "1 device", "2 devices".
std::string counted(std::size_t count, std::string_view what);

}  // namespace renderer::inline core
