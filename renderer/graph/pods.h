// Finds the workloads of the tree that have the pods that a Service selects. Workloads are foreign
// documents; only those in namespaces that are asked for are read.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/load/loaded.h"

namespace renderer::graph {

struct PodOwner {
    std::string kind, name;                                  // "Deployment", "web"
    std::map<std::string, std::string, std::less<>> labels;  // of its pods
};

class PodIndex {
public:
    PodIndex(const load::Loaded& loaded, const std::set<std::string>& namespaces);

    // Returns those in the namespace whose pods have all labels of the selector, sorted by kind and
    // name. None for an empty selector, which selects no pods.
    [[nodiscard]] std::vector<const PodOwner*> selected(std::string_view ns,
                                                        const Value* selector) const;

private:
    void add(const std::string& ns, const PodOwner& owner);

    std::map<std::tuple<std::string, std::string, std::string>, PodOwner> owners_;
    // By namespace and one label.
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<const PodOwner*>,
             std::less<>>
        by_label_;
};

}  // namespace renderer::graph
