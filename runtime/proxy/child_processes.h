// Starts programs, and reaps every process that ends. PID 1 of a container also has to reap
// processes whose parent has exited.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/loop.h"

namespace runtime::proxy {

// How a program ended.
struct Ending {
    int code = 0;    // the exit code; 128 + signal if a signal ended it
    int signal = 0;  // 0: it exited by itself

    [[nodiscard]] std::string text() const;
};

class ChildProcesses {
public:
    // A process may have only one. The loop outlives it.
    explicit ChildProcesses(Loop& loop);
    ~ChildProcesses();
    ChildProcesses(const ChildProcesses&) = delete;
    ChildProcesses& operator=(const ChildProcesses&) = delete;

    // Call it before the first child and before any thread: it blocks SIGCHLD and reads it from a
    // file descriptor.
    renderer::Result<renderer::Unit> start();

    // Starts a program from PATH in a process group of its own, with this process's environment and
    // `more` ("NAME=value"). `ended` is called once, later.
    renderer::Result<pid_t> spawn(const std::string& program,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& more,
                                  std::function<void(Ending)> ended);
    // Sends a signal to a child; does nothing if it has ended.
    void send(pid_t child, int signal);

private:
    void reap();

    Loop& loop_;
    int signals_ = -1;
    std::map<pid_t, std::function<void(Ending)>> children_;
};

}  // namespace runtime::proxy
