// What comes before a request is sent to the API server: its caller is identified and authorized,
// and it is reported to a recorder. Later, whether its caller is still authorized.
#include <fmt/format.h>

#include <utility>

#include "runtime/api_proxy/session.h"

namespace runtime::api_proxy {

using std::chrono::seconds;

namespace {

// Callers are checked again, and what cannot be confirmed ends, within a minute of a change.
constexpr Duration kKnownFor = seconds(5);
constexpr Duration kConfirmEach = seconds(20);
constexpr Duration kUnconfirmed = seconds(45);

constexpr Duration kRoomWithin = std::chrono::minutes(2);  // for room in memory
constexpr Duration kBodyWithin = seconds(30);              // after that

}  // namespace

void Session::identify() {
    if (const CallerAnswer* known = shared_.callers.known(*source_, kKnownFor)) {
        const CallerAnswer answer = *known;
        return on_caller(answer);
    }
    shared_.callers.find(*source_, kKnownFor, lifetime_.guarded([this](const CallerAnswer& answer) {
        on_caller(answer);
        settle();
    }));
}

// Called as soon as the address of a connection is known, so that silent connections count for
// their user too. A caller whom the tailnet does not know, or whose grant is malformed, gets that
// answer if it sends a request soon.
void Session::ask_for_owner() {
    shared_.callers.find(*source_, kKnownFor, lifetime_.guarded([this](const CallerAnswer& answer) {
        if (state_ != State::Head || !user_place_.empty()) {
            return;
        }
        const bool is_welcome =
            answer.caller != nullptr ? take_places(*answer.caller) : !answer.is_known;
        if (!is_welcome) {
            is_over_limit_ = true;
            expect_head();
        }
        settle();
    }));
}

bool Session::take_places(const Caller& caller) {
    if (is_over_limit_ || user_place_ == caller.user) {
        return !is_over_limit_;
    }
    // The connection to the API server belongs to another user.
    link_.close();
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

std::optional<Refusal> Session::judge(const CallerAnswer& answer) {
    Counters& counters = shared_.counters;
    if (answer.caller == nullptr) {
        ++(answer.is_known ? counters.denied : counters.unknown);
        return Refusal{answer.is_known ? 403 : 500,
                       "failed to authenticate the caller: " + answer.problem};
    }
    if (!take_places(*answer.caller)) {
        ++counters.crowded;
        return Refusal{429, "too many connections; try again later"};
    }
    return std::nullopt;
}

void Session::on_caller(const CallerAnswer& answer) {
    if (state_ != State::Identify) {
        return;
    }
    caller_ = answer.caller;
    if (const auto refusal = judge(answer)) {
        return refuse(*refusal);
    }
    if (const auto refusal = recording_.plan(request_, caller_)) {
        ++shared_.counters.denied;
        return refuse(*refusal);
    }
    confirmed_ = shared_.loop.uptime() - kKnownFor;
    std::optional<Impersonation> as;
    if (shared_.upstream.shows_token()) {
        auto token = shared_.upstream.token();
        if (!token) {
            return unreachable(token.error().diagnostic.message);
        }
        as.emplace(Impersonation{*caller_, *token});
    }
    out_head_ = upstream_head(request_, as, source_text_, recording_.is_planned());
    if (caller_->grants.records_events && !caller_->grants.recorders.empty()) {
        return start_event();
    }
    go_on();
}

void Session::go_on() {
    if (recording_.is_planned()) {
        state_ = State::Record;
        return recording_.start();
    }
    state_ = State::Connect;
    go_upstream();
}

void Session::confirm() {
    const Duration since = shared_.loop.uptime() - confirmed_;
    if (since < kConfirmEach || is_confirming_) {
        return;
    }
    is_confirming_ = true;
    shared_.callers.find(*source_, kKnownFor, lifetime_.guarded([this](const CallerAnswer& answer) {
        on_confirmed(answer);
        settle();
    }));
}

void Session::on_confirmed(const CallerAnswer& answer) {
    is_confirming_ = false;
    if (state_ != State::Exchange && state_ != State::Tunnel && state_ != State::Collect) {
        return;
    }
    if (answer.caller != nullptr && still_allows(*answer.caller, *caller_)) {
        confirmed_ = shared_.loop.uptime() - kKnownFor;
    } else if (answer.is_known || shared_.loop.uptime() - confirmed_ >= kUnconfirmed) {
        ++shared_.counters.withdrawn;
        end("the caller's grants do not allow it any more");
    }
}

void Session::start_event() {
    ++shared_.counters.events;
    const EventReport::Plan plan = EventReport::plan(request_);
    if (!plan.problem.empty()) {
        return on_event(plan.problem, "");
    }
    if (!plan.has_body) {
        return send_event();
    }
    state_ = State::Collect;
    set_deadline(kRoomWithin);
    report_.wait_for_room(caller_->user, request_.body, [this] {
        set_deadline(kBodyWithin);
        if (request_.has_expectation && in_.empty()) {
            request_.has_expectation = false;  // do not forward the API server's own
            send_client("HTTP/1.1 100 Continue\r\n\r\n");
        }
        if (!is_ended()) {
            collect_body();
        }
        settle();
    });
}

// The bytes also stay in in_, for the API server.
void Session::collect_body() {
    const EventReport::Collected collected = report_.collect(in_);
    if (collected.fault) {
        return refuse_fault(*collected.fault);
    }
    if (collected.is_too_large) {
        return on_event(std::string(kBodyTooLarge), "");
    }
    if (collected.is_whole) {
        send_event();
    }
}

void Session::send_event() {
    state_ = State::Event;
    deadline_.reset();
    report_.send(request_, *caller_,
                 [this](const std::string& problem, const std::string& address) {
                     on_event(problem, address);
                     settle();
                 });
}

void Session::on_event(const std::string& problem, const std::string& address) {
    deadline_.reset();
    report_.end();
    if (problem.empty()) {
        return go_on();
    }
    ++shared_.counters.events_failed;
    shared_.log.warning("a request cannot be recorded: " + problem);
    if (caller_->grants.enforces_recorder) {
        ++shared_.counters.denied;
        const bool is_theirs = address.empty();  // not the problem of a recorder
        return refuse(
            {403, fmt::format("your grant of \"{}\" requires this to be recorded "
                              "(enforceRecorder): {}",
                              kCapability, is_theirs ? problem : "no recorder accepts it")});
    }
    go_on();
}

}  // namespace runtime::api_proxy
