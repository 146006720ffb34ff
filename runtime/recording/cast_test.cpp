#include "runtime/recording/cast.h"

#include <gtest/gtest.h>

namespace runtime::recording {
namespace {

using std::chrono::milliseconds;

TEST(Cast, HasTheLinesOfAsciicast) {
    EXPECT_EQ(header_line({.timestamp = 1700000000,
                           .command = "sh -c x",
                           .node = "box.t.ts.net",
                           .node_id = "n1",
                           .user = "a@b",
                           .user_id = 5,
                           .pod = "web",
                           .ns = "default",
                           .container = "main",
                           .session_type = "exec"},
                          {80, 24}),
              R"({"version":2,"width":80,"height":24,"timestamp":1700000000,"command":"sh -c x",)"
              R"("srcNode":"box.t.ts.net","srcNodeID":"n1","srcNodeUserID":5,"srcNodeUser":"a@b",)"
              R"("env":null,"sshUser":"","localUser":"","connectionID":"","kubernetes":)"
              R"({"PodName":"web","Namespace":"default","Container":"main","SessionType":"exec"}})"
              "\n");
    const std::string tagged = header_line({.node = "n", .tags = {"tag:a"}, .user_id = 5}, {});
    EXPECT_NE(tagged.find(R"("srcNodeTags":["tag:a"],"env")"), std::string::npos) << tagged;
    EXPECT_EQ(tagged.find("command"), std::string::npos);
    const std::string bad = header_line({.command = "a\xFF", .container = "\xC3"}, {});
    EXPECT_NE(bad.find("\"command\":\"a\xEF\xBF\xBD\""), std::string::npos) << bad;
    EXPECT_NE(bad.find("\"Container\":\"\xEF\xBF\xBD\""), std::string::npos) << bad;
    EXPECT_EQ(output_line(milliseconds(1002), "a\"\r\n"), "[1.002,\"o\",\"a\\\"\\r\\n\"]\n");
    EXPECT_EQ(resize_line(milliseconds(60000), {120, 40}), "[60.000,\"r\",\"120x40\"]\n");
}

// Returns the text, read in pieces of this size.
std::string whole(std::string_view bytes, std::size_t piece) {
    WholeText text;
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        out += text.take(bytes.substr(at, piece));
    }
    return out + text.rest();
}

TEST(WholeText, KeepsCharactersWhole) {
    const std::string bad = "\xEF\xBF\xBD";
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"plain", "plain"},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"a\xFFz", "a" + bad + "z"},
        {"a\x80z", "a" + bad + "z"},
        {"\xC0\x80", bad + bad},
        {"\xE0\x80\x80", bad + bad + bad},
        {"\xED\xA0\x80", bad + bad + bad},
        {"\xF4\x90\x80\x80", bad + bad + bad + bad},
        {"\xE2\x82z", bad + "z"},
        {"a\xE2\x82", "a" + bad},
        {"\xF0\x9F\x98", bad},
    };
    for (const auto& [bytes, want] : rows) {
        for (const std::size_t piece : {1U, 2U, 3U, 100U}) {
            EXPECT_EQ(whole(bytes, piece), want) << bytes << " in pieces of " << piece;
        }
    }
}

}  // namespace
}  // namespace runtime::recording
