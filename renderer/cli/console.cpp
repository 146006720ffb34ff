#include "renderer/cli/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "renderer/base/descriptor.h"
#include "renderer/base/wrap.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/progress.h"
#include "renderer/cli/report.h"

namespace renderer::cli {
namespace {

std::string reason() {
    return std::generic_category().message(errno);
}

// Breaks lines that are too wide, except for hints with flags, which may be commands to copy.
std::string fitted(std::string_view text, std::size_t width) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string_view line = text.substr(begin, end - begin);
        const bool may_be_command = line.starts_with("  hint: ") && line.find(" --") < line.size();
        out += may_be_command ? std::string(line) : wrapped(line, width, 4);
        begin = end;
    }
    return out;
}

}  // namespace

Console::Console(bool color, const std::string& log_file, std::vector<DiagnosticTarget> targets)
    : color_(color),
      width_(terminal_width(STDERR_FILENO)),
      targets_(std::move(targets)),
      log_file_(log_file) {
    for (const DiagnosticTarget& target : targets_) {
        const bool is_text = target.format == DiagnosticFormat::Text;
        has_document_ = has_document_ || (target.file.empty() && !is_text &&
                                          target.format != DiagnosticFormat::Github);
    }
    has_text_ = targets_.empty() || std::ranges::any_of(targets_, [](const auto& target) {
                    return target.file.empty() && target.format == DiagnosticFormat::Text;
                });
    if (log_file.empty()) {
        return;
    }
    log_fd_ = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log_fd_ < 0) {
        ready_ = false;
        fail_to_write({.rule = "log-file",
                       .where = log_file,
                       .message = fmt::format("cannot open the log file: {}", reason())});
    }
}

Console::~Console() {
    if (log_fd_ >= 0) {
        ::close(log_fd_);
    }
}

void Console::show_progress(std::shared_ptr<const Steps> steps) {
    if (has_document_) {
        return;
    }
    progress_ = std::make_unique<Progress>(
        [steps = std::move(steps)] { return steps->text(); }, std::chrono::seconds(1),
        [](std::string_view line) { (void)write_all(STDERR_FILENO, line); });
}

bool Console::out(std::string_view text) {
    progress_.reset();
    if (write_all(STDOUT_FILENO, text)) {
        return true;
    }
    reader_left_ = errno == EPIPE;  // such as head
    if (!reader_left_) {
        fail_to_write({.rule = "write-failed",
                       .where = "<stdout>",
                       .message = fmt::format("cannot write the output: {}", reason())});
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

// Errors are ignored: if standard error is closed, only the exit code can report anything.
void Console::write_err(std::string_view text) {
    progress_.reset();
    if (has_document_ || reader_left_) {
        return;
    }
    (void)write_all(STDERR_FILENO,
                    fitted(as_lines(text, color_ ? OwnColors::Yes : OwnColors::No), width_));
}

void Console::write_log(std::string_view text) {
    if (log_fd_ >= 0 && !log_failed_ && !write_all(log_fd_, as_lines(text))) {
        log_failed_ = true;
        fail_to_write({.rule = "log-file",
                       .where = log_file_,
                       .message = fmt::format("cannot write the log file: {}", reason())});
    }
}

void Console::diagnose(const std::function<std::vector<ShownDiagnostic>(Look look)>& shown,
                       bool all) {
    std::vector<ShownDiagnostic> plain = shown({});
    const std::string text = diagnostics_text(plain, all);
    if (has_text_) {
        write_err(color_ || width_ > 0 ? diagnostics_text(shown({color_, width_}), all) : text);
    }
    write_log(text);
    has_usage_ = has_usage_ || std::ranges::any_of(plain, [](const ShownDiagnostic& one) {
                     return one.said.rule == "usage";
                 });
    if (targets_.empty()) {
        return;
    }
    diagnosed_text_ += text;
    for (ShownDiagnostic& one : plain) {
        if (diagnosed_texts_.insert(one.text).second) {
            diagnosed_.push_back(std::move(one));
        }
    }
}

void Console::diagnose(Diagnostic diagnostic) {
    Diagnostics one;
    one.add(std::move(diagnostic));
    diagnose([&](Look look) { return shown_diagnostics(one, SourceMap(), look); }, true);
}

void Console::fail_to_write(Diagnostic diagnostic) {
    const bool has_only_files =
        !targets_.empty() && std::ranges::none_of(targets_, [](const DiagnosticTarget& target) {
            return target.file.empty();
        });
    has_text_ = has_text_ || has_only_files;
    diagnose(std::move(diagnostic));
}

void Console::write_diagnostics(const DiagnosticTarget& target, const DiagnosticRun& run) {
    const bool is_text = target.format == DiagnosticFormat::Text;
    const std::string text = is_text ? diagnosed_text_ : formatted_diagnostics(target.format, run);
    if (target.file.empty()) {
        progress_.reset();
        // as_lines would make workflow commands unreadable to GitHub, and they are escaped already.
        (void)write_all(STDERR_FILENO,
                        target.format == DiagnosticFormat::Github ? text : as_lines(text));
        return;
    }
    // In a checkout, whoever made the commit could have made a symbolic link of this name.
    const int links = target.file.starts_with('/') ? 0 : O_NOFOLLOW;
    Descriptor file(target.file, O_WRONLY | O_CREAT | O_TRUNC | links);
    if (file.get() < 0 || !write_all(file.get(), text) || !file.close()) {
        file_failed_ = true;
        fail_to_write({.rule = "write-failed",
                       .where = target.file,
                       .message = fmt::format("cannot write the diagnostics: {}", reason())});
    }
}

int Console::finish(std::string_view verb, int exit_code) {
    const auto code = [&] {
        const int written = log_failed_ || file_failed_ ? kErrors : 0;
        return exit_code_of(exit_code, exit_code_of(written, has_usage_ ? kUsage : 0));
    };
    for (const bool to_file : {true, false}) {
        for (const DiagnosticTarget& target : targets_) {
            if (target.file.empty() == to_file ||
                (!to_file && target.format == DiagnosticFormat::Text)) {
                continue;
            }
            write_diagnostics(target, {verb, code(), diagnosed_});
        }
    }
    return code();
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

std::size_t terminal_width(int stream) {
    if (!is_terminal(stream)) {
        return 0;
    }
    const std::string text = environment("COLUMNS");
    std::size_t columns = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), columns).ec == std::errc() &&
        columns > 0) {
        return columns;
    }
    winsize size = {};
    return ::ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool wants_color(Color color, int stream) {
    return color == Color::Always ||
           (color == Color::Auto && environment("NO_COLOR").empty() && is_terminal(stream));
}

}  // namespace renderer::cli
