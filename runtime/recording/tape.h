// One session's recording: what passes, as lines of a cast, in the order in which it passed. With a
// terminal the first line holds its size, which the client tells soon after the begin; what passes
// before waits for it, though not for long. Pure.
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

    // What is not understood ends the recording, and is a problem from then on.
    [[nodiscard]] Problem from_client(std::string_view bytes, Since since);
    [[nodiscard]] Problem from_server(std::string_view bytes, Since since);
    // What is ready to be sent, each line once.
    std::string take_lines(Since since);
    // The rest.
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

// What a request for a session asks for. No value: it is none, or its path is not as the API
// server's own clients write it.
struct SessionRequest {
    std::string ns = {}, pod = {}, type = {};  // "exec" or "attach"
    std::string container = {}, command = {};
    bool has_terminal = false;
};
std::optional<SessionRequest> read_session(std::string_view target);

}  // namespace runtime::recording
