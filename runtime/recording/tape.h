// The recording of one session: the events, as lines of a cast, in their order. With a terminal,
// the first line has its size, which the client sends soon after the start. Until then lines wait,
// but only for a limited time and size. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/recording/streams.h"

namespace runtime::recording {

class Tape {
public:
    Tape(std::unique_ptr<StreamReader> reader, CastHeader header, bool has_terminal);

    // Return a problem, and end the recording, if the bytes cannot be read.
    [[nodiscard]] Problem from_client(std::string_view bytes, Since since);
    [[nodiscard]] Problem from_server(std::string_view bytes, Since since);
    // Returns the lines that can be sent, each once.
    std::string take_lines(Since since);
    // Returns the remaining lines.
    std::string end(Since since);

private:
    Problem add(Problem problem, Since since);
    void begin(Size size);

    std::unique_ptr<StreamReader> reader_;
    CastHeader header_;
    bool waits_for_size_;
    bool has_begun_ = false;
    WholeText output_, error_output_;
    std::vector<StreamEvent> events_;
    std::string lines_;
};

// The parameters of a request that starts a session. No value if it does not start one, or if the
// path is not in the form that Kubernetes' own clients use.
struct SessionRequest {
    std::string ns = {}, pod = {}, type = {};  // "exec" or "attach"
    std::string container = {}, command = {};
    bool has_terminal = false;
};
std::optional<SessionRequest> read_session(std::string_view target);

}  // namespace runtime::recording
