#include "renderer/base/steps.h"

#include <fmt/format.h>

#include <utility>

namespace renderer::inline base {

void Steps::enter(std::string part) {
    const std::scoped_lock lock(mutex_);
    part_ = std::move(part);
}

void Steps::begin(std::string_view what, std::size_t count) {
    const std::scoped_lock lock(mutex_);
    if (what != what_ || done_ == count_) {
        what_ = what;
        done_ = 0;
        count_ = 0;
    }
    count_ += count;
}

void Steps::done() {
    const std::scoped_lock lock(mutex_);
    ++done_;
}

std::string Steps::text() const {
    const std::scoped_lock lock(mutex_);
    return fmt::format("{}{}{}{}", part_, part_.empty() ? "" : ": ",
                       what_.empty() ? "working" : what_,
                       count_ == 0 ? "" : fmt::format(", {} of {}", done_, count_));
}

}  // namespace renderer::inline base
