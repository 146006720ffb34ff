#include "runtime/operate/status/pod_state.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace runtime::operate {
namespace {

struct PodCase {
    std::string name, pod, trouble, progress;
};

TEST(PodState, SaysWhatKeepsAPodFromRunning) {
    const PodCase cases[] = {
        {"without a status", R"({"metadata":{}})", "", "Pending"},
        {"runs",
         R"({"status":{"phase":"Running","containerStatuses":[{"name":"a","state":{"running":{}}}]}})",
         "", ""},
        {"no node",
         R"({"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",)"
         R"("reason":"Unschedulable","message":"0/1 nodes are available: 1 Insufficient cpu. )"
         R"(preemption: 0/1 nodes are available."}]}})",
         "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu", "Pending"},
        {"waits for its Secrets",
         R"({"status":{"phase":"Pending","containerStatuses":[{"name":"a","state":)"
         R"({"waiting":{"reason":"ContainerCreating"}}}]}})",
         "", "ContainerCreating"},
        {"an init container that runs",
         R"({"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"running":)"
         R"({}}}],"containerStatuses":[{"name":"a","state":{"waiting":{"reason":)"
         R"("PodInitializing"}}}]}})",
         "", "PodInitializing"},
        {"no image",
         R"({"status":{"phase":"Pending","containerStatuses":[{"name":"a","image":"x/y:v1","state":)"
         R"({"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling"}}}]}})",
         "ImagePullBackOff x/y:v1", "ImagePullBackOff"},
        {"no image of the init container",
         R"({"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","image":"i:1","state":)"
         R"({"waiting":{"reason":"ErrImagePull"}}}],"containerStatuses":[{"name":"a","state":)"
         R"({"waiting":{"reason":"PodInitializing"}}}]}})",
         "ErrImagePull i:1", "ErrImagePull"},
        {"no Secret that its environment names",
         R"({"status":{"phase":"Pending","containerStatuses":[{"name":"a","state":{"waiting":)"
         R"({"reason":"CreateContainerConfigError","message":"secret \"s\" not found"}}}]}})",
         "CreateContainerConfigError of container \"a\": secret \"s\" not found",
         "CreateContainerConfigError"},
        {"ends again and again",
         R"({"status":{"phase":"Running","containerStatuses":[{"name":"a","state":{"waiting":)"
         R"({"reason":"CrashLoopBackOff","message":"back-off 10s"}},"lastState":{"terminated":)"
         R"({"exitCode":1,"reason":"Error"}}}]}})",
         "CrashLoopBackOff of container \"a\": exit code 1", "CrashLoopBackOff"},
        {"needs more memory",
         R"({"status":{"phase":"Running","containerStatuses":[{"name":"a","state":{"terminated":)"
         R"({"exitCode":137,"reason":"OOMKilled"}}}]}})",
         "container \"a\" has terminated: OOMKilled, exit code 137", ""},
        {"is done with its init container",
         R"({"status":{"phase":"Running","initContainerStatuses":[{"name":"i","state":)"
         R"({"terminated":{"exitCode":0}}}],"containerStatuses":[{"name":"a","state":)"
         R"({"running":{}}}]}})",
         "", ""},
        {"was evicted",
         R"({"status":{"phase":"Failed","reason":"Evicted","message":"The node was low on resource: )"
         R"(memory. Threshold quantity: 100Mi"}})",
         "Evicted: The node was low on resource: memory", "Failed"},
        {"has failed", R"({"status":{"phase":"Failed"}})", "Failed", "Failed"},
        {"is being deleted",
         R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Failed"}})",
         "", "Failed"},
    };
    for (const PodCase& one : cases) {
        SCOPED_TRACE(one.name);
        const auto pod = renderer::read_json(one.pod);
        ASSERT_TRUE(pod.has_value());
        EXPECT_EQ(pod_trouble(*pod), one.trouble);
        EXPECT_EQ(pod_progress(*pod), one.progress);
    }
}

TEST(PodState, KnowsTheFirstSentence) {
    EXPECT_EQ(first_sentence("One. Two."), "One");
    EXPECT_EQ(first_sentence("v1.2 is one."), "v1.2 is one");
    EXPECT_EQ(first_sentence("one\ntwo"), "one");
    EXPECT_EQ(first_sentence(""), "");
}

}  // namespace
}  // namespace runtime::operate
