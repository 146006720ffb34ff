#include "runtime/proxy/followed_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "renderer/base/temporary_folder_testing.h"
#include "renderer/core/json.h"
#include "runtime/testing/fake_loop.h"
#include "runtime/testing/open_transport.h"

namespace runtime::proxy {
namespace {

TEST(TextOfKey, DependsOnTheKind) {
    const auto object =
        renderer::read_json(R"({"data": {"a": "dGV4dA=="}, "binaryData": {"b": "dGV4dA=="}})");
    EXPECT_EQ(text_of_key(*object, "a", false), "dGV4dA==");
    EXPECT_EQ(text_of_key(*object, "a", true), "text");
    EXPECT_EQ(text_of_key(*object, "b", false), "text");
    EXPECT_EQ(text_of_key(*object, "b", true), "");
    EXPECT_EQ(text_of_key(*object, "c", false), "");
    EXPECT_EQ(text_of_key(*renderer::read_json(R"({"data": {"a": "no base64"}})"), "a", true), "");
}

TEST(FollowedFiles, TheObjectCountsOnceItIsKnown) {
    const renderer::TemporaryFolder folder;
    const std::string path = folder.path() + "/followed";
    std::ofstream(path) << "of the file";
    FakeLoop loop;
    OpenTransport transport;
    kube::Client kube{transport, {.server = "https://kube", .ca_file = "", .token_file = ""}};
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    FollowedFiles files(loop, log, random);
    int changes = 0;
    files.follow(kube, kube::kConfigMaps, "ns", "mine",
                 {{"key", path}, {"absent", path + "-absent"}}, [&] { ++changes; });
    EXPECT_EQ(*files.read(path), "of the file");
    EXPECT_EQ(*files.read(path + "-absent"), "");

    const std::string event =
        R"({"type":"ADDED","object":{"metadata":{"name":"mine"},"data":{"key":"of the object"}}})"
        "\n";
    transport.say(event);
    EXPECT_EQ(*files.read(path), "of the object");
    EXPECT_EQ(*files.read(path + "-absent"), "");
    EXPECT_EQ(changes, 1);
    transport.say(event);
    EXPECT_EQ(changes, 1) << "the same again";

    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(*files.read(path), "of the object");
        transport.end(403);
        loop.run_for(std::chrono::minutes(1));
    }
    EXPECT_EQ(*files.read(path), "of the file");
    EXPECT_EQ(changes, 2);
}

}  // namespace
}  // namespace runtime::proxy
