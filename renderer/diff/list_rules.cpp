#include "renderer/diff/list_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "renderer/core/json.h"

namespace renderer {
namespace {

constexpr std::string_view kHost = "host";  // of a rule of an Ingress

struct KeyedField {
    std::string_view field;
    std::array<std::string_view, 2> keys;  // the second may be empty
};

// The first that fits counts.
constexpr std::array kKeyed = {
    KeyedField{"containers", {"name", ""}},
    KeyedField{"initContainers", {"name", ""}},
    KeyedField{"ephemeralContainers", {"name", ""}},
    KeyedField{"env", {"name", ""}},
    KeyedField{"volumes", {"name", ""}},
    KeyedField{"volumeMounts", {"mountPath", ""}},
    KeyedField{"volumeDevices", {"devicePath", ""}},
    KeyedField{"imagePullSecrets", {"name", ""}},
    KeyedField{"secrets", {"name", ""}},
    KeyedField{"hostAliases", {"ip", ""}},
    KeyedField{"ports", {"containerPort", "protocol"}},
    KeyedField{"ports", {"port", "protocol"}},
    KeyedField{"topologySpreadConstraints", {"topologyKey", "whenUnsatisfiable"}},
    KeyedField{"resourceClaims", {"name", ""}},
    KeyedField{"items", {"key", ""}},
    KeyedField{"webhooks", {"name", ""}},
    KeyedField{"versions", {"name", ""}},
    KeyedField{"conditions", {"type", ""}},
    KeyedField{"paths", {"path", "pathType"}},
    KeyedField{"parameters", {"name", ""}},
};

constexpr std::array<std::string_view, 27> kSets = {
    "verbs",       "apiGroups",       "resources",  "resourceNames",     "nonResourceURLs",
    "subjects",    "tolerations",     "finalizers", "accessModes",       "loadBalancerSourceRanges",
    "externalIPs", "policyTypes",     "values",     "matchExpressions",  "add",
    "drop",        "AdvertiseRoutes", "tags",       "AdvertiseServices", "routes",
    "shortNames",  "categories",      "tls",        "operations",        "advertiseRoutes",
    "endpoints",   "matchLabelKeys"};

bool is_set(std::string_view kind, std::string_view field) {
    const bool rbac = kind == "Role" || kind == "ClusterRole";
    if (field == "rules") {
        return rbac;
    }
    const bool policy = kind == "NetworkPolicy";
    if (field == "ingress" || field == "egress" || field == "from" || field == "to" ||
        field == "ports") {
        return policy;
    }
    return std::ranges::find(kSets, field) != kSets.end();
}

// No label twice, none empty.
bool tells_items(const Value& list, const std::vector<std::string_view>& keys) {
    std::set<std::string> seen;
    return std::ranges::all_of(list.items(), [&](const Value& item) {
        const Value* first = item.is_map() ? item.find(keys.front()) : nullptr;
        const bool scalar = first != nullptr ? first->is_string() || first->is_number()
                                             : item.is_map() && keys.front() == kHost;
        return scalar && seen.insert(item_label(item, keys)).second;
    });
}

}  // namespace

std::string item_label(const Value& item, const std::vector<std::string_view>& keys) {
    std::string label;
    for (const std::string_view key : keys) {
        const Value* value = item.find(key);
        std::string_view text = key == "protocol" ? "TCP" : key == kHost ? "*" : "";  // defaults
        if (value != nullptr && (value->is_string() || value->is_number())) {
            text = value->text();
        }
        if (!text.empty()) {
            label += fmt::format("{}{}={}", label.empty() ? "" : ",", key, text);
        }
    }
    return label;
}

ListRule list_rule(std::string_view kind, std::string_view field, const Value& before,
                   const Value& after) {
    for (const KeyedField& keyed : kKeyed) {
        if (keyed.field != field) {
            continue;
        }
        std::vector<std::string_view> keys = {keyed.keys[0]};
        if (!keyed.keys[1].empty()) {
            keys.push_back(keyed.keys[1]);
        }
        if (tells_items(before, keys) && tells_items(after, keys)) {
            return {ListOrder::Keyed, std::move(keys)};
        }
    }
    if (kind == "Ingress" && field == "rules") {
        const std::vector<std::string_view> host = {kHost};
        const bool told = tells_items(before, host) && tells_items(after, host);
        return told ? ListRule{ListOrder::Keyed, host} : ListRule{ListOrder::Set};
    }
    return {is_set(kind, field) ? ListOrder::Set : ListOrder::Matters};
}

Value canonical(std::string_view kind, std::string_view field, const Value& value) {
    if (value.is_map()) {
        Value out = Value::map();
        for (const Member& member : value.members()) {
            out.add(member.key.clone(), canonical(kind, member.name(), member.value));
        }
        return out;
    }
    if (!value.is_list()) {
        return value.clone();
    }
    std::vector<std::pair<std::string, Value>> items;
    for (const Value& item : value.items()) {
        Value one = canonical(kind, {}, item);
        std::string text = write_json_sorted(one);
        items.emplace_back(std::move(text), std::move(one));
    }
    if (is_set(kind, field)) {
        std::ranges::sort(items, {}, [](const auto& item) { return item.first; });
    }
    Value out = Value::list();
    for (auto& [text, item] : items) {
        out.append(std::move(item));
    }
    return out;
}

}  // namespace renderer
