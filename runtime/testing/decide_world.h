// A replica for tests of `decide`, in a state in which nothing is to be done.
#pragma once

#include <optional>
#include <string>

#include "runtime/controller/decide.h"

namespace runtime {

inline const Time kNow = std::chrono::sys_days(std::chrono::year(2026) / 6 / 1);
inline constexpr Duration kDelay = std::chrono::minutes(5);

// A proxy that has joined and whose key is used: nothing is to be done.
struct DecideWorld {
    controller::ProxySet set;
    controller::StateSecret state;
    controller::AuthSecret auth;
    controller::Pod pod;
    bool has_set = true;
    bool has_state = true;
    bool has_auth = true;
    bool has_pod = true;
    bool tags_wait = false;
    std::optional<controller::DeviceAnswer> answer = {};
    std::string config = {};
    bool is_apart = false;
    std::optional<controller::DeliveredKey> delivered = {};

    DecideWorld() {
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
    // Asks for a key as a pod does, which has removed its device when it started.
    void ask_for_key() {
        state.device_id = "";
        state.wants_key = true;
    }
    // Makes the pod one of 1.98, which does not remove its device.
    void be_new() {
        state.capability_version = "138";
        state.wants_key = true;
        pod.ready = true;
    }
    void forget_device() { state.device_id = state.node_id = ""; }
    // Makes it an API proxy that has its present configuration.
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

    // Puts it into the API proxy's own namespace, where its key was delivered.
    void be_apart() {
        is_apart = true;
        delivered = {.is_there = true, .digest = auth.key_digest};
    }

    [[nodiscard]] std::string decide_all() const {
        const controller::Replica replica{
            .pod_name = "ts-web-abcde-0",
            .ordinal = 0,
            .set = has_set ? &set : nullptr,
            .is_apart = is_apart,
            .state = has_state ? &state : nullptr,
            .auth = has_auth ? &auth : nullptr,
            .delivered = delivered.has_value() ? &*delivered : nullptr,
            .pod = has_pod ? &pod : nullptr,
            .config = config,
            .answer = answer,
            .tags_wait = tags_wait};
        const auto step = controller::decide(replica, kNow, kDelay);
        return step.has_value() ? controller::describe(*step) : "nothing";
    }
};

struct DecideCase {
    const char* name;
    void (*change)(DecideWorld&);
    const char* want;
};

inline constexpr auto kMinutes = [](int count) { return Duration(std::chrono::minutes(count)); };

}  // namespace runtime
