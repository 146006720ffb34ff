// The line on a terminal that says that a long run goes on. It is rewritten once a second, from the
// first full second on, and taken away at the end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace renderer {

class Progress {
public:
    using Write = std::function<void(std::string_view)>;

    // `write` is called by another thread, and at last by the one that stops: never by both at
    // once.
    Progress(std::string what, std::chrono::milliseconds second, Write write);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  // nothing is left of the line, and nothing is written any more

private:
    void run(std::chrono::milliseconds second);

    std::string what_;
    Write write_;
    std::mutex mutex_;
    std::condition_variable stopping_;
    bool stopped_ = false;
    bool shown_ = false;
    std::thread thread_;
};

}  // namespace renderer
