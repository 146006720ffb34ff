#include "renderer/cli/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include "renderer/base/descriptor.h"
#include "renderer/cli/progress.h"

namespace renderer {
namespace {

std::string reason() {
    return std::generic_category().message(errno);
}

}  // namespace

Console::Console(bool color, const std::string& log_file) : color_(color), log_file_(log_file) {
    if (log_file.empty()) {
        return;
    }
    log_fd_ = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log_fd_ < 0) {
        ready_ = false;
        write_err(fmt::format("{}: error: cannot open the log file: {} [log-file]\n", log_file,
                              reason()));
    }
}

Console::~Console() {
    if (log_fd_ >= 0) {
        ::close(log_fd_);
    }
}

void Console::show_progress() {
    progress_ = std::make_unique<Progress>(
        "working", std::chrono::seconds(1),
        [](std::string_view line) { (void)write_all(STDERR_FILENO, line); });
}

bool Console::out(std::string_view text) {
    progress_.reset();
    if (write_all(STDOUT_FILENO, text)) {
        return true;
    }
    if (errno != EPIPE) {  // else who reads it wants no more, as head does
        err(fmt::format("<stdout>: error: cannot write the output: {} [write-failed]\n", reason()));
    }
    return false;
}

bool Console::show(std::string_view text, OwnColors colors) {
    return out(as_lines(text, colors));
}

void Console::err(std::string_view text) {
    write_err(text);
    write_log(text);
}

// No one is left to be told when standard error is closed; the exit code still says it.
void Console::write_err(std::string_view text) {
    progress_.reset();
    (void)write_all(STDERR_FILENO, as_lines(text, color_ ? OwnColors::Yes : OwnColors::No));
}

void Console::write_log(std::string_view text) {
    if (log_fd_ >= 0 && !log_failed_ && !write_all(log_fd_, as_lines(text))) {
        log_failed_ = true;
        write_err(fmt::format("{}: error: cannot write the log file: {} [log-file]\n", log_file_,
                              reason()));
    }
}

int Console::finish(int exit_code) {
    return exit_code == 0 && log_failed_ ? 1 : exit_code;
}

Result<std::string> read_stdin() {
    std::string text;
    if (!read_all(STDIN_FILENO, text)) {
        return Error{
            {.rule = "unreadable", .where = "<stdin>", .message = "cannot read standard input"}};
    }
    return text;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_terminal(int stream) {
    return environment("TERM") != "dumb" && ::isatty(stream) == 1;
}

bool wants_color(Color color, int stream) {
    return color == Color::Always ||
           (color == Color::Auto && environment("NO_COLOR").empty() && is_terminal(stream));
}

}  // namespace renderer
