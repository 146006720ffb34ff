// What the order of a list means to Kubernetes. Most lists of its API are maps or sets in disguise
// (containers by name, ports by number and protocol, verbs of a role): they are compared as such.
// Sources: the `listType`, `listMapKey` and `patchMergeKey` marks in k8s.io/api; RBAC and network
// policies are unions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

enum class ListOrder { Matters, Set, Keyed };

struct ListRule {
    ListOrder order = ListOrder::Matters;
    std::vector<std::string_view> keys = {};  // Keyed: what tells an item, "port" and "protocol"
};

// `field` is the key that the list is under, in an object of that kind. Keyed only when each
// item of both lists has the first key and no two are alike.
ListRule list_rule(std::string_view kind, std::string_view field, const Value& before,
                   const Value& after);

// With every set in it sorted, so that two of one meaning are equal.
Value canonical(std::string_view kind, std::string_view field, const Value& value);

// "port=80,protocol=TCP"
std::string item_label(const Value& item, const std::vector<std::string_view>& keys);

}  // namespace renderer
