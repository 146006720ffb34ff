// Collects the ways of a graph, and makes nodes and edges of them: what several ways have in common
// is one node or edge.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/graph/model.h"

namespace renderer::graph {

// A node of a way, and the edge to the next one.
struct Step {
    Node node;
    std::vector<std::string> labels = {};
    bool is_public = false;
    Change change = Change::Same;
};
using Steps = std::vector<Step>;

class WayCollector {
public:
    // `ns` is the namespace of the object that the way is for. The first node of an id counts.
    void add(std::string_view ns, Steps steps);
    [[nodiscard]] Graph finish(std::string cluster);

private:
    struct Draft {
        std::set<std::string> labels;
        bool is_public = false;
        Change change = Change::Same;
    };
    using Ids = std::pair<std::string, std::string>;

    std::map<std::string, Node> nodes_;
    std::map<Ids, Draft> edges_;
    std::set<std::pair<std::string, std::vector<std::string>>> ways_;  // namespace, ids
};

}  // namespace renderer::graph
