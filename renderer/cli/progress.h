// Shows on a terminal that a long run is still working. The line is rewritten once a second, from
// the first full second on, and removed at the end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace renderer::cli {

class Progress {
public:
    using What = std::function<std::string()>;
    using Write = std::function<void(std::string_view)>;

    // `what` and `write` are called by another thread, and `write` finally by the destructor, but
    // never by both at the same time.
    Progress(What what, std::chrono::milliseconds second, Write write);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  // removes the line; `write` is not called any more

private:
    void run(std::chrono::milliseconds second);

    What what_;
    Write write_;
    std::mutex mutex_;
    std::condition_variable stopping_;
    bool stopped_ = false;
    bool shown_ = false;
    std::thread thread_;
};

}  // namespace renderer::cli
