// Checks across the clusters of one repository. Plans go by one at a time: of each, only what
// checks of later clusters need is kept.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/plan/model.h"

namespace renderer::plan {

// Reports a hostname that two clusters of one tailnet use (the tailnet would name the second device
// `<hostname>-1`), a take-over tag that two clusters have, and an egress target that differs only
// slightly from the name of a device of another cluster. Removes warnings of fields of a ProxyClass
// that have an effect in another cluster. Clusters are in one tailnet if their
// `tailnetDomain` and control server are the same.
class ClusterChecks {
public:
    // Compares a cluster with those before it. `diagnostics` are about its inputs, and must outlive
    // this object. Returns the positions that `finish` may report.
    std::vector<Pos> add(std::string_view name, const Plan& plan, const SourceMap& sources,
                         Diagnostics& diagnostics);
    // Must be called once all clusters were added.
    void finish() const;

private:
    struct Device {
        std::size_t cluster = 0;
        std::string parent, place;
    };
    struct EgressTarget {
        std::string parent;
        Pos pos;
        std::string name;  // without a final dot
        Diagnostics* diagnostics;
    };
    struct UnusedField {
        Pos pos;
        std::string place;  // "file:line:col"
        Diagnostics* diagnostics;
    };
    struct Hostnames {
        std::vector<std::string> all;
        std::set<std::string, std::less<>> lower;
    };

    void compare_hostnames(const Plan& plan, const SourceMap& sources, Diagnostics& diagnostics);
    void compare_take_over_tag(const Settings& settings, Diagnostics& diagnostics);
    void keep_hostnames(const Plan& plan);
    // Returns the device that the target may mean; "" if it is known, or like none.
    [[nodiscard]] std::string nearest_device(std::string_view target) const;

    std::vector<std::string> names_;
    // The first device by tailnet and hostname, in lower case, because the tailnet ignores case.
    std::map<std::pair<std::string, std::string>, Device> devices_;
    std::map<std::string, std::size_t> owners_;  // cluster by tailnet and take-over tag
    std::map<std::string, Hostnames, std::less<>> hostnames_;  // by tailnetDomain
    std::vector<EgressTarget> targets_;
    std::vector<UnusedField> unused_class_fields_;
    std::set<std::string> class_fields_;  // places of those that have an effect in a cluster
};

}  // namespace renderer::plan
