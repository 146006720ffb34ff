#include "renderer/core/secret_values.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "renderer/core/base64.h"

namespace renderer {

namespace {

bool is_reference(std::string_view value) {
    constexpr std::array<std::string_view, 4> kMarks = {"ENC[", "<path:", "vault:", "ref+"};
    const bool variable = value.starts_with("${") && value.find('}') == value.size() - 1;
    return variable || std::ranges::any_of(kMarks, [value](std::string_view mark) {
               return value.starts_with(mark);
           });
}

}  // namespace

std::vector<ClearValue> clear_values(const Value& secret) {
    std::vector<ClearValue> found;
    if (secret.find("sops") != nullptr) {
        return found;
    }
    for (const std::string_view field : {"data", "stringData"}) {
        const Value* values = secret.find(field);
        if (values == nullptr || !values->is_map()) {
            continue;
        }
        for (const Member& member : values->members()) {
            const bool is_scalar = member.value.is_string() || member.value.is_number();
            const std::string text(is_scalar ? member.value.text() : std::string_view());
            std::string decoded = field == "data" ? decode_base64(text).value_or(text) : text;
            if (!decoded.empty() && !is_reference(text) && !is_reference(decoded)) {
                found.push_back({&member, std::move(decoded)});
            }
        }
    }
    return found;
}

}  // namespace renderer
