#include "runtime/controller/feature.h"
#include "runtime/controller/ingress_groups/groups.h"
#include "runtime/controller/object_status/parent_status.h"
#include "runtime/controller/object_status/tailnet_status.h"
#include "runtime/controller/records/devices_table.h"
#include "runtime/controller/records/dns_records.h"
#include "runtime/controller/records/notices.h"
#include "runtime/controller/relays/relays.h"

namespace runtime::controller {

std::vector<std::unique_ptr<Feature>> make_features(const FeatureContext& context) {
    std::vector<std::unique_ptr<Feature>> features;
    features.push_back(std::make_unique<Groups>(context));
    features.push_back(std::make_unique<Relays>(context));
    features.push_back(std::make_unique<ParentStatus>(context));
    features.push_back(std::make_unique<DevicesTable>(context));
    features.push_back(std::make_unique<Notices>(context));
    features.push_back(std::make_unique<DnsRecords>(context));
    features.push_back(std::make_unique<TailnetStatus>(context));
    return features;
}

}  // namespace runtime::controller
