#include "runtime/api_proxy/caller_check.h"

#include <utility>

namespace runtime::api_proxy {

using std::chrono::seconds;

namespace {

// Callers are checked again, and what cannot be confirmed ends, within a minute of a change.
constexpr Duration kKnownFor = seconds(5);
constexpr Duration kConfirmEach = seconds(20);
constexpr Duration kUnconfirmed = seconds(45);

}  // namespace

CallerCheck::CallerCheck(Shared& shared, bool is_over_limit, std::function<void()> other_user)
    : shared_(shared), is_over_limit_(is_over_limit), other_user_(std::move(other_user)) {}

void CallerCheck::begin(const AddressPort& source) {
    source_ = source;
    source_text_ = source.address.text();
    if (shared_.places.take(source_text_)) {
        address_place_ = source_text_;
    } else {
        is_over_limit_ = true;
    }
}

void CallerCheck::leave() {
    for (std::string* place : {&address_place_, &user_place_}) {
        if (!place->empty()) {
            shared_.places.give_back(std::exchange(*place, {}));
        }
    }
}

const CallerAnswer* CallerCheck::known() const {
    return shared_.callers.known(*source_, kKnownFor);
}

void CallerCheck::ask(Callers::Done done) {
    shared_.callers.find(*source_, kKnownFor, lifetime_.guarded(std::move(done)));
}

bool CallerCheck::welcome(const CallerAnswer& answer) {
    const bool is_welcome =
        answer.caller != nullptr ? take_place_of(*answer.caller) : !answer.is_known;
    if (!is_welcome) {
        is_over_limit_ = true;
    }
    return is_welcome;
}

bool CallerCheck::take_place_of(const Caller& caller) {
    if (is_over_limit_ || user_place_ == caller.user) {
        return !is_over_limit_;
    }
    other_user_();
    if (!user_place_.empty()) {
        shared_.places.give_back(std::exchange(user_place_, {}));
    }
    if (!shared_.places.take(caller.user)) {
        return false;
    }
    user_place_ = caller.user;
    if (!address_place_.empty()) {
        shared_.places.give_back(std::exchange(address_place_, {}));
    }
    return true;
}

std::optional<Refusal> CallerCheck::accept(const CallerAnswer& answer) {
    Counters& counters = shared_.counters;
    caller_ = answer.caller;
    if (caller_ == nullptr) {
        ++(answer.is_known ? counters.denied : counters.unknown);
        return Refusal{answer.is_known ? 403 : 500,
                       "failed to authenticate the caller: " + answer.problem};
    }
    if (!take_place_of(*caller_)) {
        ++counters.crowded;
        return Refusal{429, "too many connections; try again later"};
    }
    confirmed_ = shared_.loop.uptime() - kKnownFor;
    return std::nullopt;
}

bool CallerCheck::is_confirmation_due() const {
    return !is_confirming_ && shared_.loop.uptime() - confirmed_ >= kConfirmEach;
}

void CallerCheck::confirm(Callers::Done done) {
    is_confirming_ = true;
    ask([this, done = std::move(done)](const CallerAnswer& answer) {
        is_confirming_ = false;
        done(answer);
    });
}

bool CallerCheck::may_go_on(const CallerAnswer& answer) {
    const Duration now = shared_.loop.uptime();
    if (answer.caller != nullptr && still_allows(*answer.caller, *caller_)) {
        confirmed_ = now - kKnownFor;
        return true;
    }
    return !answer.is_known && now - confirmed_ < kUnconfirmed;
}

}  // namespace runtime::api_proxy
