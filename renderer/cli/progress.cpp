#include "renderer/cli/progress.h"

#include <fmt/format.h>

#include <utility>

namespace renderer::cli {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";

}  // namespace

Progress::Progress(What what, std::chrono::milliseconds second, Write write)
    : what_(std::move(what)), write_(std::move(write)), thread_([this, second] { run(second); }) {}

Progress::~Progress() {
    {
        const std::scoped_lock lock(mutex_);
        stopped_ = true;
    }
    stopping_.notify_one();
    thread_.join();
    if (shown_) {
        write_(kClearLine);
    }
}

void Progress::run(std::chrono::milliseconds second) {
    std::unique_lock lock(mutex_);
    for (int seconds = 1; !stopping_.wait_for(lock, second, [this] { return stopped_; });
         ++seconds) {
        write_(fmt::format("{}{}, {} s", kClearLine, what_(), seconds));
        shown_ = true;
    }
}

}  // namespace renderer::cli
