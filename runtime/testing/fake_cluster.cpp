#include "runtime/testing/fake_cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/relay_config.h"
#include "renderer/contract/tailnet_config.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/relays/relay_objects.h"
#include "runtime/controller/view/objects.h"
#include "runtime/kube/client.h"

namespace runtime {

using namespace controller;

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kStep(250);
constexpr Duration kGrace = std::chrono::seconds(1);
constexpr Duration kKeyCycle = std::chrono::seconds(86);   // measured with containerboot 1.96.5
constexpr Duration kLongCycle = std::chrono::minutes(10);  // 1.98, kube/authkey/authkey.go

Value child_metadata(const std::string& name, const std::string& parent, const std::string& ns) {
    return Value::map({{"name", name},
                       {"namespace", ns},
                       {"labels", Value::map({{"tailscale.com/managed", "true"},
                                              {"tailscale.com/parent-resource", parent},
                                              {"tailscale.com/parent-resource-ns", "apps"},
                                              {"tailscale.com/parent-resource-type", "svc"}})}});
}

bool is_leaving(const Value& object) {
    return object.at({"metadata", "deletionTimestamp"}) != nullptr;
}

std::string hostnames_of(const std::string& set, int replicas) {
    std::string hostnames;
    for (int ordinal = 0; ordinal < replicas; ++ordinal) {
        hostnames += fmt::format("{}{}-{}", ordinal == 0 ? "" : ",", set, ordinal);
    }
    return hostnames;
}

}  // namespace

FakeCluster::FakeCluster(FakeLoop& loop, FakeKube& kube, FakeTailnet& tailnet, std::string_view ns)
    : loop_(loop), kube_(kube), tailnet_(tailnet), ns_(ns) {
    tick();
}

std::string FakeCluster::path(std::string_view plural, std::string_view name, std::string_view ns) {
    return kube::path_of(*std::ranges::find(renderer::kKinds, plural, &renderer::Kind::plural), ns,
                         name);
}

void FakeCluster::add_proxy(const std::string& name, int replicas, const std::string& tags,
                            const std::string& parent) {
    const std::string& its_parent = parent.empty() ? name : parent;
    Value metadata = child_metadata(name, its_parent, ns_);
    metadata.put("annotations", Value::map());
    Value& annotations = *metadata.find("annotations");
    annotations.put(renderer::kContractAnnotation, Value(renderer::kContractVersion));
    annotations.put(renderer::kParentAnnotation, "Service/apps/" + its_parent);
    annotations.put(renderer::kTagsAnnotation, tags);
    annotations.put(renderer::kHostnameAnnotation, hostnames_of(name, replicas));
    kube_.put(own("statefulsets", name),
              Value::map({{"metadata", std::move(metadata)},
                          {"spec", Value::map({{"replicas", replicas}})}}));
}

void FakeCluster::add_api_proxy() {
    const std::string name = "kube-apiserver-proxy";
    add_proxy(name, 1, "tag:k8s-operator", "operator");
    annotate(name, renderer::kParentAnnotation, "Deployment/tailscale/operator");
    const std::string set = own("statefulsets", name);
    Value object = kube_.find(set)->clone();
    object.find("metadata")
        ->put("labels", Value::map({{"tailscale.com/managed", "true"},
                                    {"tailscale.com/parent-resource", "operator"},
                                    {"tailscale.com/parent-resource-ns", "tailscale"},
                                    {"tailscale.com/parent-resource-type", "api-proxy"}}));
    kube_.put(set, std::move(object));
}

void FakeCluster::annotate(const std::string& set, std::string_view key, std::string_view value) {
    Value object = kube_.find(own("statefulsets", set))->clone();
    Value& annotations = *object.find("metadata")->find("annotations");
    annotations.erase(key);
    put_if(annotations, !value.empty(), Value(key), Value(value));
    kube_.put(own("statefulsets", set), std::move(object));
}

void FakeCluster::add_tailnet(const std::string& name, const std::string& url,
                              FakeTailnet& tailnet) {
    tailnets_[name] = &tailnet;
    kube_.put(own("configmaps", std::string(renderer::kTailnetPrefix) + name),
              renderer::tailnet_map(ns_, name, url, name));
    kube_.put(
        own("secrets", name),
        Value::map(
            {{"metadata",
              Value::map({{"name", name},
                          {"namespace", ns_},
                          {"labels", Value::map({{Value(renderer::kTailnetLabel), name}})}})}}));
    kube_.set_datum(own("secrets", name), "client_id", "id-of-" + name);
    kube_.set_datum(own("secrets", name), "client_secret", tailnet.wanted_secret);
}

FakeTailnet& FakeCluster::tailnet_of(const std::string& name) {
    return name.empty() ? tailnet_ : *tailnets_.at(name);
}

void FakeCluster::add_group(const std::string& name, int replicas, bool is_api_proxy) {
    Value annotations = Value::map({{renderer::kContractAnnotation, renderer::kContractVersion}});
    annotations.put(renderer::kParentAnnotation, "ProxyGroup/" + name);
    annotations.put(renderer::kTagsAnnotation, "tag:k8s");
    annotations.put(renderer::kHostnameAnnotation, hostnames_of(name, replicas));
    Value env = Value::list();
    if (is_api_proxy) {
        env.append(Value::map({{"name", "TS_K8S_PROXY_CONFIG"}}));
    }
    kube_.put(
        own("statefulsets", name),
        Value::map(
            {{"metadata",
              Value::map({{"name", name},
                          {"namespace", ns_},
                          {"labels", Value::map({{"tailscale.com/managed", "true"},
                                                 {"tailscale.com/parent-resource", name}})},
                          {"annotations", std::move(annotations)}})},
             {"spec",
              Value::map(
                  {{"replicas", replicas},
                   {"template",
                    Value::map({{"spec", Value::map({{"containers",
                                                      Value::list({Value::map(
                                                          {{"env", std::move(env)}})})}})}})}})}}));
}

void FakeCluster::offer(const std::string& group, const Value& data) {
    put_config_map(std::string(renderer::kGroupPrefix) + group, data);
}

void FakeCluster::add_relay(const std::string& name, int replicas) {
    const std::string set = relay_set_name(name);
    Value annotations = Value::map({{renderer::kContractAnnotation, renderer::kContractVersion}});
    annotations.put(renderer::kParentAnnotation, "PeerRelay/" + name);
    annotations.put(renderer::kTagsAnnotation, "tag:k8s");
    annotations.put(renderer::kHostnameAnnotation, hostnames_of(set, replicas));
    Value labels = Value::map({{"tailscale.com/managed", "true"},
                               {"tailscale.com/parent-resource", name},
                               {"tailscale.com/parent-resource-type", "peerrelay"}});
    kube_.put(own("statefulsets", set),
              Value::map({{"metadata", Value::map({{"name", set},
                                                   {"namespace", ns_},
                                                   {"labels", std::move(labels)},
                                                   {"annotations", std::move(annotations)}})},
                          {"spec", Value::map({{"replicas", replicas}})}}));
}

void FakeCluster::configure_relay(const std::string& name, const Value& data) {
    put_config_map(std::string(renderer::kRelayPrefix) + name, data);
}

void FakeCluster::put_config_map(const std::string& name, const Value& data) {
    Value annotations = Value::map({{renderer::kContractAnnotation, renderer::kContractVersion}});
    kube_.put(own("configmaps", name),
              Value::map({{"metadata", Value::map({{"name", name},
                                                   {"namespace", ns_},
                                                   {"annotations", std::move(annotations)}})},
                          {"data", data.clone()}}));
}

void FakeCluster::advertise(const std::string& pod, const std::vector<std::string>& services) {
    const std::string secret = own("secrets", pod);
    auto profile = renderer::read_json(kube_.datum(secret, "profile-1"));
    Value list = Value::list();
    for (const std::string& service : services) {
        list.append(service);
    }
    profile->put("AdvertiseServices", std::move(list));
    kube_.set_datum(secret, "profile-1", renderer::write_json(*profile));
}

void FakeCluster::add_operator_proxy(const std::string& name, const std::string& parent, int joined,
                                     int replicas) {
    Value service =
        Value::map({{"metadata", child_metadata(name, parent, ns_)}, {"spec", Value::map()}});
    service.find("metadata")->put("generateName", "ts-" + parent + "-");
    kube_.put(own("services", name), std::move(service));
    for (int ordinal = 0; ordinal < replicas; ++ordinal) {
        const std::string pod = fmt::format("{}-{}", name, ordinal);
        kube_.put(own("secrets", pod),
                  Value::map({{"metadata", child_metadata(pod, parent, ns_)}}));
        kube_.set_datum(own("secrets", pod), "cap-107.hujson", "{}");
        if (ordinal < joined) {
            log_in(pod, parent);
        }
    }
    kube_.put(own("statefulsets", name),
              Value::map({{"metadata", child_metadata(name, parent, ns_)},
                          {"spec", Value::map({{"replicas", replicas}})}}));
}

void FakeCluster::log_in(const std::string& pod, const std::string& parent) {
    const int ordinal = split_replica(pod)->ordinal;
    const std::string name = parent + (ordinal == 0 ? "" : fmt::format("-{}", ordinal));
    const std::string id = "nOLD-" + name;
    tailnet_.devices[id] = {id, "apps-" + name, "", "apps-" + name, {"tag:k8s"}};
    kube_.set_datum(own("secrets", pod), "_machinekey", "privkey:" + name);
    kube_.erase_datum(own("secrets", pod), "reissue_authkey");
    write_profile(own("secrets", pod), tailnet_.devices.at(id));
    if (const Value* object = kube_.find(own("pods", pod)); object != nullptr) {
        start(pod, std::string(text_of(object->at({"metadata", "uid"}))));
    }
}

void FakeCluster::write_profile(const std::string& secret, const FakeTailnet::Device& device) {
    kube_.set_datum(secret, "_current-profile", "profile-1");
    const Value user = Value::map({{"LoginName", device.name + ".tail1a2b3.ts.net"}});
    kube_.set_datum(
        secret, "profile-1",
        renderer::write_json(Value::map(
            {{"Config", Value::map({{"NodeID", device.id}, {"UserProfile", user.clone()}})}})));
}

void FakeCluster::write_status(const std::string& pod, const Container& container) {
    Value object = kube_.find(own("pods", pod))->clone();
    Value conditions = Value::list();
    if (!container.waits_for_key || !container.has_probe) {
        conditions.append(Value::map({{"type", "Ready"}, {"status", "True"}}));
    }
    Value running = Value::map(
        {{"running", Value::map({{"startedAt", format_seconds(container.started_at)}})}});
    Value status = Value::list({Value::map({{"restartCount", container.restarts}})});
    status.items()[0].put("state", std::move(running));
    object.put("status", Value::map({{"phase", "Running"},
                                     {"startTime", format_seconds(container.first_started_at)},
                                     {"conditions", std::move(conditions)},
                                     {"containerStatuses", std::move(status)}}));
    kube_.put(own("pods", pod), std::move(object));
}

void FakeCluster::add_operator() {
    kube_.put(
        own("deployments", "operator"),
        Value::map(
            {{"metadata", Value::map({{"name", "operator"}, {"namespace", ns_}})},
             {"spec",
              Value::map({{"replicas", 1},
                          {"selector",
                           Value::map({{"matchLabels", Value::map({{"app", "operator"}})}})}})}}));
}

void FakeCluster::tick() {
    if (!is_idle()) {
        seen_ = {kube_.version(), held, refused_pods, lost_pods, keep_device};
        due_ = Duration::max();
        run_operator();
        run_pods();
    }
    loop_.after(kStep, [this] { tick(); });
}

void FakeCluster::run_operator() {
    const std::string pod = own("pods", "operator-5d8f9-x2x4q");
    const Value* deployment = kube_.find(own("deployments", "operator"));
    if (deployment == nullptr) {
        return;
    }
    const bool wanted = deployment->at({"spec", "replicas"})->as_int() != 0;
    if (wanted && kube_.find(pod) == nullptr) {
        kube_.put(pod, Value::map({{"metadata",
                                    Value::map({{"name", "operator-5d8f9-x2x4q"},
                                                {"namespace", ns_},
                                                {"labels", Value::map({{"app", "operator"}})}})}}));
    } else if (!wanted && kube_.find(pod) != nullptr) {
        stop(pod);
    }
    if (kube_.find(pod) != nullptr) {
        hold_objects();
    }
}

void FakeCluster::hold_objects() {
    for (const auto& [its_path, finalizer] : held) {
        const Value* object = kube_.find(its_path);
        const Value* present = object == nullptr ? nullptr : object->at({"metadata", "finalizers"});
        if (present == nullptr || is_leaving(*object)) {
            continue;
        }
        const auto all = present->items();
        if (std::none_of(all.begin(), all.end(), [&wanted = finalizer](const Value& one) {
                return text_of(one) == wanted;
            })) {
            Value changed = object->clone();
            changed.find("metadata")->find("finalizers")->append(finalizer);
            kube_.put(its_path, std::move(changed));
        }
    }
}

void FakeCluster::run_pods() {
    for (const std::string& set : kube_.paths_below(own("statefulsets", ""))) {
        run_set(set);
    }
    for (const std::string& pod_path : kube_.paths_below(own("pods", ""))) {
        const Value& pod = *kube_.find(pod_path);
        const std::string name(text_of(pod.at({"metadata", "name"})));
        const auto replica = split_replica(name);
        if (!replica.has_value()) {
            continue;
        }
        const Value* set = kube_.find(own("statefulsets", replica->set));
        const bool is_wanted = set != nullptr && !is_leaving(*set) && !is_leaving(pod) &&
                               replica->ordinal < decode_proxy_set(*set)->replicas;
        is_wanted ? run_container(name, std::string(text_of(pod.at({"metadata", "uid"}))))
                  : stop(pod_path);
    }
}

void FakeCluster::run_set(const std::string& its_path) {
    const Value& object = *kube_.find(its_path);
    const auto set = decode_proxy_set(object);
    bool has_pods = false;
    for (int ordinal = 0; ordinal < set->replicas; ++ordinal) {
        const std::string name = fmt::format("{}-{}", set->name, ordinal);
        const bool exists = kube_.find(own("pods", name)) != nullptr;
        has_pods = has_pods || exists;
        if (!exists && !is_leaving(object) && !refused_pods.contains(name)) {
            kube_.put(
                own("pods", name),
                Value::map(
                    {{"metadata", Value::map({{"name", name},
                                              {"namespace", ns_},
                                              {"finalizers", Value::list({Value("kubelet")})}})}}));
        }
    }
    if (is_leaving(object) && !has_pods) {
        kube_.erase(its_path);
    }
}

// Ends a pod as the kubelet does: its container ends some time after the pod was marked.
void FakeCluster::stop(const std::string& pod) {
    Value object = kube_.find(pod)->clone();
    const std::string uid(text_of(object.at({"metadata", "uid"})));
    if (lost_pods.contains(std::string(text_of(object.at({"metadata", "name"}))))) {
        return;
    }
    if (const auto stops_at = stops_at_.find(uid); stops_at != stops_at_.end()) {
        due_ = std::min(due_, stops_at->second);
        if (loop_.uptime() >= stops_at->second) {
            kube_.erase(pod);
        }
        return;
    }
    stops_at_[uid] = loop_.uptime() + kGrace;
    object.find("metadata")->put("deletionTimestamp", "2026-01-01T00:00:00Z");
    kube_.put(pod, std::move(object));
}

bool FakeCluster::runs_elsewhere(const std::string& device, const std::string& uid) const {
    for (const std::string& pod : kube_.paths_below(own("pods", ""))) {
        const std::string its_uid(text_of(kube_.find(pod)->at({"metadata", "uid"})));
        const auto container = containers_.find(its_uid);
        if (its_uid != uid && container != containers_.end() &&
            container->second.device == device) {
            return true;
        }
    }
    return false;
}

void FakeCluster::run_container(const std::string& pod, const std::string& uid) {
    const Value* set = kube_.find(own("statefulsets", split_replica(pod)->set));
    const auto its_set = decode_proxy_set(*set);
    const Value* auth = kube_.find(own("secrets", auth_name(pod, its_set->is_api_proxy)));
    const bool mounts =
        its_set->contract.empty() ||
        (auth != nullptr && auth->find("data") != nullptr &&
         (!its_set->is_of(renderer::kind_of("PeerRelay")) ||
          kube_.find(own("secrets", renderer::config_secret_name(pod))) != nullptr));
    const auto container = containers_.find(uid);
    if (container == containers_.end()) {
        if (mounts && kube_.find(own("secrets", pod)) != nullptr) {
            start(pod, uid);
        }
        return;
    }
    const Duration cycle = keep_device ? kLongCycle : kKeyCycle;
    const bool forgets = its_set->is_api_proxy && sees_other_key(pod, container->second);
    if (forgets) {
        for (const char* key : {"reissue_authkey", "device_id", "device_fqdn", "device_ips",
                                "_machinekey", "_current-profile", "profile-1"}) {
            kube_.erase_datum(own("secrets", pod), key);
        }
    }
    if (container->second.waits_for_key) {
        due_ = std::min(due_, container->second.begun + cycle);
    }
    if (container->second.waits_for_key &&
        (forgets || loop_.uptime() - container->second.begun >= cycle)) {
        start(pod, uid);
    }
}

bool FakeCluster::sees_other_key(const std::string& pod, const Container& container) const {
    return keep_device && container.waits_for_key && key_of(pod, true) != container.key;
}

std::string FakeCluster::key_of(const std::string& pod, bool is_api_proxy) const {
    const std::string secret = own("secrets", auth_name(pod, is_api_proxy));
    if (!is_api_proxy) {
        return kube_.datum(secret, renderer::kAuthDatum);
    }
    const auto config = renderer::read_json(kube_.datum(secret, renderer::kConfigDatum));
    return std::string(config ? text_of(config->at({renderer::kConfigKeyField}))
                              : std::string_view());
}

void FakeCluster::start(const std::string& pod, const std::string& uid) {
    const std::string secret = own("secrets", pod);
    const auto set = decode_proxy_set(*kube_.find(own("statefulsets", split_replica(pod)->set)));
    const bool asks_for_keys = set->writes_state() && (keep_device || !set->is_api_proxy);
    FakeTailnet& tailnet = tailnet_of(set->tailnet);
    const bool is_new = !containers_.contains(uid);
    Container& container = containers_[uid];
    container = {.begun = loop_.uptime(),
                 .started_at = loop_.now(),
                 .first_started_at = is_new ? loop_.now() : container.first_started_at,
                 .waits_for_key = true,
                 .has_probe = keep_device || !set->writes_state() ||
                              set->parent.view().starts_with("ProxyGroup/"),
                 .restarts = is_new ? 0 : container.restarts + 1,
                 .key = key_of(pod, set->is_api_proxy)};
    if (kube_.find(secret) == nullptr) {
        return write_status(pod, container);
    }
    if (set->writes_state()) {
        if (!keep_device) {
            kube_.erase_datum(secret, "device_id");
        }
        kube_.set_datum(secret, "pod_uid", uid);
        kube_.set_datum(secret, "tailscale_capver", keep_device ? "138" : "133");
    }
    const auto profile = renderer::read_json(kube_.datum(secret, "profile-1"));
    std::string device(profile ? text_of(profile->at({"Config", "NodeID"})) : std::string_view());
    if (!tailnet.devices.contains(device)) {
        device = tailnet.join(container.key, pod);
    }
    if (device.empty()) {
        if (asks_for_keys) {
            kube_.set_datum(
                secret, "reissue_authkey",
                set->is_api_proxy ? container.key : "file:/etc/tsauth/" + pod + "/authkey");
        }
        return write_status(pod, container);
    }
    container.waits_for_key = false;
    container.device = device;
    const auto ordinal = static_cast<std::size_t>(split_replica(pod)->ordinal);
    if (ordinal < set->hostnames.size()) {
        tailnet.devices.at(device).hostname = set->hostnames[ordinal];
    }
    doubles += runs_elsewhere(device, uid) ? 1 : 0;
    write_profile(secret, tailnet.devices.at(device));
    if (set->writes_state()) {
        write_device(secret, tailnet, device);
    }
    write_status(pod, container);
}

// Writes what containerboot writes about its device.
void FakeCluster::write_device(const std::string& secret, const FakeTailnet& tailnet,
                               const std::string& device) {
    const std::string fqdn = tailnet.devices.at(device).name + ".tail1a2b3.ts.net.";
    const auto addresses = FakeTailnet::addresses_of(tailnet.devices.at(device));
    kube_.set_datum(secret, "device_id", device);
    kube_.set_datum(secret, "device_fqdn", fqdn);
    kube_.set_datum(secret, "device_ips",
                    fmt::format(R"(["{}","{}"])", addresses[0], addresses[1]));
    kube_.set_datum(secret, "https_endpoint", fqdn);
}

}  // namespace runtime
