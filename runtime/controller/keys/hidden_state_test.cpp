// A pod hides its state Secret from the controller, or blocks its removal, by its labels,
// annotations, finalizers, owners or size: once, and again every second, as another replica of its
// StatefulSet can with its token.
#include <gtest/gtest.h>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
namespace {

using renderer::text_of;
using renderer::Value;

Value& map_in(Value& metadata, std::string_view field) {
    if (metadata.find(field) == nullptr) {
        metadata.put(field, Value::map());
    }
    return *metadata.find(field);
}

Value nested(int levels) {
    Value value = Value::map();
    for (int i = 0; i < levels; ++i) {
        value = Value::map({{"f:x", std::move(value)}});
    }
    return value;
}

struct Hiding {
    const char* name;
    void (*change)(Value& secret, Value& metadata);
    bool is_collected = false;  // its owner does not exist
};

const Hiding kHidings[] = {
    {"without its label",
     [](Value&, Value& metadata) { map_in(metadata, "labels").erase(renderer::kSecretLabel); }},
    {"with the label of an auth Secret",
     [](Value&, Value& metadata) {
         map_in(metadata, "labels")
             .put(Value(renderer::kSecretLabel), Value(renderer::kAuthSecret));
     }},
    {"with the label of a certificate",
     [](Value&, Value& metadata) {
         map_in(metadata, "labels")
             .put(Value(renderer::kSecretLabel), Value(renderer::kCertificateSecret));
     }},
    {"without labels and annotations",
     [](Value&, Value& metadata) {
         metadata.erase("labels");
         metadata.erase("annotations");
     }},
    {"with a finalizer",
     [](Value&, Value& metadata) {
         metadata.put("finalizers", Value::list({Value("example.com/mine")}));
     }},
    {"with an owner that does not exist",
     [](Value&, Value& metadata) {
         metadata.put("ownerReferences",
                      Value::list({Value::map({{"kind", "ConfigMap"}, {"uid", "none"}})}));
     },
     true},
    {"with what is nested too deep, and annotations that are not text",
     [](Value&, Value& metadata) {
         metadata.put("managedFields", Value::list({Value::map({{"fieldsV1", nested(200)}})}));
         Value& annotations = map_in(metadata, "annotations");
         annotations.put("a/nul", Value(std::string_view("\0\x1b[2J\xe2\x80\xae", 8)));
         annotations.put(Value(renderer::kGoneAnnotation), Value("2020-01-01T00:00:00Z"));
     }},
    {"of 1 MiB, with as many annotations as it may have, and no label",
     [](Value& secret, Value& metadata) {
         Value& annotations = map_in(metadata, "annotations");
         annotations.put("a/long", Value(std::string((std::size_t{256} << 10U) - 500, 'x')));
         metadata.erase("labels");
         secret.put("data", Value::map({{"a", Value(std::string(std::size_t{4} << 18U, 'A'))}}));
     }},
    {"by all of that",
     [](Value&, Value& metadata) {
         metadata.erase("labels");
         metadata.put("finalizers", Value::list({Value("example.com/mine")}));
         metadata.put(
             "annotations",
             Value::map({{"a/long", Value(std::string((std::size_t{256} << 10U) - 500, 'x'))}}));
     }},
};

// A cluster of two proxies, of which the first hides its state.
class HidingWorld : public ControllerTest {
public:
    HidingWorld() {
        cluster.add_proxy("a");
        cluster.add_proxy("b");
        start();
        run(kMinute);
        own = device_of("a-0");
        EXPECT_TRUE(tailnet.devices.contains(own));
    }
    void TestBody() override {}

    void hide(const Hiding& how) {
        const std::string path = secret("a-0");
        if (kube.find(path) == nullptr) {
            return;
        }
        Value state = kube.find(path)->clone();
        Value& metadata = *state.find("metadata");
        if (metadata.find("deletionTimestamp") == nullptr) {
            how.change(state, metadata);
            kube.put(path, std::move(state));
        }
        if (how.is_collected) {
            kube.erase(path);
        }
    }
    // Hides it again and again for this long.
    void keep_hiding(const Hiding& how, Duration duration) {
        for (Duration passed = {}; passed < duration; passed += kSecond) {
            hide(how);
            run(kSecond);
        }
    }
    void start_again() {
        process.reset();
        start();
    }
    void expect_nothing_left() {
        EXPECT_FALSE(tailnet.devices.contains(own));
        EXPECT_EQ(kube.find(secret("a-0")), nullptr);
        EXPECT_EQ(kube.find(secret("a-0-auth")), nullptr);
        expect_converged({"b-0"});
    }
    std::string event(std::string_view reason) {
        for (const char* ns : {"tailscale", "apps"}) {
            for (const std::string& path :
                 kube.paths_below(std::string("/api/v1/namespaces/") + ns + "/events")) {
                if (text_of(kube.find(path)->find("reason")) == reason) {
                    return std::string(text_of(kube.find(path)->find("message")));
                }
            }
        }
        return {};
    }

    using ControllerTest::cluster;
    using ControllerTest::device_of;
    using ControllerTest::kube;
    using ControllerTest::network;
    using ControllerTest::run;
    using ControllerTest::secret;
    using ControllerTest::tailnet;
    std::string own;
};

TEST(HiddenStateTest, WhileItIsWantedItsDeviceGetsItsTagsAndOthersAreServed) {
    for (const Hiding& how : kHidings) {
        SCOPED_TRACE(how.name);
        HidingWorld world;
        world.keep_hiding(how, 5 * kSecond);
        world.cluster.annotate("a", renderer::kTagsAnnotation, "tag:web");
        world.keep_hiding(how, 10 * kSecond);
        ASSERT_TRUE(world.tailnet.devices.contains(world.own));
        EXPECT_EQ(world.tailnet.devices.at(world.own).tags, std::vector<std::string>{"tag:web"});
        world.start_again();  // it lists everything
        world.cluster.add_proxy("c");
        world.keep_hiding(how, 20 * kSecond);
        EXPECT_NE(world.device_of("c-0"), "");
    }
}

TEST(HiddenStateTest, WhatWasHiddenWhileItWasWantedIsRemovedWithItsProxy) {
    for (const Hiding& how : kHidings) {
        SCOPED_TRACE(how.name);
        HidingWorld world;
        world.hide(how);
        world.cluster.remove_proxy("a");
        world.run(10 * kMinute);
        world.expect_nothing_left();
    }
}

TEST(HiddenStateTest, WhatIsHiddenAgainAndAgainWhileItIsUnwantedIsRemovedToo) {
    for (const Hiding& how : kHidings) {
        SCOPED_TRACE(how.name);
        HidingWorld world;
        world.cluster.remove_proxy("a");
        world.keep_hiding(how, 7 * kMinute);
        world.run(5 * kMinute);
        world.expect_nothing_left();
    }
}

TEST(HiddenStateTest, ARemovalThatWasInterruptedIsCompleted) {
    HidingWorld world;
    world.hide(kHidings[0]);
    world.cluster.remove_proxy("a");
    bool is_down = true;
    world.network.fault = [&is_down](const HttpRequest& request) {
        return is_down && request.method == "DELETE" && request.url.ends_with("/secrets/a-0")
                   ? Fault::Broken
                   : Fault::None;
    };
    world.run(10 * kMinute);
    EXPECT_NE(world.kube.find(HidingWorld::secret("a-0-auth")), nullptr);
    is_down = false;
    world.start_again();
    world.run(10 * kMinute);
    world.expect_nothing_left();
}

TEST(HiddenStateTest, ItGetsItsLabelBackAndAnEventSaysSo) {
    HidingWorld world;
    const std::string path = HidingWorld::secret("a-0");
    const Value before = world.kube.find(path)->find("metadata")->clone();
    world.hide(kHidings[3]);
    world.run(kMinute);
    const Value& after = *world.kube.find(path)->find("metadata");
    EXPECT_EQ(*after.find("labels"), *before.find("labels"));
    EXPECT_EQ(*after.find("annotations"), *before.find("annotations"));
    EXPECT_EQ(world.event("StateSecretRestored"),
              "a-0: its state Secret had lost its label \"tailrender.dev/secret\", which only its "
              "pod or a user can have removed; its labels and annotations were restored");
    EXPECT_EQ(world.device_of("a-0"), world.own);
}

// A rollback needs the record to find the Secret.
TEST(HiddenStateTest, TheRecordOfAnAdoptionStays) {
    for (const std::string_view record : {"true", "xxxxxxxxxxxxxxxxx"}) {
        HidingWorld world;
        const std::string path = HidingWorld::secret("a-0");
        Value state = world.kube.find(path)->clone();
        Value& metadata = *state.find("metadata");
        map_in(metadata, "annotations").put(Value(renderer::kTakenAnnotation), Value(record));
        map_in(metadata, "labels").erase(renderer::kSecretLabel);
        world.kube.put(path, std::move(state));
        world.run(kMinute);
        EXPECT_EQ(annotation_of(*world.kube.find(path), renderer::kTakenAnnotation),
                  record == "true" ? "true" : "");
        EXPECT_EQ(label_of(*world.kube.find(path), renderer::kSecretLabel), renderer::kStateSecret);
    }
}

// Without an auth Secret nothing proves that the Secret is ours.
TEST(HiddenStateTest, ASecretOfThatNameIsNotTakenOver) {
    HidingWorld world;
    const std::string path = HidingWorld::secret("c-0");
    world.kube.put(
        path, Value::map({{"metadata", Value::map({{"name", "c-0"}, {"namespace", "tailscale"}})},
                          {"data", Value::map({{"mine", "eA=="}})}}));
    world.cluster.add_proxy("c");
    world.run(kMinute);
    EXPECT_EQ(world.kube.find(path)->at({"metadata", "labels"}), nullptr);
    EXPECT_EQ(world.event("CannotPrepareProxy"),
              "c-0: Secret \"c-0\" exists and belongs to another user or controller");
    world.cluster.remove_proxy("c");
    world.run(20 * kMinute);
    EXPECT_NE(world.kube.find(path), nullptr);
}

// The pod has requested the key, and may join with it at any moment, so it must not be lost.
TEST(HiddenStateTest, AKeyStaysBesideTheDeviceThatGetsItsTags) {
    HidingWorld world;
    const std::string path = HidingWorld::secret("a-0");
    const std::string auth = HidingWorld::secret("a-0-auth");
    world.cluster.refused_pods.insert("a-0");  // once it is deleted for the key
    for (const char* datum : {"profile-1", "device_id"}) {
        world.kube.erase_datum(path, datum);
    }
    world.kube.set_datum(path, "reissue_authkey", "file:/etc/tsauth");
    world.run(kSecond);
    world.cluster.annotate("a", renderer::kTagsAnnotation, "tag:web");
    world.run(kSecond);
    EXPECT_EQ(annotation_of(*world.kube.find(auth), renderer::kDeviceTagsAnnotation), "tag:web");
    const auto usable = world.tailnet.usable_keys();
    ASSERT_EQ(usable.size(), 1U);
    EXPECT_EQ(world.kube.datum(auth, "authkey"), world.tailnet.keys.at(usable[0]).secret);
}

TEST(HiddenStateTest, OneThatAUserDeletesIsNotKeptByItsPod) {
    HidingWorld world;
    const std::string path = HidingWorld::secret("a-0");
    Value state = world.kube.find(path)->clone();
    state.find("metadata")->put("finalizers", Value::list({Value("example.com/mine")}));
    state.find("metadata")->put("deletionTimestamp", "2026-01-01T00:00:00Z");
    world.kube.put(path, std::move(state));
    world.run(kMinute);
    ASSERT_NE(world.kube.find(path), nullptr);
    EXPECT_EQ(world.kube.find(path)->at({"metadata", "finalizers"}), nullptr);
    EXPECT_EQ(world.kube.find(path)->at({"metadata", "deletionTimestamp"}), nullptr);
}

}  // namespace
}  // namespace runtime::controller
