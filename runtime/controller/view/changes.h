// What has changed in the cluster since the last look, so that a changed object costs work only for
// what depends on it.
#pragma once

#include <set>
#include <string>

namespace runtime::controller {

struct Changes {
    bool everything = false;             // the other fields are empty then
    std::set<std::string> sets = {};     // names of StatefulSets
    std::set<std::string> pods = {};     // names of replicas
    std::set<std::string> parents = {};  // as in the contract annotation: "Service/apps/web"

    void add(Changes other) {
        everything = everything || other.everything;
        if (everything) {
            sets.clear();
            pods.clear();
            parents.clear();
            return;
        }
        sets.merge(other.sets);
        pods.merge(other.pods);
        parents.merge(other.parents);
    }
};

}  // namespace runtime::controller
