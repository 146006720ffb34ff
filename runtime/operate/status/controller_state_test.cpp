#include "runtime/operate/status/controller_state.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "runtime/base/time_text.h"

namespace runtime::operate {
namespace {

constexpr const char* kReady =
    R"({"metadata":{"name":"operator"},"spec":{"replicas":1,)"
    R"("selector":{"matchLabels":{"app":"operator"}},"template":{"spec":)"
    R"({"containers":[{"args":["controller"]}]}}},)"
    R"("status":{"readyReplicas":1}})";
constexpr const char* kUnready =
    R"({"metadata":{"name":"operator"},"spec":{"selector":{"matchLabels":{"app":"operator"}},)"
    R"("template":{"spec":{"containers":[{"args":["controller"]}]}}}})";
constexpr const char* kRefused =
    R"({"metadata":{"name":"operator"},"spec":{"selector":{"matchLabels":{"app":"operator"}},)"
    R"("template":{"spec":{"containers":[{"args":["controller"]}]}}},"status":{"conditions":)"
    R"([{"type":"Available","status":"False"},{"type":"ReplicaFailure","status":"True","message":)"
    R"("pods \"operator-\" is forbidden: error looking up service account. More"}]}})";
constexpr const char* kScaled =
    R"({"metadata":{"name":"operator"},"spec":{"replicas":0,"template":{"spec":)"
    R"({"containers":[{"args":["controller"]}]}}},"status":{"readyReplicas":1}})";
constexpr const char* kTheirs =
    R"({"metadata":{"name":"operator"},"spec":{"template":{"spec":{"containers":[{}]}}}})";

constexpr const char* kNoImage =
    R"({"metadata":{"labels":{"app":"operator"}},"status":{"containerStatuses":[{"image":)"
    R"("registry.example.com/tailrender-runtime:v0.0.9","state":{"waiting":{"reason":"ErrImagePull"}}}]}})";
constexpr const char* kCreating =
    R"({"metadata":{"labels":{"app":"operator"}},"status":{"containerStatuses":[{"state":)"
    R"({"waiting":{"reason":"ContainerCreating"}}}]}})";
constexpr const char* kStarted =
    R"({"metadata":{"labels":{"app":"operator"}},"status":{"phase":"Running"}})";
constexpr const char* kLeaving =
    R"({"metadata":{"labels":{"app":"operator"},"deletionTimestamp":"2026-01-01T00:00:00Z"}})";
constexpr const char* kOther = R"({"metadata":{"labels":{"app":"other"}}})";

constexpr const char* kFresh =
    R"({"metadata":{"name":"tailrender-controller"},"spec":{"holderIdentity":"operator-1",)"
    R"("renewTime":"2026-11-22T17:00:00.000000Z"}})";
constexpr const char* kAhead =
    R"({"metadata":{"name":"tailrender-controller"},"spec":{"holderIdentity":"operator-1",)"
    R"("renewTime":"2026-11-22T17:05:00.000000Z"}})";
constexpr const char* kOld =
    R"({"metadata":{"name":"tailrender-controller"},"spec":{"holderIdentity":"operator-1",)"
    R"("renewTime":"2026-11-22T16:00:00.000000Z"}})";
constexpr const char* kFree =
    R"({"metadata":{"name":"tailrender-controller"},"spec":{"holderIdentity":"",)"
    R"("renewTime":"2026-11-22T17:00:00.000000Z"}})";

Listed listed(const std::string& object) {
    Listed out;
    if (object == "forbidden") {
        out.refusal = "cannot list them: forbidden";
    } else if (!object.empty()) {
        out.objects.push_back(std::move(*renderer::read_json(object)));
    }
    return out;
}

struct Case {
    std::string name, deployment, pod, lease, state, reason;
};

TEST(ControllerState, TellsWhetherItRuns) {
    const std::string unready = "Deployment \"operator\": 0 of 1 ready; ";
    const Case cases[] = {
        {"runs", kReady, kStarted, kFresh, "running", ""},
        {"its clock is ahead", kReady, kStarted, kAhead, "running", ""},
        {"scaled to 0", kScaled, "", kFree, "not running",
         "Deployment \"operator\" is scaled to 0"},
        {"no image", kUnready, kNoImage, kFree, "not running",
         unready + "its pod: ErrImagePull registry.example.com/tailrender-runtime:v0.0.9"},
        {"no Secret yet", kUnready, kCreating, "", "not running",
         unready + "its pod: ContainerCreating"},
        {"has not read the cluster yet", kUnready, kStarted, kFresh, "starting",
         unready + "its pod is not ready"},
        {"waits for the Lease", kUnready, kStarted, kFree, "not running",
         unready + "its pod is not ready"},
        {"was killed", kUnready, kCreating, kFresh, "not running",
         unready + "its pod: ContainerCreating"},
        {"its pod ends", kUnready, kLeaving, kFresh, "not running", unready + "it has no pod"},
        {"another's pod", kUnready, kOther, kFresh, "not running", unready + "it has no pod"},
        {"no account", kRefused, "", "", "not running",
         unready +
             "it has no pod: pods \"operator-\" is forbidden: error looking up service account"},
        {"no right to list pods", kUnready, "forbidden", kFree, "not running",
         "Deployment \"operator\": 0 of 1 ready"},
        {"hangs", kReady, kStarted, kOld, "not running",
         "Deployment \"operator\": 1 of 1 ready, but Lease \"tailrender-controller\" was last "
         "renewed at 2026-11-22T16:00:00Z"},
        {"does not lead", kReady, kStarted, kFree, "not running",
         "Deployment \"operator\": 1 of 1 ready, but no one holds Lease \"tailrender-controller\""},
        {"has never led", kReady, kStarted, "", "not running",
         "Deployment \"operator\": 1 of 1 ready, but Lease \"tailrender-controller\" does not "
         "exist"},
        {"no right to list Leases", kReady, kStarted, "forbidden", "running", ""},
        {"no right to list Deployments", "forbidden", kStarted, kFresh, "running", ""},
        {"hangs, no right to list Deployments", "forbidden", kStarted, kOld, "not running",
         "Lease \"tailrender-controller\" was last renewed at 2026-11-22T16:00:00Z"},
        {"no rights", "forbidden", "forbidden", "forbidden", "unknown",
         "neither Deployments nor Leases can be listed"},
        {"no controller", "", "", "", "not installed", "no Deployment runs it"},
        {"the operator", kTheirs, kStarted, "", "not installed",
         "Deployment \"operator\" is the Tailscale operator's"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const ControllerState state =
            controller_state(listed(one.deployment), listed(one.pod), listed(one.lease),
                             *parse_time("2026-11-22T17:00:59Z"));
        EXPECT_EQ(state.state, one.state);
        EXPECT_EQ(state.reason, one.reason);
        EXPECT_EQ(state.is_running(), one.state == "running");
    }
}

TEST(ControllerState, KnowsWhenItWasLastSeen) {
    const Time now = *parse_time("2026-11-22T17:00:59Z");
    EXPECT_EQ(controller_state(listed(kScaled), {}, listed(kOld), now).last_seen,
              parse_time("2026-11-22T16:00:00Z"));
    EXPECT_EQ(controller_state(listed(kScaled), {}, {}, now).last_seen, std::nullopt);
}

}  // namespace
}  // namespace runtime::operate
