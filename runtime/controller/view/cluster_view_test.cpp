#include "runtime/controller/view/cluster_view.h"

#include <gtest/gtest.h>

#include "runtime/controller/keys/secrets.h"
#include "runtime/testing/fake_kube.h"

namespace runtime::controller {
namespace {

using renderer::Value;

class ClusterViewTest : public testing::Test {
protected:
    ClusterViewTest() {
        network.add("https://kube", kube);
        view.start();
        loop.run_for(kSecond);
    }

    static constexpr Duration kSecond = std::chrono::seconds(1);
    static std::string path(const std::string& name) {
        return kube::path_of(kube::kSecrets, "ns", name);
    }
    void make_state(const std::string& name) {
        kube.put(path(name), state_secret("ns", name, "set", "", {}));
        loop.run_for(kSecond);
    }
    [[nodiscard]] bool knows(const std::string& name) const {
        return view.states().find(view.key(name)) != nullptr;
    }

    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
    FakeTransport transport{network};
    kube::Client client{transport, {.server = "https://kube", .ca_file = "", .token_file = ""}};
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    ClusterView view{loop, client, log, random, "ns"};
};

TEST_F(ClusterViewTest, AReplyThatComesAfterTheEndOfItsObjectBringsNothingBack) {
    make_state("a");
    const Value written = kube.find(path("a"))->clone();
    kube.erase(path("a"));
    loop.run_for(kSecond);
    view.wrote(view.our_secrets(), written);
    EXPECT_FALSE(knows("a"));
}

TEST_F(ClusterViewTest, AReplyCountsBeforeTheWatchTellsOfIt) {
    make_state("a");
    kube.erase(path("a"));
    make_state("b");
    Value written = kube.find(path("b"))->clone();
    written.find("metadata")->put("name", "c");
    view.wrote(view.our_secrets(), written);
    EXPECT_TRUE(knows("c"));
}

}  // namespace
}  // namespace runtime::controller
