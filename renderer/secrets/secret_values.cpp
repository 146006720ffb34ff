#include "renderer/secrets/secret_values.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/base/pattern.h"
#include "renderer/core/text_of.h"

namespace renderer::secrets {

namespace {

bool is_reference(std::string_view value) {
    constexpr std::array<std::string_view, 4> kMarks = {"ENC[", "<path:", "vault:", "ref+"};
    const bool variable = value.starts_with("${") && value.find('}') == value.size() - 1;
    return variable || std::ranges::any_of(kMarks, [value](std::string_view mark) {
               return value.starts_with(mark);
           });
}

// Determines from the metadata of SOPS which values it does not encrypt. Source: shouldBeEncrypted
// in sops.go. If there are rules about comments, which are not read here, or a regular expression
// that we cannot parse, any value counts as such: the user could not fix a refusal.
class SopsRules {
public:
    // nullptr if the file does not use SOPS.
    explicit SopsRules(const Value* stanza) : stanza_(stanza) {}

    [[nodiscard]] bool leaves_alone(std::string_view field, std::string_view key) const {
        if (stanza_ == nullptr) {
            return false;
        }
        if (!is_understood()) {
            return true;
        }
        const std::array<std::string_view, 2> path = {field, key};
        const auto suffix = [&](std::string_view name, std::string_view fallback = {}) {
            const std::string_view end = rule(name).empty() ? fallback : rule(name);
            return !end.empty() && std::ranges::any_of(path, [&](std::string_view part) {
                return part.ends_with(end);
            });
        };
        const auto regex = [&](std::string_view name) {
            const std::optional<Pattern> pattern = Pattern::parse(rule(name));
            return std::ranges::any_of(
                path, [&](std::string_view part) { return pattern->matches(part); });
        };
        if (!rule("encrypted_regex").empty()) {
            return !regex("encrypted_regex");
        }
        if (!rule("encrypted_suffix").empty()) {
            return !suffix("encrypted_suffix");
        }
        if (!rule("unencrypted_regex").empty()) {
            return regex("unencrypted_regex");
        }
        return suffix("unencrypted_suffix", "_unencrypted");
    }

private:
    [[nodiscard]] std::string_view rule(std::string_view name) const {
        return text_of(stanza_->find(name));
    }

    [[nodiscard]] bool is_understood() const {
        return rule("encrypted_comment_regex").empty() &&
               rule("unencrypted_comment_regex").empty() &&
               Pattern::parse(rule("encrypted_regex")).has_value() &&
               Pattern::parse(rule("unencrypted_regex")).has_value();
    }

    const Value* stanza_;
};

}  // namespace

std::vector<ClearValue> clear_values(const Value& secret) {
    std::vector<ClearValue> found;
    const SopsRules sops(secret.find("sops"));
    for (const std::string_view field : {"data", "stringData"}) {
        for (const Member& member : members_of(secret.find(field))) {
            const std::string text(scalar_text(member.value));
            std::string decoded = field == "data" ? decode_base64(text).value_or(text) : text;
            if (!decoded.empty() && !is_reference(text) && !is_reference(decoded) &&
                !sops.leaves_alone(field, member.name())) {
                found.push_back({&member, std::move(decoded)});
            }
        }
    }
    return found;
}

}  // namespace renderer::secrets
