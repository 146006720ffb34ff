#include "runtime/api_proxy/session_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/split.h"
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

SessionRecording::SessionRecording(Shared& shared, Events events)
    : shared_(shared), events_(std::move(events)) {}

std::optional<Refusal> SessionRecording::plan(const RequestHead& request,
                                              const std::shared_ptr<const Caller>& caller) {
    const Grants& grants = caller->grants;
    session_ =
        request.upgrade != Protocol::None && !grants.recorders.empty() && can_be_recorded(request)
            ? recording::read_session(request.target)
            : std::nullopt;
    if (session_) {
        caller_ = caller;
        protocol_ = request.upgrade;
        path_ = request.target.substr(0, request.target.find('?'));
    }
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
    if (may_be_session(request) && !session_) {
        return refusal("it cannot be recorded");
    }
    const auto name = unrecorded_name(request);
    if (!name || std::ranges::find(shared_.unrecorded, *name) != shared_.unrecorded.end()) {
        return std::nullopt;
    }
    return name->find('/') == std::string::npos
               ? refusal("it cannot be recorded")
               : refusal(fmt::format(
                     "it cannot be recorded, and no setting of the proxy allows \"{}\"", *name));
}

void SessionRecording::start() {
    ++shared_.counters.recordings;
    recorder_ = Recorder::start(
        shared_.loop, shared_.socket, caller_->grants.recorders,
        {.started = lifetime_.guarded([this](const std::string& problem) { on_recorder(problem); }),
         .broken = lifetime_.guarded([this](const std::string& problem) { on_broken(problem); }),
         .moved = lifetime_.guarded([this] { events_.moved(); })});
}

void SessionRecording::on_recorder(const std::string& problem) {
    if (!problem.empty()) {
        recorder_ = nullptr;
        ++shared_.counters.recordings_failed;
        shared_.log.warning("a session cannot be recorded: " + problem);
    }
    events_.started(recorder_ != nullptr);
}

void SessionRecording::begin() {
    recorded_ = recorder_->address();
    begun_ = shared_.loop.uptime();
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(shared_.loop.now().time_since_epoch());
    tape_ = std::make_unique<recording::Tape>(
        protocol_ == Protocol::WebSocket ? recording::read_websocket() : recording::read_spdy(),
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

bool SessionRecording::go_on(const ResponseHead& response) {
    if (tape_ == nullptr) {
        return true;
    }
    const auto protocol = find_field(response.fields, "sec-websocket-protocol");
    if (protocol_ == Protocol::WebSocket &&
        (!protocol || recordable_protocols(*protocol).empty())) {
        stop("the API server speaks another protocol");
        return false;
    }
    begun_ = shared_.loop.uptime();
    return record({}, true);
}

bool SessionRecording::record(std::string_view bytes, bool is_client) {
    if (tape_ == nullptr) {
        return true;
    }
    const Duration since = shared_.loop.uptime() - begun_;
    const recording::Problem problem =
        is_client ? tape_->from_client(bytes, since) : tape_->from_server(bytes, since);
    recorder_->write(tape_->take_lines(since));
    if (problem) {
        stop(*problem);
    }
    return !problem;
}

bool SessionRecording::is_behind() const {
    return recorder_ != nullptr && recorder_->waiting() > kMostWaiting;
}

void SessionRecording::on_broken(const std::string& problem) {
    tape_ = nullptr;
    note_with(problem)(*recorder_, "");
    stop(problem);
    events_.stopped();
}

// Returns a function that writes the audit line when the upload has ended. `flaw` says why the
// recording is incomplete.
SessionRecording::Note SessionRecording::note_with(const std::string& flaw) const {
    return [&loop = shared_.loop, flaw, user = caller_->user, node = caller_->node, path = path_](
               const Recorder& recorder, const std::string& problem) {
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
void SessionRecording::stop(const std::string& problem) {
    ++shared_.counters.recordings_failed;
    shared_.log.warning("the recording of a session stopped: " + problem);
    const std::string recorded = recorded_ == "no" ? recorded_ : "in part: " + recorded_;
    finish(problem);
    recorded_ = recorded;
}

void SessionRecording::abandon() {
    tape_ = nullptr;
    recorded_ = "no";
    if (const auto recorder = std::exchange(recorder_, nullptr)) {
        recorder->abandon();
    }
}

// A recording with a flaw is already counted.
void SessionRecording::finish(const std::string& flaw) {
    if (recorder_ == nullptr || tape_ == nullptr) {
        return abandon();
    }
    const auto recorder = std::exchange(recorder_, nullptr);
    const auto tape = std::exchange(tape_, nullptr);
    recorder->write(tape->end(shared_.loop.uptime() - begun_));
    shared_.uploads.push_back(recorder);
    recorder->finish([&shared = shared_, one = recorder.get(), is_whole = flaw.empty(),
                      note = note_with(flaw)](const std::string& problem) {
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
