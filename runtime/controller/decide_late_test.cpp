// Tests of `decide` for pods of 1.98, which keep what they know of their device, for devices that
// were deleted, and for pods whose report about their device changes.
#include <gtest/gtest.h>

#include "runtime/controller/decide.h"
#include "runtime/controller/keys/device_notes.h"
#include "runtime/testing/decide_world.h"

namespace runtime::controller {
namespace {

using World = DecideWorld;
using Case = DecideCase;

const Case kLateCases[] = {
    {"device of which no one has asked what it is called",
     [](World& w) { w.auth.device_words = ""; }, "record the device"},
    {"device of which no one has asked that, with other tags",
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
     [](World& w) { w.state.device_fqdn = "web-1.tail1.ts.net."; }, "record the device"},
    {"device has another name since a moment",
     [](World& w) {
         w.state.device_fqdn = "web-1.tail1.ts.net.";
         w.answer = {.is_gone = false, .age = std::chrono::seconds(59)};
     },
     "nothing"},
    {"device has another address by now", [](World& w) { w.state.addresses = "10.0.0.53"; },
     "record the device"},
    {"device has no other name, but its pod says so",
     [](World& w) {
         w.state.device_fqdn = "web-1.tail1.ts.net.";
         w.auth.device_words = digest_of_words(w.state);
     },
     "nothing"},
    {"request of a new pod beside a device", [](World& w) { w.be_new(); }, "look for n1"},
    {"request of a new pod whose device was there a while ago",
     [](World& w) {
         w.be_new();
         w.answer = {.is_gone = false, .age = kMinutes(1)};
     },
     "look for n1"},
    {"request of a new pod whose device is there",
     [](World& w) {
         w.be_new();
         w.answer = {.is_gone = false};
     },
     "clear the request"},
    {"request of a new pod whose device was deleted",
     [](World& w) {
         w.be_new();
         w.answer = {.is_gone = true};
     },
     "create a key (the pod requests one), restart pod pod-1"},
    {"request of a new pod whose device was deleted, and the newest key may still work",
     [](World& w) {
         w.be_new();
         w.give_key(kMinutes(2));
         w.answer = {.is_gone = true};
     },
     "nothing"},
    {"request of a new pod whose device is known to be gone, and that key is dead, too",
     [](World& w) {
         w.be_new();
         w.give_key(kMinutes(3));
         w.auth.device_gone = "n1";
     },
     "create a key (the pod requests one), restart pod pod-1"},
    {"request of a new pod is answered",
     [](World& w) {
         w.be_new();
         w.give_key(kMinutes(0));
         w.auth.device_gone = "n1";
         w.auth.restart_pod = "pod-1";
     },
     "clear the request"},
    {"request of a new pod that should restart and has come with a device meanwhile",
     [](World& w) {
         w.be_new();
         w.give_key(kMinutes(0));
         w.auth.device = "n0";
         w.auth.restart_pod = "pod-1";
     },
     "look for n1"},
    {"request of a new pod is cleared",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.give_key(kMinutes(0));
         w.auth.device_gone = "n1";
         w.auth.restart_pod = "pod-1";
     },
     "delete pod pod-1"},
    {"next pod still names the deleted device",
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
     "record the device, delete device n1"},
    {"next pod has named the device that was deleted long ago",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.give_key(kMinutes(10));
         w.auth.device_gone = "n1";
         w.pod.started_at = kNow - kMinutes(10);
     },
     "look for n1"},
    {"device that was gone exists after all",
     [](World& w) {
         w.be_new();
         w.state.wants_key = false;
         w.give_key(kMinutes(10));
         w.auth.device_gone = "n1";
         w.answer = {.is_gone = false};
     },
     "record the device"},
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
     "record the device"},
    {"new API proxy asks",
     [](World& w) {
         w.be_api_proxy();
         w.be_new();
         w.state.device_id = "n1";
         w.answer = {.is_gone = true};
     },
     "create a key (the pod requests one), restart pod pod-1"},
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
    {"API proxy's device was never noted, and was deleted",
     [](World& w) {
         w.be_api_proxy();
         w.auth.device = "";
         w.answer = {.is_gone = true};
     },
     "create a key (its device was deleted), restart pod pod-1"},
};

TEST(Decide, WhatIsSaidOfADeviceMayBeOld) {
    for (const Case& one : kLateCases) {
        SCOPED_TRACE(one.name);
        World world;
        one.change(world);
        EXPECT_EQ(world.decide_all(), one.want);
    }
}

}  // namespace
}  // namespace runtime::controller
