#include "runtime/recording/tape.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::recording {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Reads every input of the client as a size, and every input of the server as output. "!" is a
// problem.
class ScriptedReader : public StreamReader {
public:
    Problem from_client(std::string_view bytes, std::vector<StreamEvent>& events) override {
        if (!bytes.empty()) {
            events.push_back({.kind = StreamEvent::Kind::Resize, .size = {100, 30}});
        }
        return std::nullopt;
    }
    Problem from_server(std::string_view bytes, std::vector<StreamEvent>& events) override {
        events.push_back({.bytes = std::string(bytes)});
        return bytes == "!" ? Problem("not understood") : std::nullopt;
    }
};

Tape tape_of(bool has_terminal) {
    return Tape(std::make_unique<ScriptedReader>(), {.node = "n"}, has_terminal);
}

// Returns the size in the header, and the lines after it.
std::string shape(const std::string& lines) {
    if (!lines.starts_with("{\"version\":2,")) {
        return lines;
    }
    const std::size_t end = lines.find(",\"timestamp\"");
    return lines.substr(13, end - 13) + lines.substr(lines.find('\n') + 1);
}

TEST(Tape, BeginsAtOnceWithoutATerminal) {
    Tape tape = tape_of(false);
    EXPECT_EQ(shape(tape.take_lines({})), "\"width\":0,\"height\":0");
    EXPECT_FALSE(tape.from_server("a", milliseconds(5)));
    EXPECT_EQ(tape.take_lines(milliseconds(5)), "[0.005,\"o\",\"a\"]\n");
    EXPECT_EQ(tape.take_lines(milliseconds(6)), "");
    EXPECT_EQ(tape.end(milliseconds(7)), "");
}

TEST(Tape, WaitsForTheSizeOfATerminal) {
    Tape tape = tape_of(true);
    EXPECT_FALSE(tape.from_server("early", milliseconds(1)));
    EXPECT_EQ(tape.take_lines(milliseconds(1)), "");
    EXPECT_FALSE(tape.from_client("size", milliseconds(2)));
    EXPECT_EQ(shape(tape.take_lines(milliseconds(2))),
              "\"width\":100,\"height\":30[0.001,\"o\",\"early\"]\n");
    EXPECT_FALSE(tape.from_client("size", milliseconds(3)));
    EXPECT_EQ(tape.take_lines(milliseconds(3)), "[0.003,\"r\",\"100x30\"]\n");
}

TEST(Tape, DoesNotWaitForLong) {
    Tape late = tape_of(true);
    EXPECT_FALSE(late.from_server("x", milliseconds(1)));
    EXPECT_EQ(shape(late.take_lines(seconds(2))),
              "\"width\":80,\"height\":24[0.001,\"o\",\"x\"]\n");
    Tape much = tape_of(true);
    EXPECT_FALSE(much.from_server(std::string(70000, 'x'), milliseconds(1)));
    EXPECT_NE(much.take_lines(milliseconds(1)), "");
    Tape ended = tape_of(true);
    EXPECT_EQ(shape(ended.end(milliseconds(1))), "\"width\":80,\"height\":24");
}

TEST(Tape, TellsAProblemAndKeepsWhatWasBefore) {
    Tape tape = tape_of(false);
    static_cast<void>(tape.take_lines({}));
    EXPECT_EQ(tape.from_server("!", milliseconds(1)), "not understood");
    EXPECT_EQ(tape.take_lines(milliseconds(1)), "[0.001,\"o\",\"!\"]\n");
}

TEST(Tape, EndsWithHalfACharacter) {
    Tape tape = tape_of(false);
    EXPECT_FALSE(tape.from_server("a\xE2\x82", milliseconds(1)));
    static_cast<void>(tape.take_lines(milliseconds(1)));
    EXPECT_EQ(tape.end(milliseconds(2)), "[0.002,\"o\",\"\xEF\xBF\xBD\"]\n");
}

std::string session(std::string_view target) {
    const auto found = read_session(target);
    return found ? fmt::format("{}/{} {} {} \"{}\"{}", found->ns, found->pod, found->type,
                               found->container, found->command, found->has_terminal ? " tty" : "")
                 : "none";
}

TEST(SessionRequest, IsReadFromItsPath) {
    EXPECT_EQ(session("/api/v1/namespaces/a/pods/b/exec?command=sh&command=-c&command=echo+%22x"
                      "%22&container=c&stdin=true&tty=true"),
              "a/b exec c \"sh -c echo \"x\"\" tty");
    EXPECT_EQ(session("/api/v1/namespaces/a/pods/b/attach?container=c"), "a/b attach c \"\"");
    EXPECT_EQ(session("/api/v1/namespaces/a/pods/b/attach"), "a/b attach  \"\"");
    for (const std::string_view target :
         {"/api/v1/namespaces/a/pods/b/portforward", "/api/v1/namespaces/a/pods/b/exec/",
          "/api/v1/namespaces/a/pods//exec", "//api/v1/namespaces/a/pods/b/exec",
          "/api/v1/namespaces/a/pods/b/%65xec", "/api/v1/pods/b/exec",
          "/apis/v1/namespaces/a/pods/b/exec", "/"}) {
        EXPECT_EQ(session(target), "none") << target;
    }
}

}  // namespace
}  // namespace runtime::recording
