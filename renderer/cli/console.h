// Writes the output of a run to standard output, standard error and the log file. Writes to
// standard output are checked, because an applier would delete what is missing from a truncated
// stream. The log file gets the text of standard error without colors. Diagnostics go to the
// targets of `--diagnostics`, and to the log as text. If standard error gets diagnostics as a
// document, such as JSON, nothing else is written there. On a terminal, its lines fit the width.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/base/steps.h"
#include "renderer/cli/diagnostic_formats.h"
#include "renderer/cli/options.h"
#include "renderer/core/result.h"

namespace renderer::cli {

class Progress;

class Console {
public:
    // An empty name means no log file. Without targets, diagnostics are text on standard error.
    Console(bool color, const std::string& log_file, std::vector<DiagnosticTarget> targets = {});
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;
    ~Console();

    [[nodiscard]] bool reader_left() const { return reader_left_; }
    [[nodiscard]] bool ready() const { return ready_; }  // false: the log file cannot be opened
    // Shows the progress on standard error, which must be a terminal, until something else is
    // written.
    void show_progress(std::shared_ptr<const Steps> steps);
    // Writes documents and files for programs to standard output, unchanged. Returns false if a
    // byte could not be written, with a message on standard error unless the reader closed the
    // pipe. Then standard error gets nothing any more.
    [[nodiscard]] bool out(std::string_view text);
    // Does the same for text that people read, and escapes control characters.
    [[nodiscard]] bool show(std::string_view text, OwnColors colors = OwnColors::No);
    void err(std::string_view text);
    void log(std::string_view text) { write_log(text); }  // the log file only
    // Calls make(color) for standard error and make(false) for the log.
    template <typename Make>
    void tell(const Make& make) {
        write_err(make(color_));
        write_log(make(false));
    }
    // Writes the diagnostics that `shown` returns for standard error and for files. In text,
    // similar ones are counted unless `all`.
    void diagnose(const std::function<std::vector<ShownDiagnostic>(Look look)>& shown, bool all);
    void diagnose(Diagnostic diagnostic);
    // Must be called at the end of a run. `verb` may be unknown. Returns the exit code; 1 if the
    // log or a file of diagnostics could not be written; 2 after a mistake in the command line.
    [[nodiscard]] int finish(std::string_view verb, int exit_code);

private:
    void write_err(std::string_view text);
    void write_log(std::string_view text);
    void write_diagnostics(const DiagnosticTarget& target, const DiagnosticRun& run);
    // Also prints the diagnostic where all formats go to files.
    void fail_to_write(Diagnostic diagnostic);

    bool color_;
    std::size_t width_;          // of a terminal on standard error, else 0
    bool has_text_ = true;       // diagnostics on standard error are text
    bool has_document_ = false;  // they are a document; nothing else is written there
    std::vector<DiagnosticTarget> targets_;
    std::vector<ShownDiagnostic> diagnosed_;  // each once, for formats other than text
    std::set<std::string> diagnosed_texts_;
    std::string diagnosed_text_;
    bool ready_ = true;
    bool reader_left_ = false;  // whoever read standard output has closed it
    bool log_failed_ = false;
    bool file_failed_ = false;
    bool has_usage_ = false;  // a mistake in the command line
    int log_fd_ = -1;
    std::string log_file_;
    std::unique_ptr<Progress> progress_;
};

// Reads all of standard input.
Result<std::string> read_stdin();

// Returns the value of the variable, or "" if it is not set.
std::string environment(const char* name);

// Returns true for a terminal that can move its cursor.
bool is_terminal(int stream);
bool wants_color(Color color, int stream);
// Returns the width of the terminal in characters: $COLUMNS, or what the terminal says; 0 if the
// stream is not a terminal.
std::size_t terminal_width(int stream);

}  // namespace renderer::cli
