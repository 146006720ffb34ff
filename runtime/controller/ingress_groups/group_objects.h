// The objects of groups that are reached from the tailnet, decoded and encoded: the offers of a
// group (the renderer's ConfigMap), certificates (Secrets), and records of what is registered (the
// controller's own ConfigMap). Shapes: testdata/contract/ingress.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/base/loop.h"
#include "runtime/controller/view/group_config.h"

namespace runtime::controller {

// The controller's own ConfigMap.
struct AddressTable {
    std::string version;  // resourceVersion, since only the controller writes it
    std::map<std::string, std::string> data;

    bool operator==(const AddressTable&) const = default;
};

// A Service that a group targets.
struct ClusterAddresses {
    std::vector<std::string> ips;  // spec.clusterIPs

    bool operator==(const ClusterAddresses&) const = default;
};

// No value if the object is not relevant.
std::optional<AddressTable> decode_address_table(const renderer::Value& object);
std::optional<ClusterAddresses> decode_cluster_addresses(const renderer::Value& object);

// The record of a service that is registered, or about to be.
struct ServiceRecord {
    std::string group, parent, certificate;
    std::string gone_since;  // RFC 3339; empty: it is offered
    std::string left = {};   // the former parent, while its status mentions the service

    bool operator==(const ServiceRecord&) const = default;
};
// By "svc:HOST", or "TAILNET/svc:HOST" in another tailnet than the controller's own.
using ServiceRecords = std::map<std::string, ServiceRecord>;

std::string record_key(std::string_view tailnet, std::string_view service);
struct RecordName {
    std::string_view tailnet, service;
};
RecordName split_record_key(std::string_view key);

// The key of the table that holds the records. No value if they cannot be read.
std::optional<ServiceRecords> read_records(const AddressTable& table);
std::string write_records(const ServiceRecords& records);

// What the pods of a group were last told of a certificate. It outlives the certificate's Secret,
// which may be recreated or serve another group meanwhile: pods keep what they have read.
struct ToldCertificate {
    std::string hash;
    std::vector<std::string> roll;          // UIDs of pods that have read another one
    std::vector<std::string> readers = {};  // of pods that may have read it before it was left out

    bool operator==(const ToldCertificate&) const = default;
};
// By group, then by name.
using ToldCertificates = std::map<std::string, std::map<std::string, ToldCertificate>>;

std::optional<ToldCertificates> read_told(const AddressTable& table);
std::string write_told(const ToldCertificates& told);

renderer::Value address_table(std::string_view ns, const AddressTable& table);

// The Secret for accounts at the ACME server, which the pods fill: one for each tailnet. It
// outlives all groups. Source: tailscale v1.104.5 cmd/k8s-operator/proxygroup_specs.go,
// pgACMEAccountSecret.
renderer::Value accounts_secret(std::string_view ns);

// An empty certificate, for pod 0 of the group to fill.
renderer::Value certificate_secret(std::string_view ns, std::string_view group, const Offer& offer);

}  // namespace runtime::controller
