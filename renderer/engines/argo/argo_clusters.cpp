#include "renderer/engines/argo/argo_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/base/split.h"
#include "renderer/core/text_of.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kTypeLabel = "argocd.argoproj.io/secret-type";

// Returns an entry of a Secret; `stringData` takes precedence over `data`. Nothing if it is
// encrypted.
std::optional<std::string> entry(const Value& secret, std::string_view key) {
    const Value* plain = secret.at({"stringData", key});
    std::string text(text_of(plain));
    if (plain == nullptr) {
        std::optional<std::string> decoded = decode_base64(text_of(secret, {"data", key}));
        text = decoded ? std::move(*decoded) : "ENC[";
    }
    return text.starts_with("ENC[") ? std::nullopt : std::optional(text);
}

Value map_or_empty(const Value* value) {
    return value != nullptr && value->is_map() ? value->clone() : Value::map();
}

bool lists(const Value& requirement, const Value* label) {
    return label != nullptr &&
           std::ranges::any_of(items_of(requirement.find("values")), [&](const Value& one) {
               return text_of(one) == spelling_of(label);
           });
}

// True if the operator of a requirement is known and has values exactly if it needs them.
bool is_valid(const Value& requirement) {
    const std::string_view word = text_of(requirement, {"operator"});
    const bool has_values = !items_of(requirement.find("values")).empty();
    return word == "In" || word == "NotIn"
               ? has_values
               : (word == "Exists" || word == "DoesNotExist") && !has_values;
}

}  // namespace

std::optional<ArgoCluster> parse_argo_cluster(std::string_view text) {
    ArgoCluster cluster;
    cluster.name = take(text, ',');
    cluster.labels.put(kTypeLabel, "cluster");
    for (const std::string_view part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            return std::nullopt;
        }
        const std::string_view key = part.substr(0, equals);
        const std::string_view value = part.substr(equals + 1);
        if (key == "server") {
            cluster.server = value;
        } else {
            cluster.labels.put(key, value);
        }
    }
    if (cluster.server.empty()) {
        cluster.server = cluster.name == kOwnCluster ? std::string(kOwnServer)
                                                     : fmt::format("https://{}", cluster.name);
    }
    return cluster.name.empty() ? std::nullopt : std::optional(std::move(cluster));
}

std::optional<ArgoCluster> argo_cluster_of(const Value& object) {
    const Value* labels = object.at({"metadata", "labels"});
    if (text_of(object, {"kind"}) != "Secret" || labels == nullptr || !labels->is_map() ||
        text_of(labels->find(kTypeLabel)) != "cluster") {
        return std::nullopt;
    }
    const std::optional<std::string> name = entry(object, "name");
    const std::optional<std::string> server = entry(object, "server");
    const bool is_known = name && server && !server->empty();
    return ArgoCluster{.name = is_known ? *name : std::string(),
                       .server = is_known ? *server : std::string(),
                       .project = entry(object, "project").value_or(""),
                       .labels = labels->clone(),
                       .annotations = map_or_empty(object.at({"metadata", "annotations"}))};
}

std::optional<bool> selects(const Value* selector, const Value& labels) {
    if (selector == nullptr) {
        return true;
    }
    if (!std::ranges::all_of(items_of(selector->find("matchExpressions")), is_valid)) {
        return std::nullopt;
    }
    for (const Member& member : members_of(selector->find("matchLabels"))) {
        const Value* label = labels.find(member.name());
        if (label == nullptr || spelling_of(*label) != spelling_of(member.value)) {
            return false;
        }
    }
    for (const Value& requirement : items_of(selector->find("matchExpressions"))) {
        const Value* label = labels.find(text_of(requirement, {"key"}));
        const std::string_view word = text_of(requirement, {"operator"});
        const bool holds = word == "In"       ? lists(requirement, label)
                           : word == "NotIn"  ? !lists(requirement, label)
                           : word == "Exists" ? label != nullptr
                                              : label == nullptr;
        if (!holds) {
            return false;
        }
    }
    return true;
}

}  // namespace renderer::engines
