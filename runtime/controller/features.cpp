#include "runtime/controller/features.h"

#include <utility>

#include "runtime/controller/ingress_groups/groups.h"
#include "runtime/controller/object_status/parent_status.h"
#include "runtime/controller/object_status/tailnet_status.h"
#include "runtime/controller/records/devices_table.h"
#include "runtime/controller/records/dns_records.h"
#include "runtime/controller/records/notices.h"
#include "runtime/controller/relays/relays.h"

namespace runtime::controller {

namespace {

constexpr Duration kFeaturePause = std::chrono::milliseconds(50);  // one look for many changes

}  // namespace

void Features::start(const FeatureContext& context) {
    features_.push_back(std::make_unique<Groups>(context));
    features_.push_back(std::make_unique<Relays>(context));
    features_.push_back(std::make_unique<ParentStatus>(context));
    features_.push_back(std::make_unique<DevicesTable>(context));
    features_.push_back(std::make_unique<Notices>(context));
    features_.push_back(std::make_unique<DnsRecords>(context));
    features_.push_back(std::make_unique<TailnetStatus>(context));
}

void Features::plan() {
    if (!view_.complete() || std::exchange(is_planned_, true)) {
        return;
    }
    loop_.after(kFeaturePause, [this] {
        is_planned_ = false;
        const Changes changes = std::exchange(due_, {});
        for (const auto& feature : features_) {
            feature->reconcile(changes);
        }
    });
}

}  // namespace runtime::controller
