// Programs that this process starts, and what PID 1 of a container owes to all others: that what
// has ended is reaped, also when its parent is gone.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/loop.h"

namespace runtime {

// How a program ended.
struct Ending {
    int code = 0;    // of exit; 128 + signal when one ended it
    int signal = 0;  // 0: it ended by itself

    [[nodiscard]] std::string text() const;
};

class ChildProcesses {
public:
    // There is one of these in a process. The loop outlives it.
    explicit ChildProcesses(Loop& loop);
    ~ChildProcesses();
    ChildProcesses(const ChildProcesses&) = delete;
    ChildProcesses& operator=(const ChildProcesses&) = delete;

    // Before the first child, and before any thread: SIGCHLD comes as something to read.
    renderer::Result<renderer::Unit> start();

    // From PATH, in a process group of its own, with our environment and `more` ("NAME=value").
    // `ended` is called once, later.
    renderer::Result<pid_t> spawn(const std::string& program,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& more,
                                  std::function<void(Ending)> ended);
    // Nothing happens when it has ended.
    void send(pid_t child, int signal);

private:
    void reap();

    Loop& loop_;
    int signals_ = -1;
    std::map<pid_t, std::function<void(Ending)>> children_;
};

}  // namespace runtime
