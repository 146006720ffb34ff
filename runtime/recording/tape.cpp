#include "runtime/recording/tape.h"

#include <algorithm>
#include <utility>

#include "runtime/recording/query.h"

namespace runtime::recording {

namespace {

constexpr Since kSizeWithin = std::chrono::seconds(2);
constexpr std::size_t kMostBefore = std::size_t{64} * 1024;
constexpr Size kUsual{80, 24};

void take_session_query(const Query& query, SessionRequest& out) {
    for (const auto& [name, value] : query) {
        if (name == "command") {
            out.command.append(out.command.empty() ? "" : " ").append(value);
        } else if (name == "container") {
            out.container += value;
        } else if (name == "tty") {
            out.has_terminal = value == "true" || value == "1";
        }
    }
}

}  // namespace

Tape::Tape(std::unique_ptr<StreamReader> reader, CastHeader header, bool has_terminal)
    : reader_(std::move(reader)), header_(std::move(header)), waits_for_size_(has_terminal) {
    if (!waits_for_size_) {
        begin({});
    }
}

void Tape::begin(Size size) {
    has_begun_ = true;
    lines_.insert(0, header_line(header_, size));
}

Problem Tape::from_client(std::string_view bytes, Since since) {
    return add(reader_->from_client(bytes, events_), since);
}

Problem Tape::from_server(std::string_view bytes, Since since) {
    return add(reader_->from_server(bytes, events_), since);
}

Problem Tape::add(Problem problem, Since since) {
    for (const StreamEvent& event : std::exchange(events_, {})) {
        if (event.kind == StreamEvent::Kind::Resize) {
            if (!has_begun_) {
                begin(event.size);
            } else {
                lines_ += resize_line(since, event.size);
            }
            continue;
        }
        WholeText& text = event.kind == StreamEvent::Kind::Output ? output_ : error_output_;
        const std::string whole = text.take(event.bytes);
        if (!whole.empty()) {
            lines_ += output_line(since, whole);
        }
    }
    return problem;
}

std::string Tape::take_lines(Since since) {
    if (!has_begun_ && (since >= kSizeWithin || lines_.size() > kMostBefore)) {
        begin(kUsual);
    }
    return has_begun_ ? std::exchange(lines_, {}) : std::string();
}

std::string Tape::end(Since since) {
    for (WholeText* text : {&output_, &error_output_}) {
        const std::string rest = text->rest();
        if (!rest.empty()) {
            lines_ += output_line(since, rest);
        }
    }
    if (!has_begun_) {
        begin(kUsual);
    }
    return std::exchange(lines_, {});
}

std::optional<SessionRequest> read_session(std::string_view target) {
    const std::size_t question = std::min(target.find('?'), target.size());
    std::string_view path = target.substr(0, question);
    std::vector<std::string_view> parts;
    if (path.find('%') != std::string_view::npos || !path.starts_with('/')) {
        return std::nullopt;
    }
    do {
        path.remove_prefix(1);
        const std::size_t end = std::min(path.find('/'), path.size());
        parts.push_back(path.substr(0, end));
        path.remove_prefix(end);
    } while (!path.empty());
    const bool is_one = parts.size() == 7 && parts[0] == "api" && parts[1] == "v1" &&
                        parts[2] == "namespaces" && !parts[3].empty() && parts[4] == "pods" &&
                        !parts[5].empty() && (parts[6] == "exec" || parts[6] == "attach");
    if (!is_one) {
        return std::nullopt;
    }
    SessionRequest out{
        .ns = std::string(parts[3]), .pod = std::string(parts[5]), .type = std::string(parts[6])};
    take_session_query(query_of(target), out);
    return out;
}

}  // namespace runtime::recording
