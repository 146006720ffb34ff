// Where a run writes to: standard output (checked, since a short stream is an order to delete what
// is missing from it), standard error, and the log file, which gets what standard error gets but
// without colour. Diagnostics go where `--diagnostics` says, and into the log as text. Where they
// are a document on standard error, nothing else is written there.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/cli/diagnostic_formats.h"
#include "renderer/cli/options.h"
#include "renderer/core/result.h"

namespace renderer {

class Progress;

class Console {
public:
    // An empty log file name means none. Without a target diagnostics are text on standard error.
    Console(bool color, const std::string& log_file, std::vector<DiagnosticTarget> targets = {});
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;
    ~Console();

    [[nodiscard]] bool ready() const { return ready_; }  // false: the log file cannot be opened
    // On standard error, which is a terminal, until something else is written.
    void show_progress();
    // Documents and files for programs, byte for byte. False, with a message on standard error,
    // when not every byte was taken.
    [[nodiscard]] bool out(std::string_view text);
    // The same for text that people read.
    [[nodiscard]] bool show(std::string_view text, OwnColors colors = OwnColors::No);
    void err(std::string_view text);
    void log(std::string_view text) { write_log(text); }  // the log file only
    // Calls make(color) for standard error and make(false) for the log.
    template <typename Make>
    void tell(const Make& make) {
        write_err(make(color_));
        write_log(make(false));
    }
    // What `shown` returns, in colour or not; as text, equal ones are counted unless `all`.
    void diagnose(const std::function<std::vector<ShownDiagnostic>(bool color)>& shown, bool all);
    void diagnose(Diagnostic diagnostic);
    // To be called at the end of a run, whose verb may be unknown. The exit code, or 1 if the
    // log or a file of diagnostics could not be written, or 2 after a mistake in the command line.
    [[nodiscard]] int finish(std::string_view verb, int exit_code);

private:
    void write_err(std::string_view text);
    void write_log(std::string_view text);
    void write_diagnostics(const DiagnosticTarget& target, const DiagnosticRun& run);
    // Also prints the diagnostic where all formats go to files.
    void fail_to_write(Diagnostic diagnostic);

    bool color_;
    bool has_text_ = true;       // diagnostics on standard error are text
    bool has_document_ = false;  // they are one that no line may interrupt
    std::vector<DiagnosticTarget> targets_;
    std::vector<ShownDiagnostic> diagnosed_;  // each once, for formats other than text
    std::set<std::string> diagnosed_texts_;
    std::string diagnosed_text_;
    bool ready_ = true;
    bool log_failed_ = false;
    bool file_failed_ = false;
    bool has_usage_ = false;  // a mistake in the command line
    int log_fd_ = -1;
    std::string log_file_;
    std::unique_ptr<Progress> progress_;
};

// Standard input to its end.
Result<std::string> read_stdin();

// "" for a variable that is not set.
std::string environment(const char* name);

// One that can move its cursor.
bool is_terminal(int stream);
bool wants_color(Color color, int stream);

}  // namespace renderer
