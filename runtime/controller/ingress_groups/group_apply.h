// Does the steps of group_decide.h. A step may be interrupted at any point: it is decided again,
// and doing it twice is harmless.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/jobs.h"
#include "runtime/controller/feature.h"
#include "runtime/controller/ingress_groups/service_owner.h"
#include "runtime/controller/object_status/group_status.h"

namespace runtime::controller {

class GroupApply {
public:
    using Taken = std::function<void(Registration)>;

    explicit GroupApply(const FeatureContext& context);

    // `key` is the record's. `taken` gets the tailnet's answer, also if it is a refusal.
    void register_service(const std::string& key, const Offer& offer, Taken taken, Next done);
    // Also deletes the certificate, unless it is nullptr.
    void remove(const std::string& key, const ServiceRecord& record, const Certificate* certificate,
                const Next& done);
    void create_certificate(std::string_view group, const Offer& offer, const Next& done);
    // An existing Secret is left as it is.
    void create_accounts(const Next& done);
    void delete_certificate(const Certificate& certificate, const Next& done) {
        deletion_of(certificate)(done);
    }
    void write_table(const AddressTable& table, const Next& done);
    void delete_pod(const Pod& pod, const Next& done);

private:
    void claim(const std::string& key, const Offer& offer, const tailnet::Reply& found,
               const Taken& taken, const Next& done);
    tailnet::Api* api_of(const std::string& key, const Next& done);
    Job must_not_be_offered(const std::string& key, const ServiceRecord& record);
    void must_be_elsewhere(const std::string& key, const ServiceRecord& record, const Next& next);
    Job release(const std::string& key);
    Job deletion_of(const Certificate& certificate);
    void adopt_certificate(const std::string& name, std::string_view group, const Next& done);
    [[nodiscard]] std::string secret_path(std::string_view name = {}) const;
    [[nodiscard]] Owner owner() const;

    FeatureContext context_;
};

}  // namespace runtime::controller
