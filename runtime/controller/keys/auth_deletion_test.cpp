// An auth Secret is only deleted in the version for which that was decided, because the renderer
// may have taken it over since.
#include <functional>

#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

using renderer::Value;

class AuthDeletionTest : public ControllerTest {
protected:
    // Starts a group of API proxies whose pod has joined.
    void begin() {
        cluster.add_group("kube", 1, true);
        Value data = Value::map();
        data.put("kube-0.hujson", R"({"Version":"v1alpha1","Hostname":"kube-0"})");
        cluster.offer("kube", data);
        start();
        run(kMinute);
        ASSERT_NE(kube.find(config), nullptr);
        uid = current_uid();
        network.fault = [this](const HttpRequest& request) {
            if (request.method == "DELETE" && request.url.ends_with(config) && deletions++ == 0) {
                change();
            }
            return Fault::None;
        };
    }
    // Changes the type of the group.
    void become_ingress() {
        cluster.add_group("kube", 1, false);
        cluster.offer("kube", Value::map());
    }
    std::string current_uid() {
        const Value* object = kube.find(config);
        return std::string(object == nullptr ? ""
                                             : renderer::text_of(object->at({"metadata", "uid"})));
    }
    // Adds the renderer's data for a group of type ingress.
    void configure() { kube.set_datum(config, "cap-107.hujson", "{}"); }
    void expect_configured() {
        EXPECT_EQ(current_uid(), uid);
        EXPECT_EQ(kube.datum(config, "cap-107.hujson"), "{}");
        EXPECT_EQ(deletions, 1);
    }

    const std::string config = secret("kube-0-config");
    std::string uid;
    std::function<void()> change;  // runs before the first deletion arrives
    int deletions = 0;             // that were sent
};

TEST_F(AuthDeletionTest, LeavesAloneWhatTheRendererHasTakenOver) {
    begin();
    change = [this] { configure(); };
    become_ingress();
    run(5 * kMinute);
    expect_configured();
    EXPECT_NE(kube.find(secret("kube-0-auth")), nullptr);
    EXPECT_TRUE(tailnet.devices.contains(device_of("kube-0")));
}

TEST_F(AuthDeletionTest, LooksAgainAtWhatHasChanged) {
    begin();
    change = [this] {
        Value object = kube.find(config)->clone();
        object.find("metadata")->find("labels")->put("example.com/team", "a");
        kube.put(config, std::move(object));
    };
    become_ingress();
    run(5 * kMinute);
    EXPECT_EQ(current_uid(), "");
    EXPECT_EQ(deletions, 2);
    EXPECT_NE(kube.find(secret("kube-0-auth")), nullptr);
}

TEST_F(AuthDeletionTest, OfADeletedReplicaKeepsWhatIsRenderedNow) {
    begin();
    change = [this] { configure(); };
    cluster.remove_proxy("kube");
    run(20 * kMinute);
    expect_configured();
    EXPECT_EQ(kube.find(secret("kube-0")), nullptr);
    EXPECT_TRUE(tailnet.devices.empty());
}

TEST_F(AuthDeletionTest, OfAReplicaThatMovesLeavesAloneWhatTheRendererHasTakenOver) {
    FakeTailnet other(loop);
    network.add("https://other", other);
    begin();
    cluster.add_tailnet("other", "https://other", other);
    run(kMinute);
    change = [this] {
        configure();
        become_ingress();
        cluster.annotate("kube", "tailrender.dev/tailnet", "other");
    };
    cluster.annotate("kube", "tailrender.dev/tailnet", "other");
    run(20 * kMinute);
    expect_configured();
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(other.devices.contains(device_of("kube-0")));
}

}  // namespace
}  // namespace runtime::controller
