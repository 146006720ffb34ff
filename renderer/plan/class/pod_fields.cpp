#include "renderer/plan/class/pod_fields.h"

#include <algorithm>
#include <array>
#include <span>

#include "renderer/kube/quantity.h"

namespace renderer::plan {

namespace {

constexpr std::array<std::string_view, 4> kMapsOfStrings = {"limits", "matchLabels", "nodeSelector",
                                                            "requests"};
// In these fields an empty string means the same as no value.
constexpr std::array<std::string_view, 3> kOfOptionalTexts = {"imagePullSecrets", "seLinuxOptions",
                                                              "tolerations"};
constexpr std::string_view kOfClaim = "request";  // the same for this field, beside a claim's name

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_left_out(std::string_view name, const Value& value) {
    return value.is_null() || (value.is_list() && value.size() == 0) ||
           (value.is_map() && value.size() == 0 && is_one_of(name, kMapsOfStrings));
}

Value pod_field(std::string_view name, const Value& value) {
    if (value.is_list()) {
        Value result = Value::list();
        for (const Value& item : value.items()) {
            result.append(pod_field(name, item));
        }
        return result;
    }
    if (!value.is_map()) {
        return value.clone();
    }
    if (name == "limits" || name == "requests") {
        return amounts(&value);
    }
    Value result = Value::map();
    for (const Member& member : value.members()) {
        const Value& inner = member.value;
        const bool is_empty_text = inner.is_string() && inner.text().empty();
        if (!is_left_out(member.name(), inner) &&
            !(is_empty_text && (is_one_of(name, kOfOptionalTexts) || member.name() == kOfClaim))) {
            result.add(member.key.clone(), pod_field(member.name(), inner));
        }
    }
    return result;
}

void put_pod_field(std::string_view name, const Value* value, Value& map) {
    if (value != nullptr && !is_left_out(name, *value)) {
        map.add(Value::borrowed(name), pod_field(name, *value));
    }
}

Value amounts(const Value* given) {
    if (given == nullptr || given->size() == 0) {
        return {};
    }
    Value result = Value::map();
    for (const Member& amount : given->members()) {
        result.add(amount.key.clone(), canonical_amount(amount.value).value_or(""));
    }
    return result;
}

}  // namespace renderer::plan
