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
#include "runtime/base/text.h"

namespace runtime::controller {

// What a pod says in place of a name that is served over HTTPS.
inline constexpr std::string_view kNoHttps = "no-https";

// A StatefulSet that is a proxy, or one of the operator's that is in a proxy's way.
struct ProxySet {
    Text name, uid;
    Text contract;  // version; empty: the operator's
    Text parent;    // Kind/namespace/name
    Text tailnet;   // empty: the controller's own
    Text tags;      // joined with `,`
    std::vector<std::string> hostnames;
    int replicas = 0;
    bool is_api_proxy = false;         // its pods are told their key in their configuration
    bool shares_acme_account = false;  // its pods look for accounts in a Secret of all groups
    Text labels;                       // tailscale.com/* only: key=value, joined with `,`
    Text target_fqdn;  // of an egress proxy that targets a name: as a DNS record has it
    Text revision;     // that all its pods shall be of; empty: not known, or not all

    // Its pods write nothing into their state Secret but tailscaled's own state.
    [[nodiscard]] bool is_recorder() const { return parent.view().starts_with("Recorder/"); }
    [[nodiscard]] bool is_relay() const { return parent.view().starts_with("PeerRelay/"); }
    bool operator==(const ProxySet&) const = default;
};

// What the pod has written, and the controller's own marks.
struct StateSecret {
    Text name, uid;
    Text set, tailnet;
    Text device_id, device_fqdn, pod_uid, https_endpoint;
    Text addresses;  // device_ips, joined with `,`
    // Of tailscaled's profile: they outlive restarts, unlike device_id.
    Text node_id, login_name;
    Text capability_version;
    std::vector<std::string> services;  // that it advertises: svc:HOST
    bool wants_key = false;             // reissue_authkey is there, whatever its value
    bool is_kept = false;               // it is being deleted, and has finalizers
    Text gone_since;                    // counts without an auth Secret only
    Text labels;                        // as a ProxySet's
    std::optional<Time> made_at;        // as the API server tells

    [[nodiscard]] std::string_view device() const {
        return device_id.empty() ? node_id : device_id;
    }
    // tailscale_capver; 0: unknown.
    [[nodiscard]] int capability() const;
    bool operator==(const StateSecret&) const = default;
};

struct AuthSecret {
    Text name, uid, version;  // version: resourceVersion, since only we write it
    Text pod, set;
    Text tailnet;   // that the key and the device are of
    Text hostname;  // the replica's when it was written
    Text config;    // of an API proxy, without its key
    bool blank = true;
    Text key_id, key_tags;
    Text tags_before;  // of keys that it has replaced, and that may have led to a device
    std::optional<Time> key_created, key_expires;
    Text restart_pod;
    Text device, device_tags;
    // What the tailnet says of it: its name, its addresses, joined with `,`; and a digest of what
    // the pod said then, empty: no one has asked.
    Text device_name, device_addresses, device_words;
    Text device_named;            // may be its own: nothing proves it yet
    Text device_gone;             // that the tailnet did not have when the key was minted
    Text gone_since;              // the replica was first seen gone
    Text labels;                  // as a ProxySet's
    Text key_digest;              // of the key; empty: the key is blank, or in the configuration
    std::optional<Time> made_at;  // as the API server tells

    bool operator==(const AuthSecret&) const = default;
};

// The rendered Secret that the API proxy's pod reads its key from, where that pod has a namespace
// of its own.
struct DeliveredKey {
    bool is_there = false;  // there is a key, blank or not
    Text digest;            // made like AuthSecret::key_digest

    bool operator==(const DeliveredKey&) const = default;
};

struct Pod {
    Text name, uid;
    bool leaving = false;  // has a deletionTimestamp
    bool ready = false;
    Text revision = {};  // of its StatefulSet's template
    // When it began to run, its Secrets mounted; no value: it waits for something.
    std::optional<Time> started_at = {};
    std::optional<Time> ready_changed_at = {};  // when it became ready, or stopped to be

    bool operator==(const Pod&) const = default;
};

// No value: of no interest.
std::optional<ProxySet> decode_proxy_set(const renderer::Value& object);
std::optional<StateSecret> decode_state_secret(const renderer::Value& object);
std::optional<AuthSecret> decode_auth_secret(const renderer::Value& object);
std::optional<Pod> decode_pod(const renderer::Value& object);
std::optional<DeliveredKey> decode_delivered_key(const renderer::Value& object);
// Decodes a state Secret that is known by its name, whatever its labels are.
std::optional<StateSecret> decode_named_state(const renderer::Value& object);

// Of a Secret without our label, too: the operator's.
StateSecret read_state(const renderer::Value& secret);

// A Secret's datum, decoded; empty when it is not UTF-8, no value when it is not there.
std::optional<std::string> secret_datum(const renderer::Value& secret, std::string_view key);

// In lower case, without a dot at its end.
// Of an object as the API server has it; empty: it has none of that key.
std::string annotation_of(const renderer::Value& object, std::string_view key);
std::string_view label_of(const renderer::Value& object, std::string_view key);

std::string dns_name(std::string_view fqdn);

// What an annotation joins with `,`.
std::vector<std::string> split_list(std::string_view text);

// Of a list; nullptr, and what is no list, has none.
std::vector<std::string> texts_of(const renderer::Value* list);

// The value of one of ProxySet::labels; "": it is not there.
std::string_view find_label(std::string_view labels, std::string_view key);

// What the operator's labels `parent-resource-type`, `-ns` and `parent-resource` name, as in our
// contract annotation: Kind/namespace/name; "": no type that is known.
std::string parent_name(std::string_view type, std::string_view ns, std::string_view name);
std::string labelled_parent(std::string_view labels);

// "<statefulset>-<ordinal>" split at the last hyphen; no value when that is not such a name.
struct ReplicaName {
    std::string_view set;
    int ordinal = 0;
};
std::optional<ReplicaName> split_replica(std::string_view pod);

}  // namespace runtime::controller
