// What comes before a request is sent to the API server: its caller is identified and authorized,
// and it is reported to a recorder. Later, whether its caller is still authorized.
#include <fmt/format.h>

#include <utility>

#include "runtime/api_proxy/session.h"

namespace runtime::api_proxy {

using std::chrono::seconds;

namespace {

constexpr Duration kRoomWithin = std::chrono::minutes(2);  // for room in memory
constexpr Duration kBodyWithin = seconds(30);              // after that

}  // namespace

void Session::identify() {
    if (const CallerAnswer* known = check_.known()) {
        const CallerAnswer answer = *known;
        return on_caller(answer);
    }
    check_.ask([this](const CallerAnswer& answer) {
        on_caller(answer);
        settle();
    });
}

// Called as soon as the address of a connection is known.
void Session::ask_for_owner() {
    check_.ask([this](const CallerAnswer& answer) {
        if (state_ != State::Head || check_.has_user()) {
            return;
        }
        if (!check_.welcome(answer)) {
            expect_head();
        }
        settle();
    });
}

void Session::on_caller(const CallerAnswer& answer) {
    if (state_ != State::Identify) {
        return;
    }
    if (const auto refusal = check_.accept(answer)) {
        return refuse(*refusal);
    }
    if (const auto refusal = recording_.plan(request_.head, check_.caller())) {
        ++shared_.counters.denied;
        return refuse(*refusal);
    }
    std::optional<Impersonation> as;
    if (shared_.upstream.shows_token()) {
        auto token = shared_.upstream.token();
        if (!token) {
            return unreachable(token.error().diagnostic.message);
        }
        as.emplace(Impersonation{caller(), *token});
    }
    request_.for_upstream =
        upstream_head(request_.head, as, check_.source(), recording_.is_planned());
    if (caller().grants.records_events && !caller().grants.recorders.empty()) {
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
    if (check_.is_confirmation_due()) {
        check_.confirm([this](const CallerAnswer& answer) {
            on_confirmed(answer);
            settle();
        });
    }
}

void Session::on_confirmed(const CallerAnswer& answer) {
    if (state_ != State::Exchange && state_ != State::Tunnel && state_ != State::Collect) {
        return;
    }
    if (!check_.may_go_on(answer)) {
        ++shared_.counters.withdrawn;
        end("the caller's grants do not allow it any more");
    }
}

void Session::start_event() {
    ++shared_.counters.events;
    const EventReport::Plan plan = EventReport::plan(request_.head);
    if (!plan.problem.empty()) {
        return on_event(plan.problem, "");
    }
    if (!plan.has_body) {
        return send_event();
    }
    state_ = State::Collect;
    set_deadline(kRoomWithin);
    report_.wait_for_room(caller().user, request_.head.body, [this] {
        set_deadline(kBodyWithin);
        if (request_.head.has_expectation && client_.unread().empty()) {
            request_.head.has_expectation = false;  // do not forward the API server's own
            send_client("HTTP/1.1 100 Continue\r\n\r\n");
        }
        if (!is_ended()) {
            collect_body();
        }
        settle();
    });
}

// The bytes also stay unread, for the API server.
void Session::collect_body() {
    const EventReport::Collected collected = report_.collect(client_.unread());
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
    report_.send(request_.head, caller(),
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
    if (caller().grants.enforces_recorder) {
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
