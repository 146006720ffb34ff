#include <array>
#include <string_view>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/diff/formats.h"

namespace renderer::diff {
namespace {

constexpr int kFormatVersion = 1;

Value number(std::size_t count) {
    return {static_cast<std::int64_t>(count)};
}

template <typename T, typename Make>
Value list_of(const std::vector<T>& items, const Make& make) {
    Value list = Value::list();
    for (const T& item : items) {
        list.append(make(item));
    }
    return list;
}

// Empty texts get no key.
void put_text(Value& map, std::string_view key, const std::string& text) {
    if (!text.empty()) {
        map.add(Value::borrowed(key), Value(text));
    }
}

Value offer(const Reach& offer) {
    Value map = Value::map({{"endpoint", offer.endpoint}, {"public", offer.is_public}});
    put_text(map, "target", offer.target);
    put_text(map, "pods", offer.pods);
    return map;
}

Value device(const Device& device) {
    Value map = Value::map();
    put_text(map, "hostname", device.hostname);
    put_text(map, "parent", device.parent);
    put_text(map, "tailnet", device.tailnet);
    put_text(map, "server", device.server);
    put_text(map, "reaches", device.reaches);
    map.add("tags", text_list(device.tags));
    map.add("offers", list_of(device.offers, offer));
    return map;
}

std::string_view name_of(ObjectEdit edit) {
    constexpr std::array<std::string_view, 4> kNames = {"added", "renamed", "removed", "changed"};
    return kNames[static_cast<std::size_t>(edit)];
}

std::string_view name_of(FieldEdit edit) {
    constexpr std::array<std::string_view, 4> kNames = {"added", "removed", "changed", "reordered"};
    return kNames[static_cast<std::size_t>(edit)];
}

std::string_view name_of(RestartWay way) {
    constexpr std::array<std::string_view, 3> kNames = {"rolling", "on-delete", "recreate"};
    return kNames[static_cast<std::size_t>(way)];
}

Value device_change(const DeviceChange& change) {
    Value map = Value::map({{"change", Value::borrowed(name_of(change.edit))}});
    if (change.before) {
        map.add("before", device(*change.before));
    }
    if (change.after) {
        map.add("after", device(*change.after));
    }
    map.add("reasons", text_list(change.reasons));
    return map;
}

Value reach(const std::vector<ReachChange>& changes, bool added, bool is_public) {
    Value list = Value::list();
    for (const ReachChange& change : changes) {
        if (change.added != added || change.offer.is_public != is_public) {
            continue;
        }
        Value map = Value::map({{"hostname", change.hostname},
                                {"parent", change.parent},
                                {"endpoint", change.offer.endpoint}});
        put_text(map, "target", change.offer.target);
        put_text(map, "pods", change.offer.pods);
        put_text(map, "tailnet", change.tailnet);
        list.append(std::move(map));
    }
    return list;
}

Value field(const FieldChange& change) {
    Value map =
        Value::map({{"path", change.path}, {"change", Value::borrowed(name_of(change.edit))}});
    put_text(map, "before", change.before);
    put_text(map, "after", change.after);
    return map;
}

Value restart(const Restart& restart) {
    Value map = Value::map(
        {{"workload", restart.workload}, {"way", Value::borrowed(name_of(restart.way))}});
    if (restart.pods) {
        map.add("pods", Value(*restart.pods));
    }
    map.add("reasons", text_list(restart.reasons));
    map.add("fields", list_of(restart.fields, field));
    return map;
}

Value object(const ObjectChange& change) {
    Value map =
        Value::map({{"object", change.title}, {"change", Value::borrowed(name_of(change.edit))}});
    put_text(map, "before", change.old_title);
    put_text(map, "apiVersion", change.api_version);
    put_text(map, "parent", change.parent);
    map.add("file", Value(change.path));
    map.add("generated", Value(change.generated));
    map.add("fields", list_of(change.fields, field));
    return map;
}

Value kept_change(const KeptChange& change) {
    return Value::map({{"kept", change.begins},
                       {"hostname", change.hostname},
                       {"parent", change.parent},
                       {"reason", change.reason}});
}

std::string_view name_of(access::Change::Kind kind) {
    constexpr std::array<std::string_view, 5> kNames = {"reach", "kubernetes", "recording",
                                                        "egress", "approval"};
    return kNames[static_cast<std::size_t>(kind)];
}

Value who(const access::Who& who) {
    Value map = Value::map({{"who", who.selector.text}});
    if (!who.members.empty()) {
        map.add("members", text_list(who.members));
    }
    return map;
}

void put_list(Value& map, std::string_view key, const std::vector<std::string>& texts) {
    if (!texts.empty()) {
        map.add(Value::borrowed(key), text_list(texts));
    }
}

Value access_change(const access::Change& change) {
    Value map = Value::map({{"kind", Value::borrowed(name_of(change.kind))},
                            {"gains", change.gains},
                            {"certain", change.is_certain},
                            {"who", list_of(change.who, who)},
                            {"what", text_list(change.what)}});
    put_list(map, "roles", change.roles);
    put_list(map, "parts", change.parts);
    put_list(map, "postures", change.postures);
    put_list(map, "others", change.others);
    put_text(map, "before", change.before);
    put_text(map, "after", change.after);
    put_list(map, "rules", change.rules);
    map.add("approved", !change.needs_approval);
    return map;
}

Value access_changes(const access::Changes& access) {
    return Value::map({{"changes", list_of(access.changes, access_change)},
                       {"unknownGained", text_list(access.unknown_gained)},
                       {"unknownLost", text_list(access.unknown_lost)}});
}

Value cluster(const ClusterComparison& comparison, bool has_access) {
    const std::vector<ReachChange>& changes = comparison.devices.reach;
    Value map = Value::map({{"cluster", comparison.cluster},
                            {"public", Value::map({{"added", reach(changes, true, true)},
                                                   {"removed", reach(changes, false, true)}})},
                            {"tailnet", Value::map({{"added", reach(changes, true, false)},
                                                    {"removed", reach(changes, false, false)}})},
                            {"devices", list_of(comparison.devices.changes, device_change)},
                            {"kept", list_of(comparison.kept, kept_change)},
                            {"restarts", list_of(comparison.objects.restarts, restart)},
                            {"objects", list_of(comparison.objects.changes, object)},
                            {"unchanged", number(comparison.objects.unchanged)},
                            {"moved", number(comparison.objects.moved)}});
    if (has_access) {
        map.add("access", access_changes(comparison.access));
    }
    return map;
}

}  // namespace

std::string json_report(const Comparison& comparison) {
    const bool has_access = comparison.access && comparison.access->not_compared.empty();
    const auto cluster_of = [&](const ClusterComparison& one) { return cluster(one, has_access); };
    Value root = Value::map({{"version", kFormatVersion},
                             {"report", "diff"},
                             {"base", comparison.base},
                             {"head", comparison.head},
                             {"different", !comparison.is_equal()},
                             {"alone", comparison.alone},
                             {"warnings", text_list(comparison.warnings)},
                             {"clusters", list_of(comparison.clusters, cluster_of)}});
    if (comparison.access) {
        root.add("access", Value::map({{"notCompared", comparison.access->not_compared},
                                       {"unjudged", text_list(comparison.access->unjudged)},
                                       {"lacking", text_list(comparison.access->lacking)}}));
    }
    return write_json_pretty(root) + "\n";
}

}  // namespace renderer::diff
