#include "runtime/proxy/child_processes.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace runtime::proxy {

namespace {

struct Attributes {
    Attributes() { posix_spawnattr_init(&value); }
    ~Attributes() { posix_spawnattr_destroy(&value); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;

    posix_spawnattr_t value;
};

sigset_t only_child_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    std::transform(texts.begin(), texts.end(), std::back_inserter(out),
                   [](std::string& text) { return text.data(); });
    out.push_back(nullptr);
    return out;
}

renderer::Error process_failure(std::string_view what, int code) {
    return {{.rule = "cannot-start", .message = fmt::format("{}: {}", what, std::strerror(code))}};
}

}  // namespace

std::string Ending::text() const {
    return signal != 0 ? fmt::format("signal: {}", strsignal(signal))
                       : fmt::format("exit status {}", code);
}

ChildProcesses::ChildProcesses(Loop& loop) : loop_(loop) {}

ChildProcesses::~ChildProcesses() {
    if (signals_ >= 0) {
        loop_.watch(signals_, {}, nullptr);
        static_cast<void>(close(signals_));
    }
}

renderer::Result<renderer::Unit> ChildProcesses::start() {
    const sigset_t set = only_child_signals();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals_ < 0) {
        return process_failure("cannot wait for children", errno);
    }
    loop_.watch(signals_, {.read = true}, [this](Interest) { reap(); });
    return renderer::Unit{};
}

renderer::Result<pid_t> ChildProcesses::spawn(const std::string& program,
                                              const std::vector<std::string>& arguments,
                                              const std::vector<std::string>& more,
                                              std::function<void(Ending)> ended) {
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        environment.emplace_back(*variable);
    }
    environment.insert(environment.end(), more.begin(), more.end());

    Attributes attributes;
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes.value, &none);
    posix_spawnattr_setsigdefault(&attributes.value, &all);
    posix_spawnattr_setpgroup(&attributes.value, 0);
    posix_spawnattr_setflags(
        &attributes.value, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int code = posix_spawnp(&child, program.c_str(), nullptr, &attributes.value,
                                  pointers_to(words).data(), pointers_to(environment).data());
    if (code != 0) {
        return process_failure(fmt::format("exec: \"{}\"", program), code);
    }
    children_.emplace(child, std::move(ended));
    return child;
}

void ChildProcesses::send(pid_t child, int signal) {
    if (children_.contains(child)) {  // not reaped yet, so the kernel has not reused its pid
        static_cast<void>(kill(child, signal));
    }
}

void ChildProcesses::reap() {
    signalfd_siginfo info;
    while (read(signals_, &info, sizeof info) > 0) {
    }
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
        auto child = children_.extract(ended);
        if (child.empty()) {
            continue;  // an adopted process
        }
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        child.mapped()(
            {.code = signal != 0 ? 128 + signal : WEXITSTATUS(status), .signal = signal});
    }
}

}  // namespace runtime::proxy
