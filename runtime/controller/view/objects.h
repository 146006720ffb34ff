// The cluster's objects that the controller uses, reduced to the fields that it decides by. Equal
// values mean that nothing relevant has changed. Shapes: testdata/contract/proxy.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/kube/kinds.h"
#include "runtime/base/loop.h"
#include "runtime/base/text.h"

namespace runtime::controller {

// A StatefulSet that is a proxy, or an operator's one that blocks a proxy.
struct ProxySet {
    Text name, uid;
    Text contract;  // version; empty: the operator's
    Text parent;    // Kind/namespace/name
    Text tailnet;   // empty: the controller's own
    Text tags;      // joined with `,`
    std::vector<std::string> hostnames;
    int replicas = 0;
    bool is_api_proxy = false;         // its pods get their key in their configuration
    bool shares_acme_account = false;  // its pods look for accounts in a Secret of all groups
    Text labels;                       // tailscale.com/* only: key=value, joined with `,`
    Text target_fqdn;                  // of an egress proxy that targets a name: as in a DNS record
    Text revision;  // that all its pods must have; empty: unknown, or not for all

    [[nodiscard]] bool is_of(const renderer::Kind& kind) const;
    // False if its pods write only tailscaled's own state into their state Secret.
    [[nodiscard]] bool writes_state() const;
    [[nodiscard]] bool asks_for_keys() const;
    bool operator==(const ProxySet&) const = default;
};

// What the pod has written, and the controller's own annotations.
struct StateSecret {
    Text name, uid;
    Text set, tailnet;
    Text device_id, device_fqdn, pod_uid, https_endpoint;
    Text addresses;  // device_ips, joined with `,`
    // From tailscaled's profile: unlike device_id, they outlive restarts.
    Text node_id, login_name;
    Text capability_version;
    std::vector<std::string> services;  // that it advertises: svc:HOST
    bool wants_key = false;             // it has reissue_authkey, with any value
    bool is_kept = false;               // it is being deleted, but has finalizers
    Text gone_since;                    // only used without an auth Secret
    Text labels;                        // as a ProxySet's
    std::optional<Time> made_at;        // by the API server's clock

    [[nodiscard]] std::string_view device() const {
        return device_id.empty() ? node_id : device_id;
    }
    // Returns tailscale_capver; 0 if unknown.
    [[nodiscard]] int capability() const;
    bool operator==(const StateSecret&) const = default;
};

struct AuthSecret {
    Text name, uid, version;  // version: resourceVersion, since only the controller writes it
    Text pod, set;
    Text tailnet;   // of the key and the device
    Text hostname;  // the replica's when it was written
    Text config;    // of an API proxy, without its key
    bool blank = true;
    Text key_id, key_tags;
    Text tags_before;  // of replaced keys that a device may have joined with
    std::optional<Time> key_created, key_expires;
    Text restart_pod;
    Text device, device_tags;
    // The device's data in the tailnet: its name, its addresses, joined with `,`; and a digest of
    // what the pod reported then, empty if the tailnet was not asked.
    Text device_name, device_addresses, device_words;
    Text device_named;            // may be its own, but is not proven yet
    Text device_gone;             // that was not in the tailnet when the key was minted
    Text gone_since;              // when the replica was first seen deleted
    Text labels;                  // as a ProxySet's
    Text key_digest;              // of the key; empty: the key is blank, or in the configuration
    std::optional<Time> made_at;  // by the API server's clock

    bool operator==(const AuthSecret&) const = default;
};

// The rendered Secret that the API proxy's pod reads its key from, if that pod has its own
// namespace.
struct DeliveredKey {
    bool is_there = false;  // it has a key, blank or not
    Text digest;            // made like AuthSecret::key_digest

    bool operator==(const DeliveredKey&) const = default;
};

struct Pod {
    Text name, uid;
    bool leaving = false;  // has a deletionTimestamp
    bool ready = false;
    Text revision = {};  // of its StatefulSet's template
    // When it began to run, with its Secrets mounted; no value if it does not run yet.
    std::optional<Time> started_at = {};
    std::optional<Time> ready_changed_at = {};  // when it became ready or not ready

    bool operator==(const Pod&) const = default;
};

// No value if the object is not relevant.
std::optional<ProxySet> decode_proxy_set(const renderer::Value& object);
std::optional<StateSecret> decode_state_secret(const renderer::Value& object);
std::optional<AuthSecret> decode_auth_secret(const renderer::Value& object);
std::optional<Pod> decode_pod(const renderer::Value& object);
std::optional<DeliveredKey> decode_delivered_key(const renderer::Value& object);
// Decodes a state Secret that is known by its name, whatever its labels are.
std::optional<StateSecret> decode_named_state(const renderer::Value& object);

// Also decodes a Secret without our label: the operator's.
StateSecret read_state(const renderer::Value& secret);

// Returns a Secret's datum, decoded; empty if it is not UTF-8, no value if it does not exist.
std::optional<std::string> secret_datum(const renderer::Value& secret, std::string_view key);

// Returns the value of an object in the API server; empty if it has none for that key.
std::string annotation_of(const renderer::Value& object, std::string_view key);
std::string_view label_of(const renderer::Value& object, std::string_view key);

// Returns the name in lower case, without a dot at its end.
std::string dns_name(std::string_view fqdn);

// Splits what an annotation joins with `,`.
std::vector<std::string> split_list(std::string_view text);

// Returns the strings of a list; nullptr and other values have none.
std::vector<std::string> texts_of(const renderer::Value* list);

// Returns the value of one of ProxySet::labels; "" if it does not exist.
std::string_view find_label(std::string_view labels, std::string_view key);

// Returns the parent in the operator's labels; "" if there is none.
std::string labelled_parent(std::string_view labels);

// "<statefulset>-<ordinal>" split at the last hyphen; no value if that is not such a name.
struct ReplicaName {
    std::string_view set;
    int ordinal = 0;
};
std::optional<ReplicaName> split_replica(std::string_view pod);

}  // namespace runtime::controller
