// Who uses a connection from the tailnet: identifies the caller of a request, checks later whether
// a running request may go on, and counts the connection for its address, or for its user as soon
// as that is known.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/api_proxy/rewrite.h"
#include "runtime/api_proxy/shared.h"
#include "runtime/base/weakly.h"

namespace runtime::api_proxy {

class CallerCheck {
public:
    // `shared` must outlive it. `other_user` is called before the connection passes to another
    // user, also for its first one.
    CallerCheck(Shared& shared, bool is_over_limit, std::function<void()> other_user);
    ~CallerCheck() { leave(); }
    CallerCheck(const CallerCheck&) = delete;
    CallerCheck& operator=(const CallerCheck&) = delete;

    // Called once, before the functions below.
    void begin(const AddressPort& source);
    // Gives the places of the connection back. Nothing may follow.
    void leave();

    [[nodiscard]] const std::string& source() const { return source_text_; }  // the address
    // There are too many connections, of all or of this address or user: requests are refused.
    [[nodiscard]] bool is_over_limit() const { return is_over_limit_; }
    [[nodiscard]] bool has_user() const { return !user_place_.empty(); }

    // Returns a recent answer, or nullptr. It is valid until the next call.
    [[nodiscard]] const CallerAnswer* known() const;
    // Calls `done` with a recent answer, now or later, unless this is destroyed.
    void ask(Callers::Done done);

    // Takes the answer before there is a request, so that silent connections count for their user
    // too. Returns false if the connection is over the limit from now on. A caller whom the tailnet
    // does not know, or whose grant is malformed, gets that answer if it sends a request soon.
    bool welcome(const CallerAnswer& answer);
    // Takes the answer for a request. Without a refusal, `caller` is its caller.
    std::optional<Refusal> accept(const CallerAnswer& answer);
    // Null if there is no request, or its caller is not known.
    [[nodiscard]] const std::shared_ptr<const Caller>& caller() const { return caller_; }
    void forget() { caller_ = nullptr; }

    // Every 20 seconds while a request is in progress. `confirm` is like `ask`.
    [[nodiscard]] bool is_confirmation_due() const;
    void confirm(Callers::Done done);
    // Takes the answer of `confirm`. Returns false if the caller may not go on.
    bool may_go_on(const CallerAnswer& answer);

private:
    bool take_place_of(const Caller& caller);

    Shared& shared_;
    bool is_over_limit_;
    std::function<void()> other_user_;
    std::optional<AddressPort> source_;
    std::string source_text_, address_place_, user_place_;  // the places are keys in Places
    std::shared_ptr<const Caller> caller_;
    Duration confirmed_ = {};  // uptime
    bool is_confirming_ = false;
    Lifetime lifetime_;
};

}  // namespace runtime::api_proxy
