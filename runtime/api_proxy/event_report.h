// Reports a request to a recorder before it is sent to the API server: copies its body while that
// is read, within the memory budget of all sessions, and uploads the event.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/api_proxy/body_budget.h"
#include "runtime/api_proxy/caller.h"
#include "runtime/api_proxy/event_upload.h"
#include "runtime/api_proxy/head.h"
#include "runtime/api_proxy/progress.h"
#include "runtime/base/weakly.h"

namespace runtime::api_proxy {

class EventReport {
public:
    // The references must outlive this. `socket` is tailscaled's.
    EventReport(Loop& loop, BodyBudget& bodies, const std::string& socket)
        : loop_(loop), bodies_(bodies), socket_(socket) {}

    // Whether the body of a request belongs to its event, or why there can be no event.
    struct Plan {
        bool has_body = false;
        std::string problem = {};
    };
    static Plan plan(const RequestHead& request);

    // A new request. Nothing is known of its event.
    void begin() { told_ = "no"; }
    // Calls `granted` when `collect` may begin, and never inside this call.
    void wait_for_room(const std::string& user, const Body& body, std::function<void()> granted);
    // Returns true once `granted` was called.
    [[nodiscard]] bool has_room() const { return room_->has_room(); }

    struct Collected {
        std::optional<Fault> fault = {};
        bool is_too_large = false;
        bool is_whole = false;
    };
    // Copies what is new of the bytes. They always start with the first byte of the body. Does
    // nothing without room.
    Collected collect(std::string_view bytes);

    // `problem` says why no recorder accepted the event. It is empty if the recorder at `address`
    // did. `done` is called once, and never inside this call.
    void send(const RequestHead& request, const Caller& caller, EventUpload::Done done);
    // Ends what was begun, and gives the memory back.
    void end();

    // For the audit log: the address of the recorder that has the event, or "no".
    [[nodiscard]] const std::string& told() const { return told_; }

private:
    Loop& loop_;
    BodyBudget& bodies_;
    const std::string& socket_;
    std::shared_ptr<EventUpload> upload_;
    std::unique_ptr<BodyBudget::Place> room_;
    Progress body_;
    std::size_t looked_at_ = 0;  // bytes that were copied
    std::string copy_;           // without chunk framing
    std::string told_ = "no";
    Lifetime lifetime_;
};

// The message for bodies that are too large for an event.
inline constexpr std::string_view kBodyTooLarge = "its body is larger than 4 MiB";

}  // namespace runtime::api_proxy
