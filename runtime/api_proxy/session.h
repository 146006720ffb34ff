// A client's connection, and its own connection to the API server: from the PROXY header to the end
// of the last response. Requests are handled one after another. Each is authorized by what
// tailscaled says about its caller, a long one again every 20 seconds. Bytes are forwarded as they
// come, and none are read before the previous ones were sent: at most 64 KiB wait on each side,
// except for a body that is reported to recorders.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/api_proxy/caller_check.h"
#include "runtime/api_proxy/client_link.h"
#include "runtime/api_proxy/current_request.h"
#include "runtime/api_proxy/event_report.h"
#include "runtime/api_proxy/head.h"
#include "runtime/api_proxy/proxy_header.h"
#include "runtime/api_proxy/response.h"
#include "runtime/api_proxy/rewrite.h"
#include "runtime/api_proxy/session_recording.h"
#include "runtime/api_proxy/shared.h"
#include "runtime/api_proxy/upstream_link.h"
#include "runtime/base/weakly.h"

namespace runtime::api_proxy {

inline constexpr Duration kHalfClosed = std::chrono::minutes(1);  // without a byte

class Session {
public:
    // `shared` must outlive it. `ended` is called once, and must not destroy the session.
    Session(Shared& shared, Stream client, bool is_over_limit, std::function<void()> ended);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void start();
    void tick();   // every second: deadlines, and whether the caller is still allowed
    void drain();  // ends when no request is in progress
    void end(std::string_view why);
    // Since when a session without a request is silent (uptime). No value with a request.
    [[nodiscard]] std::optional<Duration> silent_since() const;

private:
    enum class State : std::uint8_t {
        ProxyHeader,
        Head,      // reading the head of the next request
        Identify,  // identifying its caller
        Collect,   // reading a body for a recorder
        Event,     // reporting the request to a recorder
        Record,    // waiting for a recorder
        Connect,   // connecting to the API server
        Exchange,
        Tunnel,
        Linger,  // sending the last response
        Ended
    };

    // The client's side, in session.cpp.
    void process_input();
    void on_client_sent();
    void on_client_end();
    void take_proxy_header();
    void expect_head();
    void take_head();
    void take_request();
    void forward_body();
    void refuse_fault(Fault fault);
    void refuse(const Refusal& refusal);
    void linger();
    void on_deadline();
    void send_client(std::string_view bytes);
    void audit(std::string_view what, int status);
    [[nodiscard]] bool wants_client_bytes() const;

    // The caller, in session_request.cpp.
    void identify();
    void on_caller(const CallerAnswer& answer);
    [[nodiscard]] const Caller& caller() const { return *check_.caller(); }  // of the request
    void ask_for_owner();
    void go_on();
    void confirm();
    void on_confirmed(const CallerAnswer& answer);

    // The API server's side, in session_exchange.cpp.
    void go_upstream();
    void begin_exchange();
    [[nodiscard]] bool wants_upstream_bytes() const;
    void on_upstream_sent();
    void on_upstream_end(bool is_clean);
    void process_upstream(std::string_view bytes);
    std::size_t take_response_head(std::string_view bytes);
    void take_response();
    void begin_tunnel();
    void send_tunnel();
    void finish_exchange();
    void send_upstream(std::string_view bytes);
    void unreachable(std::string_view why);

    // The event for recorders, in session_request.cpp.
    void start_event();
    void collect_body();
    void send_event();
    void on_event(const std::string& problem, const std::string& address);

    // The recording, in session_exchange.cpp.
    void on_recorder(bool is_accepted);
    void refuse_unrecorded();
    [[nodiscard]] bool speaks_too_early() const;
    bool record(std::string_view bytes, bool is_client);
    void on_recording_stopped();

    // Used by all of them.
    void settle();  // updates what is watched
    void set_deadline(Duration from_now) { deadline_ = shared_.loop.uptime() + from_now; }
    [[nodiscard]] bool is_ended() const { return state_ == State::Ended; }

    Shared& shared_;
    std::function<void()> ended_;
    State state_ = State::ProxyHeader;
    std::optional<Duration> deadline_;  // uptime
    bool is_draining_ = false;

    ClientLink client_;
    Duration heard_ = {};   // uptime of its last bytes, or the end of its last request
    std::size_t seen_ = 0;  // unread bytes that were searched for the end of a head
    CurrentRequest request_;
    CallerCheck check_;
    EventReport report_;
    SessionRecording recording_;

    UpstreamLink link_;
    Response response_;
    bool upstream_ended_ = false;
    bool closes_ = false;  // the client's connection closes after this response

    Lifetime lifetime_;
};

}  // namespace runtime::api_proxy
