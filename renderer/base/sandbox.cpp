#include "renderer/base/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace renderer {

namespace {

constexpr std::size_t kErrorBytes = std::size_t{64} << 10U;
constexpr int kCannotStart = 127;
constexpr rlim_t kMemory = rlim_t{2} << 30U;

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// socket(2) fails with EACCES, also through another architecture's numbers: those end the program.
bool deny_network() {
    constexpr unsigned kNumber = offsetof(seccomp_data, nr);
    constexpr unsigned kArch = offsetof(seccomp_data, arch);
    constexpr unsigned kX32 = 0x40000000;  // a third set of numbers, on x86_64
    std::array<sock_filter, 9> filter = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog program = {.len = static_cast<unsigned short>(filter.size()),
                                .filter = filter.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool limit(int resource, rlim_t most) {
    const rlimit both = {.rlim_cur = most, .rlim_max = most};
    return ::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

// Only what may be called between fork and exec.
[[noreturn]] void become(char* const* arguments, char* const* environment, const char* directory,
                         int out, int err, rlim_t seconds) {
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool ready = null >= 0 && ::dup2(null, STDIN_FILENO) >= 0 &&
                       ::dup2(out, STDOUT_FILENO) >= 0 && ::dup2(err, STDERR_FILENO) >= 0 &&
                       ::setpgid(0, 0) == 0 && ::chdir(directory) == 0 && limit(RLIMIT_FSIZE, 0) &&
                       limit(RLIMIT_CORE, 0) && limit(RLIMIT_DATA, kMemory) &&
                       limit(RLIMIT_CPU, seconds) && deny_network();
    if (ready) {
        ::execve(arguments[0], arguments, environment);
    }
    ::_exit(kCannotStart);
}

struct Pipe {
    std::array<int, 2> ends = {-1, -1};
    Pipe() { (void)::pipe2(ends.data(), O_CLOEXEC); }
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

// False at the end of the stream. What is more than `most` is dropped.
bool take(int fd, std::string& text, std::size_t most) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0) {
        return errno == EINTR;
    }
    text.append(buffer.data(), std::min(static_cast<std::size_t>(count), most - text.size()));
    return count > 0;
}

// Why the program must be ended; "" when both streams have ended.
std::string_view collect(Pipe& out, Pipe& err, const SandboxLimits& limits, SandboxRun& run) {
    const auto deadline = std::chrono::steady_clock::now() + limits.time;
    std::array<pollfd, 2> streams = {{{.fd = out.ends[0], .events = POLLIN, .revents = 0},
                                      {.fd = err.ends[0], .events = POLLIN, .revents = 0}}};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return "it took too long";
        }
        if (::poll(streams.data(), streams.size(), static_cast<int>(left.count())) < 0 &&
            errno != EINTR) {
            return "its output cannot be read";
        }
        if (streams[0].revents != 0 && !take(streams[0].fd, run.output, limits.output_bytes)) {
            streams[0].fd = -1;
        }
        if (streams[1].revents != 0 && !take(streams[1].fd, run.errors, kErrorBytes)) {
            streams[1].fd = -1;
        }
        if (run.output.size() == limits.output_bytes) {
            return "it printed too much";
        }
    }
    return {};
}

}  // namespace

SandboxRun run_in_sandbox(const std::vector<std::string>& arguments, const std::string& directory,
                          const SandboxLimits& limits) {
    std::vector<std::string> copies = arguments;
    std::vector<char*> argv;
    argv.reserve(copies.size() + 1);
    for (std::string& argument : copies) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    std::string home = "HOME=" + directory;
    std::array<char*, 2> environment = {home.data(), nullptr};
    SandboxRun run;
    Pipe out;
    Pipe err;
    const pid_t child = out.ends[0] < 0 || err.ends[0] < 0 ? -1 : ::fork();
    if (child < 0) {
        run.refusal = std::strerror(errno);
        return run;
    }
    if (child == 0) {
        become(argv.data(), environment.data(), directory.c_str(), out.ends[1], err.ends[1],
               static_cast<rlim_t>(limits.time.count()));
    }
    out.close(1);
    err.close(1);
    run.refusal = collect(out, err, limits, run);
    if (!run.refusal.empty()) {
        ::kill(-child, SIGKILL);
        ::kill(child, SIGKILL);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (run.exit_code == kCannotStart && run.errors.empty() && run.refusal.empty()) {
        run.refusal = "it cannot be started";
    }
    return run;
}

}  // namespace renderer
