// The recording of one session: the tape, and the recorder of the tailnet that it is sent to. What
// is recorded is counted, and written to the audit log when the recorder has it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/api_proxy/caller.h"
#include "runtime/api_proxy/head.h"
#include "runtime/api_proxy/recorder.h"
#include "runtime/api_proxy/rewrite.h"
#include "runtime/api_proxy/shared.h"
#include "runtime/base/weakly.h"
#include "runtime/recording/tape.h"

namespace runtime::api_proxy {

class SessionRecording {
public:
    struct Events {
        std::function<void(bool is_accepted)> started;  // false: no recorder takes it
        std::function<void()> stopped;                  // the recorder has failed
        std::function<void()> moved;                    // fewer bytes wait for the recorder
    };

    // `shared` must outlive it.
    SessionRecording(Shared& shared, Events events);

    // Decides whether the request's session is recorded. Returns a refusal if the caller's grant
    // requires it, and it cannot be.
    std::optional<Refusal> plan(const RequestHead& request,
                                const std::shared_ptr<const Caller>& caller);
    [[nodiscard]] bool is_planned() const { return session_.has_value(); }

    // Looks for a recorder. `started` tells how that ended, after this call.
    void start();
    [[nodiscard]] bool has_recorder() const { return recorder_ != nullptr; }
    [[nodiscard]] bool is_behind() const;  // the recorder; nothing more may be recorded now

    // Called before the request is sent: from then on its command may run, whatever the response
    // is.
    void begin();
    // Called when the response has started the session.
    [[nodiscard]] bool go_on(const ResponseHead& response);
    // Both record what there is to record, and return false if the recording has stopped now.
    [[nodiscard]] bool record(std::string_view bytes, bool is_client);

    // Drops the recording, since there is no session.
    void abandon();
    // Sends the rest after the session has ended.
    void finish() { finish({}); }

    // For the audit log: "no", the address of the recorder, or "in part: ADDRESS".
    [[nodiscard]] const std::string& recorded() const { return recorded_; }

private:
    using Note = std::function<void(const Recorder&, const std::string& problem)>;

    void on_recorder(const std::string& problem);
    void on_broken(const std::string& problem);
    void stop(const std::string& problem);
    void finish(const std::string& flaw);
    [[nodiscard]] Note note_with(const std::string& flaw) const;

    Shared& shared_;
    Events events_;
    std::optional<recording::SessionRequest> session_;  // to be recorded
    std::shared_ptr<const Caller> caller_;              // of a session
    Protocol protocol_ = Protocol::None;
    std::string path_;
    std::shared_ptr<Recorder> recorder_;
    std::unique_ptr<recording::Tape> tape_;
    Duration begun_ = {};
    std::string recorded_ = "no";
    Lifetime lifetime_;
};

}  // namespace runtime::api_proxy
