#include "runtime/base/patient_transport.h"

#include <algorithm>
#include <utility>

namespace runtime::inline base {

namespace {

constexpr int kAttempts = 5;
constexpr Duration kLongestWait = std::chrono::seconds(60);
constexpr std::chrono::seconds kUsualWait{1};  // after a 429 without Retry-After

bool is_busy(const HttpReply& reply) {
    return reply.status == 429 || (reply.status == 503 && reply.retry_after.has_value());
}

}  // namespace

PatientTransport::~PatientTransport() {
    while (!open_.empty()) {
        cancel(open_.begin()->first);
    }
    if (timer_) {
        loop_.cancel(*timer_);
    }
}

RequestId PatientTransport::send(HttpRequest request, std::function<void(HttpReply)> done,
                                 std::function<void(std::string_view)> on_data) {
    const RequestId id = next_++;
    open_[id] = {
        .request = std::move(request), .done = std::move(done), .on_data = std::move(on_data)};
    loop_.uptime() < not_before_ ? wait(id) : forward(id);
    return id;
}

void PatientTransport::cancel(RequestId id) {
    const auto exchange = open_.extract(id);
    if (!exchange.empty() && exchange.mapped().sent_as != 0) {
        inner_.cancel(exchange.mapped().sent_as);
    }
}

void PatientTransport::forward(RequestId id) {
    Exchange& exchange = open_.at(id);
    ++exchange.attempts;
    exchange.sent_as = inner_.send(
        exchange.request, [this, id](HttpReply reply) { take(id, std::move(reply)); },
        exchange.on_data);
}

void PatientTransport::wait(RequestId id) {
    waiting_.push_back(id);
    if (!timer_) {
        timer_ = loop_.after(not_before_ - loop_.uptime(), [this] { wake(); });
    }
}

void PatientTransport::wake() {
    timer_.reset();
    const bool is_early = loop_.uptime() < not_before_;
    for (const RequestId id : std::exchange(waiting_, {})) {
        if (open_.contains(id)) {
            is_early ? wait(id) : forward(id);
        }
    }
}

void PatientTransport::take(RequestId id, HttpReply reply) {
    Exchange& exchange = open_.at(id);
    exchange.sent_as = 0;
    if (is_busy(reply)) {
        const Duration delay =
            std::min<Duration>(reply.retry_after.value_or(kUsualWait), kLongestWait);
        not_before_ = std::max(not_before_, loop_.uptime() + delay);
    }
    if (reply.status == 429 && exchange.attempts < kAttempts) {
        return wait(id);
    }
    const auto done = std::move(exchange.done);
    open_.erase(id);
    done(std::move(reply));
}

}  // namespace runtime::inline base
