#include "renderer/base/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <thread>

namespace renderer::inline base {

namespace {

constexpr std::size_t kErrorBytes = std::size_t{64} << 10U;
constexpr int kCannotStart = 127;
constexpr rlim_t kMemory = rlim_t{2} << 30U;

bool limit(int resource, rlim_t most) {
    const rlimit both = {.rlim_cur = most, .rlim_max = most};
    return ::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

struct Start {
    char* const* arguments;
    char* const* environment;
    const char* directory;
    int out, err;
    pid_t parent;
    rlim_t file_bytes;
    Confinement& confinement;
};

// Runs between vfork and exec, in the memory of the parent, so it makes system calls and nothing
// else. The program dies with the thread that waits for it.
[[noreturn]] void become(const Start& start) {
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool ready =
        ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == start.parent && null >= 0 &&
        ::dup2(null, STDIN_FILENO) >= 0 && ::dup2(start.out, STDOUT_FILENO) >= 0 &&
        ::dup2(start.err, STDERR_FILENO) >= 0 && ::setsid() >= 0 && ::chdir(start.directory) == 0 &&
        limit(RLIMIT_FSIZE, start.file_bytes) && limit(RLIMIT_CORE, 0) &&
        limit(RLIMIT_DATA, kMemory) && start.confinement.apply();
    if (ready) {
        // Kernels before 5.9 do not have this call; descriptors that the user's shell left open
        // stay open there.
        (void)::close_range(STDERR_FILENO + 1, ~0U, 0);
        ::execve(start.arguments[0], start.arguments, start.environment);
    }
    ::_exit(kCannotStart);
}

// Starts the program with vfork, because fork copies the page tables of this process, which may
// have read a large tree. Signal handlers would also run in the child, but this process has none.
pid_t begin(const Start& start) {
    const pid_t child = ::vfork();
    if (child == 0) {
        become(start);
    }
    return child;
}

struct Pipe {
    std::array<int, 2> ends = {-1, -1};
    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            ends = {-1, -1};
        }
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close(0);
        close(1);
    }
    void close(std::size_t end) {
        if (ends.at(end) >= 0) {
            ::close(ends.at(end));
            ends.at(end) = -1;
        }
    }
};

// Returns false at the end of the stream. Output beyond `most` is dropped.
bool take(int fd, std::string& text, std::size_t most) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0) {
        return errno == EINTR;
    }
    text.append(buffer.data(), std::min(static_cast<std::size_t>(count), most - text.size()));
    return count > 0;
}

using Deadline = std::chrono::steady_clock::time_point;

constexpr std::string_view kTooLong = "it took too long";
constexpr std::string_view kNoLandlock = "this kernel has no Landlock to confine it";

// Returns why the program must be stopped; "" if both streams have ended.
std::string_view collect(Pipe& out, Pipe& err, Deadline deadline, std::size_t most,
                         SandboxRun& run) {
    std::array<pollfd, 2> streams = {{{.fd = out.ends[0], .events = POLLIN, .revents = 0},
                                      {.fd = err.ends[0], .events = POLLIN, .revents = 0}}};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return kTooLong;
        }
        if (::poll(streams.data(), streams.size(), static_cast<int>(left.count())) < 0 &&
            errno != EINTR) {
            return "its output cannot be read";
        }
        if (streams[0].revents != 0 && !take(streams[0].fd, run.output, most)) {
            streams[0].fd = -1;
        }
        if (streams[1].revents != 0 && !take(streams[1].fd, run.errors, kErrorBytes)) {
            streams[1].fd = -1;
        }
        if (run.output.size() == most) {
            return "it printed too much";
        }
    }
    return {};
}

// Waits for the program, which may continue after its streams have ended.
bool has_ended(pid_t child, Deadline deadline, int& status) {
    constexpr std::chrono::microseconds kLongest{1000};
    std::chrono::microseconds pause{10};
    pid_t ended = 0;
    while ((ended = ::waitpid(child, &status, WNOHANG)) == 0 &&
           std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, kLongest);
    }
    return ended == child;
}

void end(pid_t child, int& status) {
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        all.push_back(text.data());
    }
    all.push_back(nullptr);
    return all;
}

}  // namespace

SandboxRun run_in_sandbox(SandboxProgram program, const SandboxLimits& limits) {
    SandboxRun run;
    if ((program.rights.changes_files || program.rights.port != 0) && !keeps_files_apart()) {
        run.refusal = kNoLandlock;
        return run;
    }
    const std::vector<char*> arguments = pointers(program.arguments);
    program.environment.emplace_back("HOME=/nonexistent");
    const std::vector<char*> environment = pointers(program.environment);
    Confinement confinement(program.arguments.front(), program.rights);
    Pipe out;
    Pipe err;
    const Start start{arguments.data(),  environment.data(), program.rights.directory.c_str(),
                      out.ends[1],       err.ends[1],        ::getpid(),
                      limits.file_bytes, confinement};
    const pid_t child = out.ends[0] < 0 || err.ends[0] < 0 ? -1 : begin(start);
    if (child < 0) {
        run.refusal = std::strerror(errno);
        return run;
    }
    out.close(1);
    err.close(1);
    const Deadline deadline = std::chrono::steady_clock::now() + limits.time;
    run.refusal = collect(out, err, deadline, limits.output_bytes, run);
    int status = 0;
    if (!run.refusal.empty()) {
        end(child, status);
    } else if (!has_ended(child, deadline, status)) {
        run.refusal = kTooLong;
        end(child, status);
    }
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (run.exit_code == kCannotStart && run.errors.empty() && run.refusal.empty()) {
        run.refusal = "it cannot be started";
    } else if (WIFSIGNALED(status) && run.refusal.empty()) {
        run.refusal = fmt::format("it was ended by signal {}", WTERMSIG(status));
    }
    return run;
}

}  // namespace renderer::inline base
