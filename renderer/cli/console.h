// Where a run writes to: standard output (checked, since a short stream is an order to delete what
// is missing from it), standard error, and the log file, which gets what standard error gets but
// without colour.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "renderer/base/printable.h"
#include "renderer/cli/options.h"
#include "renderer/core/result.h"

namespace renderer {

class Progress;

class Console {
public:
    // An empty log file name means none.
    Console(bool color, const std::string& log_file);
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
    // The exit code, or 1 when the log could not be written.
    [[nodiscard]] int finish(int exit_code);

private:
    void write_err(std::string_view text);
    void write_log(std::string_view text);

    bool color_;
    bool ready_ = true;
    bool log_failed_ = false;
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
