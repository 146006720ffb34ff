#include "runtime/testing/adopt_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <span>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/keys/secrets.h"

namespace runtime {

using renderer::Kind;
using renderer::kind_of;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kFinalizer = "tailscale.com/finalizer";
constexpr std::string_view kForeignFinalizer = "example.com/other";
constexpr const char* kForeignOwner = "Fleet/all";

constexpr const Kind& kGroups = kind_of("ProxyGroup");
constexpr const Kind& kRecorders = kind_of("Recorder");
constexpr const Kind& kNames = kind_of("DNSConfig");
constexpr const Kind& kNameservers = kind_of("Deployment");
constexpr const Kind& kAccounts = kind_of("ServiceAccount");
constexpr const Kind& kRoles = kind_of("Role");
constexpr const Kind& kBindings = kind_of("RoleBinding");

constexpr std::string_view kGroup = "out";
constexpr std::string_view kDns = "dns";
constexpr int kReplicas = 2;
// The Secret in which the operator keeps the key of a Recorder's replica.
constexpr const char* kRecorderKey = "tape-auth-0";
// State Secrets that keep their names, and the devices in them.
constexpr std::pair<const char*, const char*> kTaken[] = {
    {"out-0", "nOLD-out"}, {"out-1", "nOLD-out-1"}, {"tape-0", "nOLD-tape"}};
constexpr std::string_view kOldService = "ts-db-qwxyz";
constexpr std::string_view kNewService = "ts-db-bcdfg";
// The operator's EndpointSlices, for IPv4 and IPv6, and one that Kubernetes creates for the same
// Service.
constexpr const char* kSlices[] = {"ts-db-qwxyz-ipv4", "ts-db-qwxyz-ipv6"};
constexpr const char* kForeignSlice = "ts-db-qwxyz-7xk2p";

struct Held {
    Kind kind;
    std::string_view ns, name, finalizer;
};
constexpr Held kHeld[] = {
    {kube::kServices, "apps", "broker", "tailscale.com/service-pg-finalizer"},
    {kube::kServices, "apps", "later", "front.tailscale.com/service-pg-finalizer"},
    {kube::kIngresses, "apps", "docs", kFinalizer},
    {kube::kIngresses, "shop", "docs", "tailscale.com/ingress-pg-finalizer"},
    {kind_of("Connector"), "", "exit", kFinalizer},
    {kGroups, "", "front", kFinalizer},
    {kRecorders, "", "tape", kFinalizer},
    {kind_of("PeerRelay"), "", "edge", kFinalizer},
    {kNames, "", "names", kFinalizer},
    {kind_of("ProxyClass"), "", "plain", kFinalizer},
    {kind_of("Tailnet"), "", "other", kFinalizer},
    {kind_of("ProxyGroupPolicy"), "apps", "own", kFinalizer},
};

// Objects that are rendered now.
struct Child {
    Kind kind;
    const char* name;
    bool is_shared;  // it also has another owner
};
constexpr Child kChildren[] = {{kube::kStatefulSets, "out", false},
                               {kube::kSecrets, "out-0", false},
                               {kube::kSecrets, "out-1", true},
                               {kube::kSecrets, "out-0-config", false},
                               {kube::kSecrets, "out-1-config", false},
                               {kube::kConfigMaps, "out-egress-config", false},
                               {kube::kServices, "out-metrics", false},
                               {kAccounts, "out", false},
                               {kRoles, "out", true},
                               {kBindings, "out", false},
                               {kNameservers, "nameserver", true}};

bool is_of_names(const Child& child) {
    return child.kind.name == kNameservers.name;
}

std::string in_cluster(const Kind& kind, std::string_view name) {
    return kube::path_of(kind, FakeCluster::kNamespace, name);
}

std::string pod_of_group(int ordinal) {
    return fmt::format("{}-{}", kGroup, ordinal);
}

std::string host(std::string_view service) {
    return fmt::format("{}.tailscale.svc.cluster.local", service);
}

Value external(std::string_view service) {
    return Value::map({{"type", "ExternalName"}, {"externalName", host(service)}});
}

Value metadata(std::string_view ns, std::string_view name) {
    Value out = Value::map({{"name", Value(name)}});
    put_if(out, !ns.empty(), "namespace", Value(ns));
    return out;
}

// Labels of the objects that target Service apps/db in the group.
Value service_labels() {
    return Value::map({{"tailscale.com/managed", "true"},
                       {"tailscale.com/parent-resource", "db"},
                       {"tailscale.com/parent-resource-ns", "apps"},
                       {"tailscale.com/parent-resource-type", "svc"},
                       {"tailscale.com/proxy-group", Value(kGroup)}});
}

Value group_service(std::string_view name) {
    Value its_metadata = metadata(FakeCluster::kNamespace, name);
    its_metadata.put("labels", service_labels());
    return Value::map({{"metadata", std::move(its_metadata)}, {"spec", Value::map()}});
}

Value slice(const char* name, Value labels) {
    labels.put("kubernetes.io/service-name", Value(kOldService));
    Value its_metadata = metadata(FakeCluster::kNamespace, name);
    its_metadata.put("labels", std::move(labels));
    return Value::map({{"metadata", std::move(its_metadata)}, {"addressType", "IPv4"}});
}

}  // namespace

World::World(int its_proxies, int waiting) : proxies(its_proxies) {
    network.add("https://kube", kube);
    network.add("https://tailnet", tailnet);
    kube.has_custom_resources = true;
    cluster.add_operator();
    for (int i = 0; i < proxies; ++i) {
        cluster.add_operator_proxy(old_set(i), parent(i), i < proxies - waiting ? 1 : 0);
        hold(kube::kServices, "apps", parent(i), kFinalizer, external(old_set(i)));
    }
    kube.put(kAlias, Value::map({{"metadata", metadata("alias", "web0")},
                                 {"spec", Value::map({{"externalName", externally(0)}})}}));
    add_held();
    add_operator_group();
    loop.run_for(5 * kSecond);
    for (int i = 0; i < proxies; ++i) {
        cluster.add_proxy(new_set(i), 1, "tag:k8s", parent(i));
    }
    render_group();
}

void World::hold(const Kind& kind, std::string_view ns, std::string_view name,
                 std::string_view finalizer, Value spec) {
    Value its_metadata = metadata(ns, name);
    its_metadata.put("finalizers", Value::list({Value(finalizer), Value(kForeignFinalizer)}));
    const std::string path = kube::path_of(kind, ns, name);
    kube.put(path, Value::map({{"metadata", std::move(its_metadata)}, {"spec", std::move(spec)}}));
    cluster.held[path] = finalizer;
}

void World::own(const Kind& kind, std::string_view name, const Kind& owner_kind,
                std::string_view owner, bool is_shared) {
    Value object = kube.find(in_cluster(kind, name))->clone();
    const Value* its_owner = kube.find(kube::path_of(owner_kind, {}, owner));
    Value all =
        Value::list({Value::map({{"apiVersion", Value(owner_kind.api_version)},
                                 {"kind", Value(owner_kind.name)},
                                 {"name", Value(owner)},
                                 {"uid", Value(text_of(its_owner->at({"metadata", "uid"})))}})});
    if (is_shared) {
        all.append(Value::map({{"apiVersion", "example.com/v1"},
                               {"kind", "Fleet"},
                               {"name", "all"},
                               {"uid", "uid-of-the-fleet"}}));
    }
    object.find("metadata")->put("ownerReferences", std::move(all));
    kube.put(in_cluster(kind, name), std::move(object));
}

std::vector<std::string> World::owners(const Kind& kind, std::string_view name) {
    const Value* object = kube.find(in_cluster(kind, name));
    const Value* all = object == nullptr ? nullptr : object->at({"metadata", "ownerReferences"});
    const auto items = all == nullptr ? std::span<const Value>() : all->items();
    std::vector<std::string> out;
    out.reserve(items.size());
    for (const Value& one : items) {
        out.push_back(fmt::format("{}/{}", text_of(one.find("kind")), text_of(one.find("name"))));
    }
    return out;
}

std::vector<std::string> World::finalizers(const std::string& path) {
    const Value* object = kube.find(path);
    const Value* all = object == nullptr ? nullptr : object->at({"metadata", "finalizers"});
    const auto items = all == nullptr ? std::span<const Value>() : all->items();
    std::vector<std::string> out;
    out.reserve(items.size());
    for (const Value& one : items) {
        out.emplace_back(text_of(one));
    }
    return out;
}

void World::add_held() {
    for (const Held& one : kHeld) {
        hold(one.kind, one.ns, one.name, one.finalizer);
    }
    // Two custom resources are being deleted; only the operator's finalizer blocks that.
    for (const auto& [kind, name] : {std::pair(kGroups, kGroup), std::pair(kNames, kDns)}) {
        Value its_metadata = metadata({}, name);
        its_metadata.put("finalizers", Value::list({Value(kFinalizer)}));
        its_metadata.put("deletionTimestamp", "2026-01-01T00:00:00Z");
        kube.put(kube::path_of(kind, {}, name),
                 Value::map({{"metadata", std::move(its_metadata)}}));
    }
}

void World::add_operator_group() {
    for (const Child& child : kChildren) {
        const std::string_view type = is_of_names(child) ? "nameserver" : "proxygroup";
        Value its_metadata = metadata(FakeCluster::kNamespace, child.name);
        its_metadata.put("labels",
                         Value::map({{"tailscale.com/managed", "true"},
                                     {"tailscale.com/parent-resource", Value(kGroup)},
                                     {"tailscale.com/parent-resource-type", Value(type)}}));
        kube.put(in_cluster(child.kind, child.name),
                 Value::map({{"metadata", std::move(its_metadata)},
                             {"spec", Value::map({{"replicas", kReplicas}})}}));
    }
    for (int ordinal = 0; ordinal < kReplicas; ++ordinal) {
        cluster.log_in(pod_of_group(ordinal), std::string(kGroup));
        kube.set_datum(secret(pod_of_group(ordinal) + "-config"), "cap-106.hujson", "{}");
    }
    for (const char* name : {"tape-0", kRecorderKey}) {
        kube.put(secret(name), Value::map({{"metadata", metadata(FakeCluster::kNamespace, name)}}));
    }
    cluster.log_in("tape-0", "tape");
    Value service = group_service(kOldService);
    service.find("metadata")->put("generateName", "ts-db-");
    kube.put(in_cluster(kube::kServices, kOldService), std::move(service));
    for (const char* name : kSlices) {
        kube.put(in_cluster(kube::kEndpointSlices, name), slice(name, service_labels()));
    }
    kube.put(in_cluster(kube::kEndpointSlices, kForeignSlice), slice(kForeignSlice, Value::map()));
    hold(kube::kServices, "apps", "db", kFinalizer, external(kOldService));
}

// Replaces the operator's objects with the rendered ones. A StatefulSet replaces its pods from the
// last one on and waits for each, so the first still runs.
void World::render_group() {
    cluster.add_group(std::string(kGroup), kReplicas, false);
    cluster.add_group("tape", 1, false);
    cluster.annotate("tape", renderer::kParentAnnotation, "Recorder/tape");
    own(kube::kSecrets, "tape-0", kRecorders, "tape");
    kube.put(in_cluster(kube::kServices, kNewService), group_service(kNewService));
    for (const Child& child : kChildren) {
        is_of_names(child) ? own(child.kind, child.name, kNames, kDns, child.is_shared)
                           : own(child.kind, child.name, kGroups, kGroup, child.is_shared);
    }
    cluster.restart_pod(pod_of_group(kReplicas - 1));
}

void World::roll_group() {
    for (int ordinal = 0; ordinal < kReplicas; ++ordinal) {
        cluster.restart_pod(pod_of_group(ordinal));
    }
    loop.run_for(5 * kSecond);
}

std::string World::externally(int i) {
    return std::string(text_of(kube.find(user_service(parent(i)))->at({"spec", "externalName"})));
}

void World::expect_devices() {
    EXPECT_EQ(cluster.doubles, 0);
    EXPECT_TRUE(tailnet.keys.empty()) << "a key was minted: a device would be new";
    EXPECT_EQ(tailnet.devices.size(), static_cast<std::size_t>(proxies) + std::size(kTaken));
}

void World::expect_adopted() {
    expect_devices();
    for (int i = 0; i < proxies; ++i) {
        SCOPED_TRACE(new_set(i));
        const std::string state = secret(new_set(i) + "-0");
        EXPECT_EQ(kube.datum(state, "device_id"), "nOLD-" + parent(i));
        EXPECT_EQ(kube.datum(state, "device_fqdn"), "apps-" + parent(i) + ".tail1a2b3.ts.net.");
        EXPECT_EQ(kube.datum(state, "_machinekey"), "privkey:" + parent(i));
        EXPECT_EQ(kube.datum(state, "cap-107.hujson"), "");
        EXPECT_TRUE(runs(new_set(i) + "-0"));
        for (const char* kind : {"statefulsets", "services"}) {
            EXPECT_EQ(kube.find(FakeCluster::path(kind, old_set(i))), nullptr) << kind;
        }
        EXPECT_EQ(kube.find(secret(old_set(i) + "-0")), nullptr);
        EXPECT_EQ(kube.find(FakeCluster::path("pods", old_set(i) + "-0")), nullptr);
        EXPECT_EQ(externally(i), host(new_set(i)));
    }
    EXPECT_EQ(text_of(kube.find(kAlias)->at({"spec", "externalName"})), externally(0));
    EXPECT_EQ(
        kube.find(FakeCluster::path("deployments", "operator"))->at({"spec", "replicas"})->as_int(),
        0);
    expect_let_go();
    expect_group_adopted();
}

void World::expect_let_go() {
    for (const auto& [path, unused] : cluster.held) {
        EXPECT_EQ(finalizers(path), std::vector<std::string>{std::string(kForeignFinalizer)})
            << path;
    }
    EXPECT_EQ(kube.find(kube::path_of(kGroups, {}, kGroup)), nullptr)
        << "no one will end its deletion";
    EXPECT_EQ(kube.find(kube::path_of(kNames, {}, kDns)), nullptr)
        << "no one will end its deletion";
    for (const Child& child : kChildren) {
        const std::string path = in_cluster(child.kind, child.name);
        EXPECT_NE(kube.find(path), nullptr) << path << " has gone with its owner";
        EXPECT_EQ(owners(child.kind, child.name),
                  std::vector<std::string>(child.is_shared ? 1 : 0, kForeignOwner))
            << path;
    }
}

void World::expect_group_adopted() {
    for (const auto& [name, device] : kTaken) {
        SCOPED_TRACE(name);
        const Value* object = kube.find(secret(name));
        ASSERT_NE(object, nullptr);
        const auto state = controller::decode_state_secret(*object);
        ASSERT_TRUE(state.has_value()) << "it is not the controller's";
        EXPECT_EQ(state->set, controller::split_replica(name)->set);
        EXPECT_EQ(state->node_id, device);
        const std::string auth = secret(controller::auth_name(name, false));
        EXPECT_NE(kube.find(auth), nullptr) << "the next pod would wait";
        EXPECT_EQ(kube.datum(auth, renderer::kAuthDatum), "");
    }
    EXPECT_EQ(kube.find(secret(kRecorderKey)), nullptr);
    EXPECT_EQ(owners(kube::kSecrets, "tape-0"), std::vector<std::string>());
    expect_group_runs();
    EXPECT_EQ(text_of(kube.find(user_service("db"))->at({"spec", "externalName"})),
              host(kNewService));
    EXPECT_EQ(kube.find(in_cluster(kube::kServices, kOldService)), nullptr);
    EXPECT_NE(kube.find(in_cluster(kube::kServices, kNewService)), nullptr);
    for (const char* name : kSlices) {
        EXPECT_EQ(kube.find(in_cluster(kube::kEndpointSlices, name)), nullptr) << name;
    }
    EXPECT_NE(kube.find(in_cluster(kube::kEndpointSlices, kForeignSlice)), nullptr);
}

void World::expect_gone_back() {
    expect_devices();
    for (int i = 0; i < proxies; ++i) {
        SCOPED_TRACE(old_set(i));
        const std::string state = secret(old_set(i) + "-0");
        EXPECT_EQ(kube.datum(state, "device_id"), "nOLD-" + parent(i));
        EXPECT_EQ(kube.datum(state, "cap-107.hujson"), "{}");
        EXPECT_TRUE(runs(old_set(i) + "-0"));
        EXPECT_EQ(externally(i), host(old_set(i)));
        EXPECT_NE(kube.find(FakeCluster::path("services", old_set(i))), nullptr);
        for (const std::string& name :
             {new_set(i) + "-0", controller::auth_name(new_set(i) + "-0", false)}) {
            EXPECT_EQ(kube.find(secret(name)), nullptr) << "the operator fails on " << name;
        }
    }
    EXPECT_EQ(text_of(kube.find(kAlias)->at({"spec", "externalName"})), externally(0));
    EXPECT_EQ(
        kube.find(FakeCluster::path("deployments", "operator"))->at({"spec", "replicas"})->as_int(),
        1);
    expect_group_back();
}

void World::expect_nothing_taken() {
    for (const auto& [name, device] : kTaken) {
        SCOPED_TRACE(name);
        const Value* state = kube.find(secret(name));
        ASSERT_NE(state, nullptr);
        EXPECT_FALSE(controller::decode_state_secret(*state).has_value())
            << "it is still the controller's";
        const Value* annotations = state->at({"metadata", "annotations"});
        EXPECT_TRUE(annotations == nullptr || annotations->members().empty());
        EXPECT_EQ(controller::read_state(*state).device(), device);
        EXPECT_EQ(kube.datum(secret(controller::auth_name(name, false)), renderer::kAuthDatum), "");
    }
}

void World::expect_group_runs() {
    for (int ordinal = 0; ordinal < kReplicas; ++ordinal) {
        const std::string pod = pod_of_group(ordinal);
        SCOPED_TRACE(pod);
        EXPECT_EQ(kube.datum(secret(pod), "device_id"), kTaken[ordinal].second);
        EXPECT_TRUE(runs(pod));
        EXPECT_EQ(kube.datum(secret(pod + "-config"), "cap-106.hujson"), "{}");
    }
}

// The rendered objects stay, and target the group's pods until the operator has written its own
// again.
void World::expect_group_back() {
    expect_nothing_taken();
    expect_group_runs();
    EXPECT_EQ(text_of(kube.find(user_service("db"))->at({"spec", "externalName"})),
              host(kNewService));
    EXPECT_NE(kube.find(in_cluster(kube::kServices, kNewService)), nullptr);
}

bool World::runs(const std::string& pod) {
    const Value* object = kube.find(FakeCluster::path("pods", pod));
    return object != nullptr &&
           kube.datum(secret(pod), "pod_uid") == text_of(object->at({"metadata", "uid"})) &&
           !kube.datum(secret(pod), "device_id").empty();
}

bool World::group_runs() {
    for (int ordinal = 0; ordinal < kReplicas; ++ordinal) {
        if (runs(pod_of_group(ordinal))) {
            return true;
        }
    }
    return false;
}

int World::devices_that_run() {
    int running = 0;
    for (int i = 0; i < proxies; ++i) {
        for (const std::string& set : {old_set(i), new_set(i)}) {
            running += runs(set + "-0") ? 1 : 0;
        }
    }
    return running;
}

}  // namespace runtime
