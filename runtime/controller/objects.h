// What the controller knows of the cluster's objects: the fields that it decides by, decoded. Two
// values are equal when nothing that matters has changed. Shapes: testdata/contract/proxy.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/base/loop.h"

namespace runtime {

// A StatefulSet that is a proxy, or one of the operator's that stands in a proxy's way.
struct ProxySet {
    std::string name, uid;
    std::string contract;  // version; empty: the operator's
    std::string parent;    // Kind/namespace/name
    std::string tailnet;   // empty: the controller's own
    std::string tags;      // joined with `,`
    std::vector<std::string> hostnames;
    int replicas = 0;
    std::map<std::string, std::string> labels;  // tailscale.com/* only

    bool operator==(const ProxySet&) const = default;
};

// What the pod has written, and the controller's own marks.
struct StateSecret {
    std::string name, uid;
    std::string set, tailnet;
    std::string device_id, device_fqdn, device_ips, pod_uid, https_endpoint;
    std::string node_id;  // of tailscaled's profile: outlives restarts, unlike device_id
    std::string capability_version;
    bool wants_key = false;  // reissue_authkey is there, whatever its value
    std::string gone_since;

    [[nodiscard]] std::string_view device() const {
        return device_id.empty() ? node_id : device_id;
    }
    bool operator==(const StateSecret&) const = default;
};

struct AuthSecret {
    std::string name, uid, version;  // version: resourceVersion, since only we write it
    std::string set;
    bool blank = true;
    std::string key_id, key_tags;
    std::optional<Time> key_created, key_expires;
    std::string restart_pod;
    std::string device, device_tags;

    bool operator==(const AuthSecret&) const = default;
};

struct Pod {
    std::string name, uid;
    bool leaving = false;  // has a deletionTimestamp
    bool ready = false;

    bool operator==(const Pod&) const = default;
};

// No value: of no interest.
std::optional<ProxySet> decode_proxy_set(const renderer::Value& object);
std::optional<StateSecret> decode_state_secret(const renderer::Value& object);
std::optional<AuthSecret> decode_auth_secret(const renderer::Value& object);
std::optional<Pod> decode_pod(const renderer::Value& object);

// What an annotation joins with `,`.
std::vector<std::string> split_list(std::string_view text);

// "<statefulset>-<ordinal>" split at the last hyphen; no value when that is not such a name.
struct ReplicaName {
    std::string_view set;
    int ordinal = 0;
};
std::optional<ReplicaName> split_replica(std::string_view pod);

}  // namespace runtime
