#include "runtime/api_proxy/recorder_turns.h"

#include <fmt/format.h>

#include <utility>

namespace runtime::api_proxy {

namespace {

constexpr Duration kAll = std::chrono::seconds(30);

}  // namespace

RecorderTurns::RecorderTurns(std::vector<std::string> addresses, Duration now)
    : addresses_(std::move(addresses)), give_up_(now + kAll) {}

std::optional<AddressPort> RecorderTurns::next(Duration now) {
    const auto to = addresses_.empty() ? std::nullopt : AddressPort::parse(addresses_.front());
    if (!to || is_over(now)) {
        return std::nullopt;
    }
    address_ = addresses_.front();
    addresses_.erase(addresses_.begin());
    return to;
}

std::string RecorderTurns::told_of(std::string_view problem) const {
    return fmt::format("recorder {}: {}", address_, problem);
}

void RecorderTurns::give_up(std::string_view problem) {
    problems_.append(problems_.empty() ? "" : "; ").append(told_of(problem));
}

std::string RecorderTurns::problems() const {
    return problems_.empty() ? "there is no recorder" : problems_;
}

}  // namespace runtime::api_proxy
