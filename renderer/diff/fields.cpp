#include "renderer/diff/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"
#include "renderer/core/json.h"

namespace renderer::diff {
namespace {

constexpr std::size_t kMaxShown = 160;
constexpr std::size_t kContext = 40;

bool is_word(std::string_view key) {
    return !key.empty() && std::ranges::all_of(key, [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '_';
    });
}

// Returns "data.a", or "data[\"a.b\"]" if the key is not a plain word.
std::string child_path(std::string_view path, std::string_view key) {
    if (is_word(key)) {
        return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
    }
    return fmt::format("{}[{}]", path, write_json(Value(key)));
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
    const auto pair = std::ranges::mismatch(a, b);
    return static_cast<std::size_t>(pair.in1 - a.begin());
}

// Returns JSON, but with `<`, `>` and `&` unescaped, since it is for people.
std::string json_for_people(const Value& value) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kEscapes = {
        {{"\\u003c", "<"}, {"\\u003e", ">"}, {"\\u0026", "&"}}};
    std::string text = write_json_sorted(value);
    for (const auto& [escape, character] : kEscapes) {
        for (auto at = text.find(escape); at != std::string::npos; at = text.find(escape, at + 1)) {
            const bool escaped = at > 0 && text[at - 1] == '\\';
            if (!escaped) {
                text.replace(at, escape.size(), character);
            }
        }
    }
    return text;
}

// The meaning of a list's order to Kubernetes. Most lists of its API are really maps or sets
// (containers by name, ports by number and protocol, verbs of a role) and are compared as such.
// Sources: the `listType`, `listMapKey` and `patchMergeKey` markers in k8s.io/api; RBAC and network
// policies are unions.
enum class ListOrder { Matters, Set, Keyed };

struct ListRule {
    ListOrder order = ListOrder::Matters;
    std::span<const std::string_view> keys = {};  // Keyed: the keys, "port", "protocol"
};

constexpr std::string_view kHost = "host";  // in a rule of an Ingress
constexpr std::array kHostKeys = {kHost};

struct KeyedField {
    std::string_view field;
    std::array<std::string_view, 2> keys;  // the second may be empty
};

// The first match applies.
constexpr std::array kKeyed = {
    KeyedField{"containers", {"name"}},
    KeyedField{"initContainers", {"name"}},
    KeyedField{"ephemeralContainers", {"name"}},
    KeyedField{"env", {"name"}},
    KeyedField{"volumes", {"name"}},
    KeyedField{"volumeMounts", {"mountPath"}},
    KeyedField{"volumeDevices", {"devicePath"}},
    KeyedField{"imagePullSecrets", {"name"}},
    KeyedField{"secrets", {"name"}},
    KeyedField{"hostAliases", {"ip"}},
    KeyedField{"ports", {"containerPort", "protocol"}},
    KeyedField{"ports", {"port", "protocol"}},
    KeyedField{"topologySpreadConstraints", {"topologyKey", "whenUnsatisfiable"}},
    KeyedField{"resourceClaims", {"name"}},
    KeyedField{"items", {"key"}},
    KeyedField{"webhooks", {"name"}},
    KeyedField{"versions", {"name"}},
    KeyedField{"conditions", {"type"}},
    KeyedField{"paths", {"path", "pathType"}},
    KeyedField{"parameters", {"name"}},
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

// Returns "port=80,protocol=TCP".
std::string item_label(const Value& item, std::span<const std::string_view> keys) {
    std::string label;
    for (const std::string_view key : keys) {
        const Value* value = key.empty() ? nullptr : item.find(key);
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

// True if the labels of all items are unique and not empty.
bool tells_items(const Value& list, std::span<const std::string_view> keys) {
    std::set<std::string> seen;
    return std::ranges::all_of(list.items(), [&](const Value& item) {
        const Value* first = item.is_map() ? item.find(keys.front()) : nullptr;
        const bool scalar = first != nullptr ? first->is_string() || first->is_number()
                                             : item.is_map() && keys.front() == kHost;
        return scalar && seen.insert(item_label(item, keys)).second;
    });
}

// `field` is the key of the list, in an object of that kind. Keyed only if each item of both lists
// has the first key and no label is repeated.
ListRule list_rule(std::string_view kind, std::string_view field, const Value& before,
                   const Value& after) {
    for (const KeyedField& keyed : kKeyed) {
        if (keyed.field == field && tells_items(before, keyed.keys) &&
            tells_items(after, keyed.keys)) {
            return {ListOrder::Keyed, keyed.keys};
        }
    }
    if (kind == "Ingress" && field == "rules") {
        const bool told = tells_items(before, kHostKeys) && tells_items(after, kHostKeys);
        return told ? ListRule{ListOrder::Keyed, kHostKeys} : ListRule{ListOrder::Set};
    }
    return {is_set(kind, field) ? ListOrder::Set : ListOrder::Matters};
}

// Returns the value with every set in it sorted, so that equal meanings are equal values.
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

// True for maps that differ only in one list, such as a rule of a Role with other names.
bool differ_in_one_list(const Value& before, const Value& after) {
    if (!before.is_map() || !after.is_map() || before.size() != after.size()) {
        return false;
    }
    std::size_t lists = 0;
    for (const Member& member : before.members()) {
        const Value* other = after.find(member.name());
        if (other == nullptr) {
            return false;
        }
        if (!(member.value == *other)) {
            if (!member.value.is_list() || !other->is_list()) {
                return false;
            }
            ++lists;
        }
    }
    return lists == 1;
}

// Treats absent as `null`.
const Value& or_null(const Value* value) {
    static const Value kNull{};
    return value == nullptr ? kNull : *value;
}

class Comparer {
public:
    explicit Comparer(std::string_view kind) : kind_(kind) {}

    void compare(const std::string& path, std::string_view field, const Value& before,
                 const Value& after) {
        if (before.is_map() && after.is_map()) {
            maps(path, before, after);
        } else if (before.is_list() && after.is_list()) {
            lists(path, field, before, after);
        } else if (!(before == after)) {
            add(path, before, after);
        }
    }

    std::vector<FieldChange> take() {
        std::ranges::stable_sort(changes_, {}, &FieldChange::path);
        return std::move(changes_);
    }

private:
    void add(const std::string& path, const Value& before, const Value& after) {
        const FieldEdit edit = before.is_null()  ? FieldEdit::Added
                               : after.is_null() ? FieldEdit::Removed
                                                 : FieldEdit::Changed;
        std::size_t skipped = 0;  // the prefix that long texts share
        if (before.is_string() && after.is_string()) {
            skipped = common_prefix(before.text(), after.text());
        }
        changes_.push_back({path, edit, before.is_null() ? "" : shown_value(before, skipped),
                            after.is_null() ? "" : shown_value(after, skipped)});
    }

    void maps(const std::string& path, const Value& before, const Value& after) {
        for (const Member& member : before.members()) {
            compare(child_path(path, member.name()), member.name(), member.value,
                    or_null(after.find(member.name())));
        }
        for (const Member& member : after.members()) {
            if (before.find(member.name()) == nullptr) {
                compare(child_path(path, member.name()), member.name(), Value(), member.value);
            }
        }
    }

    void lists(const std::string& path, std::string_view field, const Value& before,
               const Value& after) {
        const ListRule rule = list_rule(kind_, field, before, after);
        const std::size_t changes = changes_.size();
        switch (rule.order) {
            case ListOrder::Keyed:
                keyed(path, rule.keys, before, after);
                break;
            case ListOrder::Set:
                sets(path, before, after);
                break;
            case ListOrder::Matters:
                sequences(path, field, before, after);
                return;
        }
        // The workload's controller compares pod templates as they are written.
        if (changes_.size() == changes && path.starts_with(kPodTemplate) &&
            is_reordered(before, after)) {
            changes_.push_back({path, FieldEdit::Reordered, "", ""});
        }
    }

    static bool is_reordered(const Value& before, const Value& after) {
        const auto label = [](const Value& item) { return write_json_sorted(item); };
        return !std::ranges::equal(before.items(), after.items(), {}, label, label);
    }

    void keyed(const std::string& path, std::span<const std::string_view> keys, const Value& before,
               const Value& after) {
        std::map<std::string, std::pair<const Value*, const Value*>> items;
        for (const Value& item : before.items()) {
            items[item_label(item, keys)].first = &item;
        }
        for (const Value& item : after.items()) {
            items[item_label(item, keys)].second = &item;
        }
        for (const auto& [label, pair] : items) {
            compare(fmt::format("{}[{}]", path, label), {}, or_null(pair.first),
                    or_null(pair.second));
        }
    }

    void sets(const std::string& path, const Value& before, const Value& after) {
        std::vector<const Value*> gone;
        std::multimap<std::string, const Value*> left;
        for (const Value& item : after.items()) {
            left.emplace(write_json_sorted(canonical(kind_, {}, item)), &item);
        }
        for (const Value& item : before.items()) {
            const auto found = left.find(write_json_sorted(canonical(kind_, {}, item)));
            if (found != left.end()) {
                left.erase(found);
            } else {
                gone.push_back(&item);
            }
        }
        if (gone.size() == 1 && left.size() == 1) {  // treat it as one changed item
            compare(path + "[]", {}, *gone.front(), *left.begin()->second);
            return;
        }
        for (const Value* item : gone) {
            const auto changed = std::ranges::find_if(left, [item](const auto& other) {
                return differ_in_one_list(*item, *other.second);
            });
            if (changed == left.end()) {
                add(path + "[]", *item, Value());
            } else {
                compare(path + "[]", {}, *item, *changed->second);
                left.erase(changed);
            }
        }
        for (const auto& [text, item] : left) {
            add(path + "[]", Value(), *item);
        }
    }

    // Skips the common beginning and end; the rest is compared item by item.
    void sequences(const std::string& path, std::string_view field, const Value& before,
                   const Value& after) {
        const auto a = before.items();
        const auto b = after.items();
        std::size_t begin = 0;
        while (begin < a.size() && begin < b.size() && a[begin] == b[begin]) {
            ++begin;
        }
        std::size_t end = 0;
        while (end < a.size() - begin && end < b.size() - begin &&
               a[a.size() - 1 - end] == b[b.size() - 1 - end]) {
            ++end;
        }
        const std::size_t count = std::max(a.size(), b.size()) - end;
        for (std::size_t i = begin; i < count; ++i) {
            compare(fmt::format("{}[{}]", path, i), field,
                    or_null(i < a.size() - end ? &a[i] : nullptr),
                    or_null(i < b.size() - end ? &b[i] : nullptr));
        }
    }

    std::string_view kind_;
    std::vector<FieldChange> changes_;
};

}  // namespace

std::string shown_value(const Value& value, std::size_t skipped) {
    std::string text = json_for_people(value);
    if (text.size() <= kMaxShown) {
        return text;
    }
    std::size_t begin = skipped > kContext ? std::min(skipped - kContext, text.size() - 1) : 0;
    while (begin > 0 && is_continuation(text[begin])) {
        --begin;
    }
    std::size_t end = std::min(begin + kMaxShown, text.size());
    while (end < text.size() && is_continuation(text[end])) {
        --end;
    }
    return fmt::format("{}{}{} ({} bytes)", begin > 0 ? "…" : "", text.substr(begin, end - begin),
                       end < text.size() ? "…" : "", text.size());
}

std::vector<FieldChange> compare_fields(std::string_view kind, const Value& before,
                                        const Value& after) {
    Comparer comparer(kind);
    comparer.compare({}, {}, before, after);
    return comparer.take();
}

}  // namespace renderer::diff
