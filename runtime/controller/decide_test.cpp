#include "runtime/controller/decide.h"

#include <gtest/gtest.h>

#include "runtime/controller/device_notes.h"

namespace runtime {
namespace {

const Time kNow = std::chrono::sys_days(std::chrono::year(2026) / 6 / 1);
constexpr Duration kDelay = std::chrono::minutes(5);

// A proxy that has joined and whose key is spent: nothing is to be done.
struct World {
    ProxySet set;
    StateSecret state;
    AuthSecret auth;
    Pod pod;
    bool has_set = true;
    bool has_state = true;
    bool has_auth = true;
    bool has_pod = true;
    std::optional<Sight> sight = {};
    std::string config = {};

    World() {
        set.name = "ts-web-abcde";
        set.contract = "v1";
        set.tags = "tag:k8s";
        set.replicas = 1;
        state.device_id = state.node_id = "n1";
        state.pod_uid = pod.uid = "pod-1";
        auth.version = "7";
        auth.device = "n1";
        auth.device_tags = "tag:k8s";
        auth.device_name = "web.tail1.ts.net";
        auth.device_addresses = "100.64.0.1,fd7a::1";
        auth.device_words = "said";
    }

    void give_key(Duration age) {
        auth.blank = false;
        auth.key_id = "k1";
        auth.key_tags = "tag:k8s";
        auth.key_created = kNow - age;
        auth.key_expires = kNow - age + std::chrono::days(90);
    }
    // As the pod does it: it has taken its device back when it began to run.
    void ask_for_key() {
        state.device_id = "";
        state.wants_key = true;
    }
    // From 1.98 on it takes nothing back.
    void be_new() {
        state.capability_version = "138";
        state.wants_key = true;
        pod.ready = true;
    }
    void forget_device() { state.device_id = state.node_id = ""; }
    // Its config is the one that it has.
    void be_api_proxy() {
        set.is_api_proxy = true;
        config = auth.config = "{}";
        state.device_id = "";
        pod.started_at = kNow - std::chrono::hours(1);
    }
    void be_recorder() {
        set.parent = "Recorder/sessions";
        state.device_id = state.pod_uid = "";
        pod.ready = true;
        pod.started_at = kNow - std::chrono::hours(1);
    }

    [[nodiscard]] std::string decide_all() const {
        const Replica replica{.pod_name = "ts-web-abcde-0",
                              .ordinal = 0,
                              .set = has_set ? &set : nullptr,
                              .state = has_state ? &state : nullptr,
                              .auth = has_auth ? &auth : nullptr,
                              .pod = has_pod ? &pod : nullptr,
                              .config = config,
                              .sight = sight};
        const auto step = decide(replica, kNow, kDelay);
        return step.has_value() ? describe(*step) : "nothing";
    }
};

struct Case {
    const char* name;
    void (*change)(World&);
    const char* want;
};

constexpr auto kMinutes = [](int count) { return Duration(std::chrono::minutes(count)); };

const Case kCases[] = {
    {"all is well", [](World&) {}, "nothing"},
    {"new", [](World& w) { w.has_state = w.has_auth = w.has_pod = false; },
     "create the state Secret"},
    {"state Secret first", [](World& w) { w.has_state = w.has_auth = false; },
     "create the state Secret"},
    {"then the key",
     [](World& w) {
         w.has_auth = false;
         w.forget_device();
     },
     "mint a key (no device yet)"},
    {"no key for a device that has joined before", [](World& w) { w.has_auth = false; },
     "create a blank auth Secret"},
    {"key is not used yet",
     [](World& w) {
         w.give_key(kMinutes(1));
         w.forget_device();
     },
     "nothing"},
    {"key is used",
     [](World& w) {
         w.give_key(kMinutes(1));
         w.auth.device = "";
     },
     "note the device"},
    {"device is noted", [](World& w) { w.give_key(kMinutes(1)); }, "revoke and blank the key"},
    {"device of the pod before",
     [](World& w) {
         w.give_key(kMinutes(1));
         w.state.pod_uid = "pod-0";
     },
     "nothing"},
    {"unused key expires",
     [](World& w) {
         w.give_key(std::chrono::days(89) + kMinutes(1));
         w.forget_device();
     },
     "mint a key (the key expires)"},
    {"unused key of a server whose keys live shortly",
     [](World& w) {
         w.give_key(kMinutes(44));
         w.auth.key_expires = *w.auth.key_created + kMinutes(60);
         w.forget_device();
     },
     "nothing"},
    {"unused key of such a server expires",
     [](World& w) {
         w.give_key(kMinutes(46));
         w.auth.key_expires = *w.auth.key_created + kMinutes(60);
         w.forget_device();
     },
     "mint a key (the key expires)"},
    {"unused key of a server whose keys live hardly at all",
     [](World& w) {
         w.give_key(kMinutes(2));
         w.auth.key_expires = *w.auth.key_created + kMinutes(1);
         w.forget_device();
     },
     "nothing"},
    {"the clocks differ by more than a key's life",
     [](World& w) {
         w.give_key(kMinutes(30));
         w.auth.key_expires = *w.auth.key_created - kMinutes(60);
         w.forget_device();
     },
     "nothing"},
    {"tags change before the key is used",
     [](World& w) {
         w.give_key(kMinutes(1));
         w.forget_device();
         w.set.tags = "tag:web";
     },
     "mint a key (the tags have changed)"},
    {"device of which nobody has asked what it is called",
     [](World& w) { w.auth.device_words = ""; }, "note the device"},
    {"device of which nobody has asked that, with other tags",
     [](World& w) {
         w.auth.device_words = "";
         w.set.tags = "tag:web";
     },
     "set the tags of n1"},
    {"device is called as it is noted",
     [](World& w) {
         w.state.device_fqdn = "web.tail1.ts.net.";
         w.state.addresses = "100.64.0.1";
         w.state.https_endpoint = "no-https";
     },
     "nothing"},
    {"device has another name by now",
     [](World& w) { w.state.device_fqdn = "web-1.tail1.ts.net."; }, "note the device"},
    {"device has another name since a moment",
     [](World& w) {
         w.state.device_fqdn = "web-1.tail1.ts.net.";
         w.sight = {.is_gone = false, .age = std::chrono::seconds(59)};
     },
     "nothing"},
    {"device has another address by now", [](World& w) { w.state.addresses = "10.0.0.53"; },
     "note the device"},
    {"device has no other name, but its pod says so",
     [](World& w) {
         w.state.device_fqdn = "web-1.tail1.ts.net.";
         w.auth.device_words = digest_of_words(w.state);
     },
     "nothing"},
    {"tags of a live device", [](World& w) { w.set.tags = "tag:web"; }, "set the tags of n1"},
    {"device was replaced", [](World& w) { w.auth.device = "n0"; },
     "note the device, delete device n0"},
    {"request", [](World& w) { w.ask_for_key(); },
     "mint a key (the pod asks for one), restart pod pod-1"},
    {"request of a pod that lost its state",
     [](World& w) {
         w.ask_for_key();
         w.forget_device();
     },
     "mint a key (the pod asks for one), delete device n1, restart pod pod-1"},
    {"request of a pod that has joined since", [](World& w) { w.state.wants_key = true; },
     "clear the request"},
    {"request while the newest key may still work",
     [](World& w) {
         w.give_key(kMinutes(2));
         w.ask_for_key();
     },
     "nothing"},
    {"request when the newest key has had its time",
     [](World& w) {
         w.give_key(kMinutes(3));
         w.ask_for_key();
     },
     "mint a key (the pod asks for one), restart pod pod-1"},
    {"request, and the key is of tomorrow",
     [](World& w) {
         w.give_key(-kMinutes(24 * 60));
         w.ask_for_key();
     },
     "mint a key (the pod asks for one), restart pod pod-1"},
    {"request, and the key is of a clock that is a little ahead",
     [](World& w) {
         w.give_key(-kMinutes(1));
         w.ask_for_key();
     },
     "nothing"},
    {"request is answered",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.ask_for_key();
         w.auth.restart_pod = "pod-1";
     },
     "clear the request"},
    {"request is cleared",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.forget_device();
         w.auth.restart_pod = "pod-1";
     },
     "delete pod pod-1"},
    {"request is cleared, and the pod still names the device that it has lost",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.state.device_id = "";
         w.auth.restart_pod = "pod-1";
     },
     "delete pod pod-1"},
    {"request is cleared, and the pod has come up as it was",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.auth.restart_pod = "pod-1";
     },
     "revoke and blank the key"},
    {"recorder's device is gone, and there is a key",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(0));
         w.sight = {.is_gone = true, .age = {}};
         w.auth.restart_pod = "pod-1";
     },
     "delete pod pod-1"},
    {"recorder's device is gone, and the next pod begins with the key",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(0));
         w.sight = {.is_gone = true, .age = {}};
         w.auth.restart_pod = "pod-0";
     },
     "nothing"},
    {"request is cleared, and the pod has joined with the key",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.state.device_id = "n2";
         w.auth.restart_pod = "pod-1";
     },
     "note the device, delete device n1"},
    {"request of a new pod beside a device", [](World& w) { w.be_new(); }, "look for n1"},
    {"request of a new pod whose device was there a while ago",
     [](World& w) {
         w.be_new();
         w.sight = {.is_gone = false, .age = kMinutes(1)};
     },
     "look for n1"},
    {"request of a new pod whose device is there",
     [](World& w) {
         w.be_new();
         w.sight = {.is_gone = false};
     },
     "clear the request"},
    {"request of a new pod whose device is gone",
     [](World& w) {
         w.be_new();
         w.sight = {.is_gone = true};
     },
     "mint a key (the pod asks for one), restart pod pod-1"},
    {"request of a new pod whose device is gone, and the newest key may still work",
     [](World& w) {
         w.be_new();
         w.give_key(kMinutes(2));
         w.sight = {.is_gone = true};
     },
     "nothing"},
    {"request of a new pod whose device is known to be gone, and that key is dead, too",
     [](World& w) {
         w.be_new();
         w.give_key(kMinutes(3));
         w.auth.device_gone = "n1";
     },
     "mint a key (the pod asks for one), restart pod pod-1"},
    {"request of a new pod is answered",
     [](World& w) {
         w.be_new();
         w.give_key(kMinutes(0));
         w.auth.device_gone = "n1";
         w.auth.restart_pod = "pod-1";
     },
     "clear the request"},
    {"request of a new pod is cleared",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.give_key(kMinutes(0));
         w.auth.device_gone = "n1";
         w.auth.restart_pod = "pod-1";
     },
     "delete pod pod-1"},
    {"next pod still names the device that is gone",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.give_key(kMinutes(0));
         w.auth.device_gone = "n1";
         w.auth.restart_pod = "pod-0";
     },
     "nothing"},
    {"next pod has joined with the key",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.give_key(kMinutes(0));
         w.auth.device_gone = "n1";
         w.state.device_id = "n2";
     },
     "note the device, delete device n1"},
    {"next pod has named the device that is gone for long",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.give_key(kMinutes(10));
         w.auth.device_gone = "n1";
         w.pod.started_at = kNow - kMinutes(10);
     },
     "look for n1"},
    {"device that was gone is there after all",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.give_key(kMinutes(10));
         w.auth.device_gone = "n1";
         w.sight = {.is_gone = false};
     },
     "note the device"},
    {"new pod is not ready",
     [](World& w) {
         w.be_new();
         w.state.wants_key = w.pod.ready = false;
         w.auth.device = "";
     },
     "nothing"},
    {"new pod is ready",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.auth.device = "";
     },
     "note the device"},
    {"new API proxy asks",
     [](World& w) {
         w.be_api_proxy();
         w.be_new();
         w.state.device_id = "n1";
         w.sight = {.is_gone = true};
     },
     "mint a key (the pod asks for one), restart pod pod-1"},
    {"recorder's device was gone when its key was minted, whatever process looks",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(0));
         w.auth.device_gone = "n1";
     },
     "nothing"},
    {"recorder's device cannot be noted for long",
     [](World& w) {
         w.be_recorder();
         w.auth.device = "n0";
     },
     "look for n1"},
    {"API proxy's device was never noted, and is gone",
     [](World& w) {
         w.be_api_proxy();
         w.auth.device = "";
         w.sight = {.is_gone = true};
     },
     "mint a key (its device is gone), restart pod pod-1"},
    {"pod is leaving",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.forget_device();
         w.auth.restart_pod = "pod-1";
         w.pod.leaving = true;
     },
     "nothing"},
    {"pod is leaving that still names the device that it has lost",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.auth.restart_pod = "pod-1";
         w.pod.leaving = true;
     },
     "nothing"},
    {"pod was faster, and its device is noted",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.state.device_id = w.auth.device = "n2";
     },
     "revoke and blank the key"},
    {"another tailnet", [](World& w) { w.set.tailnet = "partner"; }, "leave the tailnet"},
    {"another tailnet, and the pod still runs",
     [](World& w) {
         w.set.tailnet = "partner";
         w.has_auth = false;
         w.pod.started_at = kNow - kMinutes(1);
     },
     "delete pod pod-1"},
    {"another tailnet, and the pod is leaving",
     [](World& w) {
         w.set.tailnet = "partner";
         w.has_auth = false;
         w.pod.started_at = kNow - kMinutes(1);
         w.pod.leaving = true;
     },
     "nothing"},
    {"another tailnet, and the next pod waits for its key",
     [](World& w) {
         w.set.tailnet = "partner";
         w.has_auth = false;
     },
     "remove the state Secret"},
    {"recorder", [](World& w) { w.be_recorder(); }, "look for n1"},
    {"recorder's device is there",
     [](World& w) {
         w.be_recorder();
         w.sight = {.is_gone = false, .age = kMinutes(59)};
     },
     "nothing"},
    {"recorder's device was there an hour ago",
     [](World& w) {
         w.be_recorder();
         w.sight = {.is_gone = false, .age = kMinutes(60)};
     },
     "look for n1"},
    {"recorder's device is gone",
     [](World& w) {
         w.be_recorder();
         w.sight = {.is_gone = true};
     },
     "mint a key (its device is gone), restart pod pod-1"},
    {"API proxy has not come up for long", [](World& w) { w.be_api_proxy(); }, "look for n1"},
    {"API proxy's device is there",
     [](World& w) {
         w.be_api_proxy();
         w.sight = {.is_gone = false, .age = kMinutes(9)};
     },
     "nothing"},
    {"API proxy's device was there a while ago",
     [](World& w) {
         w.be_api_proxy();
         w.sight = {.is_gone = false, .age = kMinutes(10)};
     },
     "look for n1"},
    {"API proxy's device is gone",
     [](World& w) {
         w.be_api_proxy();
         w.sight = {.is_gone = true, .age = kMinutes(9)};
     },
     "mint a key (its device is gone), restart pod pod-1"},
    {"API proxy begins to run",
     [](World& w) {
         w.be_api_proxy();
         w.pod.started_at = kNow - kMinutes(9);
     },
     "nothing"},
    {"API proxy waits to be started",
     [](World& w) {
         w.be_api_proxy();
         w.pod.started_at.reset();
     },
     "nothing"},
    {"API proxy runs",
     [](World& w) {
         w.be_api_proxy();
         w.state.device_id = "n1";
     },
     "nothing"},
    {"proxy that would ask has not come up for long",
     [](World& w) {
         w.state.device_id = "";
         w.pod.started_at = kNow - kMinutes(60);
     },
     "nothing"},
    {"recorder has joined",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(1));
         w.auth.device = "";
     },
     "note the device"},
    {"recorder's device is noted",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(1));
     },
     "revoke and blank the key"},
    {"recorder does not run yet",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(1));
         w.pod.ready = false;
         w.auth.device = "";
     },
     "nothing"},
    {"tags of a recorder",
     [](World& w) {
         w.be_recorder();
         w.set.tags = "tag:web";
     },
     "set the tags of n1"},
    {"recorder has lost its state",
     [](World& w) {
         w.be_recorder();
         w.forget_device();
     },
     "mint a key (its state is lost), delete device n1, restart pod pod-1"},
    {"recorder has not joined for long",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(10));
         w.forget_device();
         w.auth.device = "";
     },
     "mint a key (the pod has not joined with the one before), restart pod pod-1"},
    {"recorder has not joined with this key for long",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(9));
         w.forget_device();
     },
     "nothing"},
    {"recorder has run with its key for a while",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(60));
         w.pod.started_at = kNow - kMinutes(9);
         w.forget_device();
     },
     "nothing"},
    {"recorder has not joined for long with a key of tomorrow",
     [](World& w) {
         w.be_recorder();
         w.give_key(-kMinutes(24 * 60));
         w.forget_device();
         w.auth.device = "";
     },
     "mint a key (the pod has not joined with the one before), restart pod pod-1"},
    {"recorder has never started",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(60));
         w.pod.started_at.reset();
         w.forget_device();
     },
     "nothing"},
    {"recorder has used its key, and something else ails it",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(60));
         w.auth.device = "n0";
         w.pod.ready = false;
         w.sight = {.is_gone = false};
     },
     "nothing"},
    {"recorder may have used its key, or its device may be gone",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(60));
         w.pod.ready = false;
     },
     "look for n1"},
    {"gone, pod still there", [](World& w) { w.has_set = false; }, "nothing"},
    {"gone", [](World& w) { w.has_set = w.has_pod = false; }, "mark as gone"},
    {"scaled down",
     [](World& w) {
         w.set.replicas = 0;
         w.has_pod = false;
     },
     "mark as gone"},
    {"gone for a while",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.state.gone_since = "2026-05-31T23:55:01Z";
     },
     "nothing"},
    {"gone for good",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.state.gone_since = "2026-05-31T23:55:00Z";
     },
     "remove"},
    {"mark that nobody can read",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.state.gone_since = "yesterday";
     },
     "mark as gone"},
    {"mark of tomorrow",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.state.gone_since = "2026-06-02T00:00:00Z";
     },
     "mark as gone"},
    {"back again", [](World& w) { w.state.gone_since = "2026-05-31T23:55:00Z"; }, "unmark"},
    {"only the auth Secret is left", [](World& w) { w.has_set = w.has_pod = w.has_state = false; },
     "create the state Secret"},
    {"nothing is left", [](World& w) { w.has_set = w.has_pod = w.has_state = w.has_auth = false; },
     "nothing"},
};

TEST(Decide, OneStepAtATime) {
    for (const Case& one : kCases) {
        SCOPED_TRACE(one.name);
        World world;
        one.change(world);
        EXPECT_EQ(world.decide_all(), one.want);
    }
}

}  // namespace
}  // namespace runtime
