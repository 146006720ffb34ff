// Pods of a group keep the certificates that they have read: which pods are rolled, and when.
#include <functional>

#include "runtime/testing/groups_test.h"

namespace runtime::controller {
namespace {

using renderer::Value;

class GroupCertificates : public GroupsTest {
protected:
    static constexpr const char* kName = "docs.tail1a2b3.ts.net";

    void offer(const std::string& group, std::string_view docs) {
        cluster.offer(group, Value::map({{"docs.json", Value(docs)}}));
    }
    // Starts a group of two replicas whose pods have read the certificate.
    void serve_docs() {
        add_ingress("docs");
        cluster.add_group("front", 2, false);
        cluster.add_group("next", 2, false);
        offer("front", kDocs);
        start();
        run(kMinute);
        fill_certificate(kName, "first");
        run(kMinute);
        pod_0_ = pod_uid("front-0");
        pod_1_ = pod_uid("front-1");
    }
    [[nodiscard]] bool is_rolled() {
        EXPECT_EQ(pod_uid("front-0"), pod_0_) << "it has written the certificate";
        return pod_uid("front-1") != pod_1_;
    }

private:
    std::string pod_0_, pod_1_;
};

TEST_F(GroupCertificates, RollsPodsAfterARenewalOneAtATime) {
    add_ingress("docs");
    cluster.add_group("front", 3, false);
    cluster.offer("front", Value::map({{"docs.json", Value(kDocs)}}));
    start();
    run(kMinute);
    const std::map<std::string, std::string> first{{"front-0", pod_uid("front-0")},
                                                   {"front-1", pod_uid("front-1")},
                                                   {"front-2", pod_uid("front-2")}};
    fill_certificate("docs.tail1a2b3.ts.net", "first");
    run(kMinute);
    EXPECT_EQ(pod_uid("front-1"), first.at("front-1")) << "the first certificate rolls no one";
    int failures = 0;
    network.fault = [&failures](const HttpRequest& request) {
        const bool deletes = request.method == "DELETE" && request.url.ends_with("/pods/front-1");
        return deletes && failures++ < 2 ? Fault::Broken : Fault::None;
    };
    fill_certificate("docs.tail1a2b3.ts.net", "renewed");
    for (int i = 0; i < 600; ++i) {
        run(Duration(100));
        int away = 0;
        for (const auto& [pod, unused] : first) {
            const Value* object = kube.find(FakeCluster::path("pods", pod));
            away += object == nullptr || !decode_pod(*object)->ready || decode_pod(*object)->leaving
                        ? 1
                        : 0;
        }
        ASSERT_LE(away, 1);
    }
    EXPECT_EQ(pod_uid("front-0"), first.at("front-0")) << "it has written it";
    EXPECT_NE(pod_uid("front-1"), first.at("front-1"));
    EXPECT_NE(pod_uid("front-2"), first.at("front-2"));
    const std::string settled = pod_uid("front-2");
    run(20 * kMinute);
    EXPECT_EQ(pod_uid("front-2"), settled) << "once";
}

TEST_F(GroupCertificates, RollsPodsWhenACertificateIsRecreated) {
    serve_docs();
    std::string renamed(kDocs);
    renamed.replace(renamed.find("tail1a2b3"), 9, "tail9z8y7");
    const struct {
        const char* name;
        std::function<void()> lose;  // deletes the Secret or moves the certificate
    } rows[] = {
        {"the service was away for longer than the delay",
         [this] {
             cluster.offer("front", Value::map());
             run(10 * kMinute);
         }},
        {"someone deleted it", [this] { kube.erase(secret(kName)); }},
        {"it had another name meanwhile", [&] { offer("front", renamed); }},
        {"another group had the service",
         [this] {
             cluster.offer("front", Value::map());
             offer("next", kDocs);
             run(kMinute);
             fill_certificate(kName, "of another group");
             run(10 * kMinute);
             cluster.offer("next", Value::map());
         }},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        serve_docs();
        row.lose();
        run(kMinute);
        start(2);
        offer("front", kDocs);
        run(kMinute);
        ASSERT_NE(kube.find(secret(kName)), nullptr);
        fill_certificate(kName, row.name);
        run(10 * kMinute);
        EXPECT_TRUE(is_rolled());
    }
}

TEST_F(GroupCertificates, TheSameCertificateRollsNoOneWhenItsServiceReturns) {
    serve_docs();
    cluster.offer("front", Value::map());
    run(2 * kMinute);
    offer("front", kDocs);
    run(10 * kMinute);
    EXPECT_FALSE(is_rolled());
    EXPECT_EQ(table("certificates").find("readers"), std::string::npos) << table("certificates");
}

TEST_F(GroupCertificates, IsForgottenWhenNoPodCanHaveReadIt) {
    serve_docs();
    cluster.offer("front", Value::map());
    run(10 * kMinute);
    EXPECT_NE(table("certificates").find(kName), std::string::npos);
    cluster.restart_pod("front-0");
    run(kMinute);
    EXPECT_NE(table("certificates").find(kName), std::string::npos) << "front-1 has it";
    cluster.restart_pod("front-1");
    run(kMinute);
    EXPECT_EQ(table("certificates"), "");
}

TEST_F(GroupCertificates, IsForgottenWithItsGroup) {
    serve_docs();
    const std::string known = table("certificates");
    ASSERT_NE(known, "");
    kube.erase(FakeCluster::path("configmaps", "tailrender-group-front"));
    run(10 * kMinute);
    EXPECT_EQ(table("certificates"), known) << "its pods still run";
    cluster.remove_proxy("front");
    run(kMinute);
    EXPECT_EQ(table("certificates"), "");
}

TEST_F(GroupCertificates, DoesNothingByARecordThatCannotBeRead) {
    serve_docs();
    const std::string path = FakeCluster::path("configmaps", renderer::kIngressAddresses);
    for (const char* bad : {"{", R"({"front":[]})"}) {
        Value broken = kube.find(path)->clone();
        broken.find("data")->put("certificates", Value(std::string_view(bad)));
        kube.put(path, std::move(broken));
        fill_certificate(kName, bad);
        cluster.offer("front", Value::map());
        run(10 * kMinute);
        EXPECT_EQ(table("certificates"), bad);
        EXPECT_TRUE(tailnet.services.contains("svc:docs"));
    }
    EXPECT_FALSE(is_rolled());
}

}  // namespace
}  // namespace runtime::controller
