// Decides whether a session has to be recorded, and records it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/split.h"
#include "runtime/api_proxy/session.h"
#include "runtime/api_proxy/unrecorded.h"
#include "runtime/base/audit.h"

namespace runtime::api_proxy {

namespace {

constexpr std::size_t kMostWaiting = std::size_t{256} * 1024;  // bytes for a recorder

// Returns true if the API server may start a session. A path with "%" may be any other path.
bool may_be_session(const RequestHead& request) {
    if (request.upgrade == Protocol::None) {
        return false;
    }
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    return path.find('%') != std::string_view::npos ||
           std::ranges::any_of(renderer::split(path, '/'), [](std::string_view segment) {
               return segment == "exec" || segment == "attach";
           });
}

bool can_be_recorded(const RequestHead& request) {
    return request.upgrade == Protocol::Spdy ||
           std::ranges::any_of(request.fields, [](const HeadField& field) {
               return equals_ignoring_case(field.name, "sec-websocket-protocol") &&
                      !recordable_protocols(field.value).empty();
           });
}

}  // namespace

// Decides what is recorded. Returns a refusal if something must be recorded and cannot be.
std::optional<Refusal> Session::plan_recording() {
    const Grants& grants = caller_->grants;
    session_ =
        request_.upgrade != Protocol::None && !grants.recorders.empty() && can_be_recorded(request_)
            ? recording::read_session(request_.target)
            : std::nullopt;
    const auto refusal = [](std::string_view why) {
        return Refusal{403, fmt::format("your grant of \"{}\" requires this to be recorded "
                                        "(enforceRecorder): {}",
                                        kCapability, why)};
    };
    if (!grants.enforces_recorder) {
        return std::nullopt;
    }
    if (grants.recorders.empty()) {
        return refusal("there is no recorder");
    }
    if (may_be_session(request_) && !session_) {
        return refusal("it cannot be recorded");
    }
    const auto name = unrecorded_name(request_);
    if (!name || std::ranges::find(shared_.unrecorded, *name) != shared_.unrecorded.end()) {
        return std::nullopt;
    }
    return name->find('/') == std::string::npos
               ? refusal("it cannot be recorded")
               : refusal(fmt::format(
                     "it cannot be recorded, and no setting of the proxy allows \"{}\"", *name));
}

void Session::start_recording() {
    state_ = State::Record;
    ++shared_.counters.recordings;
    recorder_ = Recorder::start(shared_.loop, shared_.socket, caller_->grants.recorders,
                                {.started = lifetime_.guarded([this](const std::string& problem) {
                                     on_recorder(problem);
                                     settle();
                                 }),
                                 .broken = lifetime_.guarded([this](const std::string& problem) {
                                     break_recording(problem);
                                 }),
                                 .moved = lifetime_.guarded([this] {
                                     if (link_.is_open()) {
                                         link_.read();
                                     }
                                     settle();
                                 })});
}

void Session::on_recorder(const std::string& problem) {
    if (!problem.empty()) {
        recorder_ = nullptr;
        ++shared_.counters.recordings_failed;
        shared_.log.warning("a session cannot be recorded: " + problem);
        if (caller_->grants.enforces_recorder) {
            return refuse_unrecorded();
        }
    }
    state_ = State::Connect;
    go_upstream();
}

void Session::refuse_unrecorded() {
    ++shared_.counters.denied;
    refuse({403, fmt::format("your grant of \"{}\" requires this to be recorded "
                             "(enforceRecorder), and no recorder accepts it",
                             kCapability)});
}

// Called before the request is sent: from then on its command may run, whatever the response is.
void Session::begin_tape() {
    recorded_ = recorder_->address();
    tape_begun_ = shared_.loop.uptime();
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(shared_.loop.now().time_since_epoch());
    tape_ = std::make_unique<recording::Tape>(
        request_.upgrade == Protocol::WebSocket ? recording::read_websocket()
                                                : recording::read_spdy(),
        recording::CastHeader{.timestamp = now.count(),
                              .command = session_->command,
                              .node = caller_->node,
                              .node_id = caller_->node_id,
                              .tags = caller_->tags,
                              .user = caller_->tags.empty() ? caller_->user : "",
                              .user_id = caller_->user_id,
                              .pod = session_->pod,
                              .ns = session_->ns,
                              .container = session_->container,
                              .session_type = session_->type},
        session_->has_terminal);
}

// Returns true if the client has sent something after a request that must be recorded.
bool Session::speaks_too_early() const {
    return recorder_ != nullptr && caller_->grants.enforces_recorder && !in_.empty();
}

// Called when the response has started a session.
void Session::go_on_with_tape() {
    if (tape_ == nullptr) {
        return;
    }
    const auto protocol = find_field(response_.head().fields, "sec-websocket-protocol");
    if (request_.upgrade == Protocol::WebSocket &&
        (!protocol || recordable_protocols(*protocol).empty())) {
        return stop_recording("the API server speaks another protocol");
    }
    tape_begun_ = shared_.loop.uptime();
    record({}, true);
}

// Records the bytes before they are forwarded. Returns false if the session has ended, because they
// cannot be recorded.
bool Session::record(std::string_view bytes, bool is_client) {
    if (tape_ == nullptr) {
        return !is_ended();
    }
    const Duration since = shared_.loop.uptime() - tape_begun_;
    const recording::Problem problem =
        is_client ? tape_->from_client(bytes, since) : tape_->from_server(bytes, since);
    recorder_->write(tape_->take_lines(since));
    if (problem) {
        stop_recording(*problem);
    }
    return !is_ended();
}

bool Session::is_recorder_behind() const {
    return recorder_ != nullptr && recorder_->waiting() > kMostWaiting;
}

// Called when the recorder has failed.
void Session::break_recording(const std::string& problem) {
    tape_ = nullptr;
    note_recording(problem)(*recorder_, "");
    stop_recording(problem);
}

// Returns a function that writes the audit line when the upload has ended. `flaw` says why the
// recording is incomplete.
std::function<void(const Recorder&, const std::string& problem)> Session::note_recording(
    const std::string& flaw) const {
    const std::string_view path = request_.target.substr(0, request_.target.find('?'));
    return [&loop = shared_.loop, flaw, user = caller_->user, node = caller_->node,
            path = std::string(path)](const Recorder& recorder, const std::string& problem) {
        write_audit(loop.now(), "recording",
                    {{"user", user},
                     {"node", node},
                     {"path", path},
                     {"recorder", recorder.address()},
                     {"written", fmt::format("{}", recorder.written())},
                     {"acknowledged", fmt::format("{}", recorder.acknowledged())},
                     {"problem", redact(flaw.empty() ? problem : flaw)}});
    };
}

// Sends what was recorded so far, if there is a recorder.
void Session::stop_recording(const std::string& problem) {
    ++shared_.counters.recordings_failed;
    shared_.log.warning("the recording of a session stopped: " + problem);
    const std::string recorded = recorded_ == "no" ? recorded_ : "in part: " + recorded_;
    finish_recording(problem);
    recorded_ = recorded;
    if (caller_ != nullptr && caller_->grants.enforces_recorder) {
        return state_ == State::Connect ? refuse_unrecorded() : end("the recording broke");
    }
    // Reads what was left while the recorder was behind. Later, since this may be inside a read.
    link_.read_later();
}

// Drops the recording, since there is no session.
void Session::abandon_recording() {
    tape_ = nullptr;
    recorded_ = "no";
    if (const auto recorder = std::exchange(recorder_, nullptr)) {
        recorder->abandon();
    }
}

// Sends the rest after the session has ended. A recording with a flaw is already counted.
void Session::finish_recording(const std::string& flaw) {
    if (recorder_ == nullptr || tape_ == nullptr) {
        return abandon_recording();
    }
    const auto recorder = std::exchange(recorder_, nullptr);
    const auto tape = std::exchange(tape_, nullptr);
    recorder->write(tape->end(shared_.loop.uptime() - tape_begun_));
    shared_.uploads.push_back(recorder);
    recorder->finish([&shared = shared_, one = recorder.get(), is_whole = flaw.empty(),
                      note = note_recording(flaw)](const std::string& problem) {
        if (is_whole) {
            ++(problem.empty() ? shared.counters.recordings_uploaded
                               : shared.counters.recordings_failed);
        }
        if (!problem.empty()) {
            shared.log.warning("a recording is incomplete: " + problem);
        }
        note(*one, problem);
        std::erase_if(shared.uploads, [one](const auto& other) { return other.get() == one; });
    });
}

}  // namespace runtime::api_proxy
