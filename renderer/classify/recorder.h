// Recorder (tailscale.com/v1alpha1): receives recordings of SSH and kubectl sessions. Maps that go
// to Kubernetes as they are are kept as trees. Source: tailscale v1.96.5
// k8s-operator/apis/v1alpha1/types_recorder.go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent_input.h"
#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer {

// nullptr: absent.
struct RecorderPod {
    const Value* labels = nullptr;
    const Value* annotations = nullptr;
    const Value* affinity = nullptr;
    const Value* security_context = nullptr;
    const Value* image_pull_secrets = nullptr;
    const Value* node_selector = nullptr;
    const Value* tolerations = nullptr;
    const Value* resources = nullptr;                   // of the container
    const Value* container_security_context = nullptr;  // of the container
    std::string_view image, pull_policy;
    std::vector<EnvInput> env;
    std::string_view account;  // "" = named like the Recorder
    Pos account_pos;
    const Value* account_annotations = nullptr;
};

struct RecorderInput : ParentInput {
    const Value* labels = nullptr;       // spec.statefulSet.labels
    const Value* annotations = nullptr;  // spec.statefulSet.annotations
    RecorderPod pod;
    std::vector<TextInput> tags;
    bool ui = false;
    bool s3 = false;
    std::string_view endpoint, bucket, credentials;
    std::int64_t replicas = 1;
    Pos replicas_pos;
    std::string_view tailnet;
    Pos tailnet_pos;
};

RecorderInput decode_recorder(const Document& doc);

}  // namespace renderer
