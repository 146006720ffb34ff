#include "runtime/testing/fake_cluster.h"

#include <fmt/format.h>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/objects.h"
#include "runtime/kube/client.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kStep(250);
constexpr Duration kKeyCycle = std::chrono::seconds(86);  // measured with containerboot 1.96.5

}  // namespace

FakeCluster::FakeCluster(FakeLoop& loop, FakeKube& kube, FakeTailnet& tailnet)
    : loop_(loop), kube_(kube), tailnet_(tailnet) {
    tick();
}

std::string FakeCluster::path(std::string_view plural, std::string_view name) {
    return path_of({plural == "statefulsets" ? "/apis/apps/v1" : "/api/v1", plural}, kNamespace,
                   name);
}

void FakeCluster::add_proxy(const std::string& name, int replicas, const std::string& tags) {
    Value annotations = Value::map();
    annotations.put(kContractAnnotation, Value(kContractVersion));
    annotations.put(kParentAnnotation, "Service/apps/" + name);
    annotations.put(kTagsAnnotation, tags);
    kube_.put(
        path("statefulsets", name),
        Value::map({{"metadata",
                     Value::map({{"name", name},
                                 {"namespace", kNamespace},
                                 {"labels", Value::map({{"tailscale.com/managed", "true"},
                                                        {"tailscale.com/parent-resource", name}})},
                                 {"annotations", std::move(annotations)}})},
                    {"spec", Value::map({{"replicas", replicas}})}}));
}

void FakeCluster::tick() {
    run_pods();
    loop_.after(kStep, [this] { tick(); });
}

void FakeCluster::run_pods() {
    for (const std::string& set_path : kube_.paths_below(path("statefulsets", ""))) {
        const auto set = decode_proxy_set(*kube_.find(set_path));
        for (int ordinal = 0; ordinal < set->replicas; ++ordinal) {
            const std::string name = fmt::format("{}-{}", set->name, ordinal);
            if (kube_.find(path("pods", name)) == nullptr) {
                kube_.put(path("pods", name),
                          Value::map({{"metadata",
                                       Value::map({{"name", name}, {"namespace", kNamespace}})}}));
            }
        }
    }
    for (const std::string& pod_path : kube_.paths_below(path("pods", ""))) {
        const Value& pod = *kube_.find(pod_path);
        const std::string name(text_of(pod.at({"metadata", "name"})));
        const auto replica = split_replica(name);
        const Value* set = kube_.find(path("statefulsets", replica->set));
        if (set == nullptr || replica->ordinal >= decode_proxy_set(*set)->replicas) {
            kube_.erase(pod_path);
            continue;
        }
        run_container(name, std::string(text_of(pod.at({"metadata", "uid"}))));
    }
}

void FakeCluster::run_container(const std::string& pod, const std::string& uid) {
    const bool mounts = kube_.find(path("secrets", pod + "-auth")) != nullptr;
    const auto container = containers_.find(uid);
    if (container == containers_.end()) {
        if (mounts && kube_.find(path("secrets", pod)) != nullptr) {
            start(pod, uid);
        }
        return;
    }
    if (container->second.waits_for_key &&
        loop_.now() - container->second.started_at >= kKeyCycle) {
        start(pod, uid);
    }
}

void FakeCluster::start(const std::string& pod, const std::string& uid) {
    const std::string secret = path("secrets", pod);
    Container& container = containers_[uid];
    container = {.started_at = loop_.now(), .waits_for_key = false};
    if (kube_.find(secret) == nullptr) {
        container.waits_for_key = true;
        return;
    }
    kube_.erase_datum(secret, "device_id");
    kube_.set_datum(secret, "pod_uid", uid);
    const auto profile = renderer::read_json(kube_.datum(secret, "profile-1"));
    std::string device(profile ? text_of(profile->at({"Config", "NodeID"})) : std::string_view());
    if (!tailnet_.devices.contains(device)) {
        device = tailnet_.join(kube_.datum(path("secrets", pod + "-auth"), "authkey"), pod);
    }
    if (device.empty()) {
        kube_.set_datum(secret, "reissue_authkey", "file:/etc/tsauth/" + pod + "/authkey");
        container.waits_for_key = true;
        return;
    }
    kube_.set_datum(secret, "_current-profile", "profile-1");
    kube_.set_datum(
        secret, "profile-1",
        renderer::write_json(Value::map({{"Config", Value::map({{"NodeID", device}})}})));
    kube_.set_datum(secret, "device_id", device);
    kube_.set_datum(secret, "device_fqdn", pod + ".tail1a2b3.ts.net.");
}

}  // namespace runtime
