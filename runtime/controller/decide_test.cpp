#include "runtime/controller/decide.h"

#include <gtest/gtest.h>

#include "runtime/testing/decide_world.h"

namespace runtime::controller {
namespace {

using World = DecideWorld;
using Case = DecideCase;

const Case kCases[] = {
    {"nothing to do", [](World&) {}, "nothing"},
    {"new", [](World& w) { w.has_state = w.has_auth = w.has_pod = false; },
     "create the state Secret"},
    {"state Secret first", [](World& w) { w.has_state = w.has_auth = false; },
     "create the state Secret"},
    {"then the key",
     [](World& w) {
         w.has_auth = false;
         w.forget_device();
     },
     "create a key (no device yet)"},
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
     "record the device"},
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
     "create a key (the key expires)"},
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
     "create a key (the key expires)"},
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
     "create a key (the tags have changed)"},
    {"tags of a live device", [](World& w) { w.set.tags = "tag:web"; }, "set the tags of n1"},
    {"device was replaced", [](World& w) { w.auth.device = "n0"; },
     "record the device, delete device n0"},
    {"request", [](World& w) { w.ask_for_key(); },
     "create a key (the pod requests one), restart pod pod-1"},
    {"request of a pod that lost its state",
     [](World& w) {
         w.ask_for_key();
         w.forget_device();
     },
     "create a key (the pod requests one), delete device n1, restart pod pod-1"},
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
     "create a key (the pod requests one), restart pod pod-1"},
    {"request, and the key is of tomorrow",
     [](World& w) {
         w.give_key(-kMinutes(24 * 60));
         w.ask_for_key();
     },
     "create a key (the pod requests one), restart pod pod-1"},
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
    {"recorder's device was deleted, and there is a key",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(0));
         w.answer = {.is_gone = true, .age = {}};
         w.auth.restart_pod = "pod-1";
     },
     "delete pod pod-1"},
    {"recorder's device was deleted, and the next pod begins with the key",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(0));
         w.answer = {.is_gone = true, .age = {}};
         w.auth.restart_pod = "pod-0";
     },
     "nothing"},
    {"request is cleared, and the pod has joined with the key",
     [](World& w) {
         w.give_key(kMinutes(0));
         w.state.device_id = "n2";
         w.auth.restart_pod = "pod-1";
     },
     "record the device, delete device n1"},
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
         w.answer = {.is_gone = false, .age = kMinutes(59)};
     },
     "nothing"},
    {"recorder's device was there an hour ago",
     [](World& w) {
         w.be_recorder();
         w.answer = {.is_gone = false, .age = kMinutes(60)};
     },
     "look for n1"},
    {"recorder's device was deleted",
     [](World& w) {
         w.be_recorder();
         w.answer = {.is_gone = true};
     },
     "create a key (its device was deleted), restart pod pod-1"},
    {"API proxy has not come up for long", [](World& w) { w.be_api_proxy(); }, "look for n1"},
    {"API proxy's device is there",
     [](World& w) {
         w.be_api_proxy();
         w.answer = {.is_gone = false, .age = kMinutes(9)};
     },
     "nothing"},
    {"API proxy's device was there a while ago",
     [](World& w) {
         w.be_api_proxy();
         w.answer = {.is_gone = false, .age = kMinutes(10)};
     },
     "look for n1"},
    {"API proxy's device was deleted",
     [](World& w) {
         w.be_api_proxy();
         w.answer = {.is_gone = true, .age = kMinutes(9)};
     },
     "create a key (its device was deleted), restart pod pod-1"},
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
     "record the device"},
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
     "create a key (its state was lost), delete device n1, restart pod pod-1"},
    {"recorder has not joined for long",
     [](World& w) {
         w.be_recorder();
         w.give_key(kMinutes(10));
         w.forget_device();
         w.auth.device = "";
     },
     "create a key (the pod has not joined with the previous key), restart pod pod-1"},
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
     "create a key (the pod has not joined with the previous key), restart pod pod-1"},
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
         w.answer = {.is_gone = false};
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
    {"gone", [](World& w) { w.has_set = w.has_pod = false; }, "mark as deleted"},
    {"scaled down",
     [](World& w) {
         w.set.replicas = 0;
         w.has_pod = false;
     },
     "mark as deleted"},
    {"gone for a while",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.auth.gone_since = "2026-05-31T23:55:01Z";
     },
     "nothing"},
    {"gone for good",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.auth.gone_since = "2026-05-31T23:55:00Z";
     },
     "remove"},
    {"mark that no one can read",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.auth.gone_since = "yesterday";
     },
     "mark as deleted"},
    {"mark of tomorrow",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.auth.gone_since = "2026-06-02T00:00:00Z";
     },
     "mark as deleted"},
    {"back again", [](World& w) { w.auth.gone_since = "2026-05-31T23:55:00Z"; }, "unmark"},
    {"a mark that a pod has made, or kept from being made",
     [](World& w) {
         w.has_set = w.has_pod = false;
         w.state.gone_since = "2026-05-31T00:00:00Z";
         w.auth.gone_since = "2026-05-31T23:55:01Z";
     },
     "nothing"},
    {"a mark that a pod has made of one that is wanted",
     [](World& w) { w.state.gone_since = "2026-05-31T00:00:00Z"; }, "nothing"},
    {"without an auth Secret the state Secret has the mark",
     [](World& w) {
         w.has_set = w.has_pod = w.has_auth = false;
         w.state.gone_since = "2026-05-31T23:55:00Z";
     },
     "remove"},
    {"only the auth Secret can be seen",
     [](World& w) { w.has_set = w.has_pod = w.has_state = false; }, "mark as deleted"},
    {"only the auth Secret can be seen, for good",
     [](World& w) {
         w.has_set = w.has_pod = w.has_state = false;
         w.auth.gone_since = "2026-05-31T23:55:00Z";
     },
     "remove"},
    {"the state Secret cannot be seen", [](World& w) { w.has_state = false; },
     "create the state Secret"},
    {"tags of a device whose state Secret cannot be seen",
     [](World& w) {
         w.has_state = false;
         w.set.tags = "tag:web";
     },
     "set the tags of n1"},
    {"tags of a device whose pod asks for keys all the time",
     [](World& w) {
         w.state.wants_key = true;
         w.set.tags = "tag:web";
     },
     "set the tags of n1"},
    {"tags of a device whose pod names another one",
     [](World& w) {
         w.state.device_id = w.state.node_id = "n9";
         w.set.tags = "tag:web";
     },
     "set the tags of n1"},
    {"tags of a device whose pod says that it has not joined",
     [](World& w) {
         w.state.pod_uid = "none";
         w.set.tags = "tag:web";
     },
     "set the tags of n1"},
    {"tags that the tailnet has just refused keep nothing else back",
     [](World& w) {
         w.state.wants_key = w.tags_wait = true;
         w.set.tags = "tag:web";
     },
     "clear the request"},
    {"the state Secret is being deleted, and kept by a finalizer",
     [](World& w) { w.state.is_kept = true; }, "remove finalizers from the state Secret"},
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
}  // namespace runtime::controller
