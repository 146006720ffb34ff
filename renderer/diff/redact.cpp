#include "renderer/diff/redact.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/emit/tree/generated_file.h"
#include "renderer/secrets/credential_text.h"

namespace renderer::diff {
namespace {

class Redactor {
public:
    explicit Redactor(const secrets::SecretHash& hash) : hash_(hash) {}

    [[nodiscard]] Value any(const Value& value) const {
        if (value.is_list()) {
            return list(value);
        }
        if (value.is_map()) {
            return map(value);
        }
        if (!value.is_string()) {
            return value.clone();
        }
        const std::string shown = emit::wraps_secret(value.text())
                                      ? hash_(value.text())
                                      : secrets::without_credentials(value.text(), hash_);
        return shown == value.text() ? value.clone() : Value(shown);
    }

    [[nodiscard]] Value secret(const Value& root) const {
        Value out = Value::map();
        for (const Member& member : root.members()) {
            const std::string_view key = member.name();
            if (key == "apiVersion" || key == "kind" || key == "type" || key == "immutable") {
                out.add(member.key.clone(), member.value.clone());
            } else if (key == "metadata" && member.value.is_map()) {
                out.add(member.key.clone(), secret_metadata(member.value));
            } else if (key != "data" && key != "stringData") {
                out.add(member.key.clone(), hashed(member.value));
            }
        }
        Value data = secret_data(root);
        if (data.size() > 0) {
            out.add("data", std::move(data));
        }
        return out;
    }

    // Decodes the entries of a ConfigMap, or of a Secret with tailscaled's configuration.
    [[nodiscard]] Value unwrapped(const Value& root) const {
        Value out = members(root);
        for (const std::string_view field : {"data", "binaryData"}) {
            Value* entries = out.find(field);
            const bool encoded = field == "binaryData" || text_of(root, {"kind"}) == "Secret";
            for (Member& entry : entries != nullptr && entries->is_map() ? entries->members()
                                                                         : std::span<Member>()) {
                if (std::optional<Value> tree = decode(entry.value, encoded)) {
                    entry.value = any(*tree);
                } else if (field == "binaryData" && entry.value.is_string()) {
                    entry.value = Value(hash_(entry.value.text()));
                }
            }
        }
        return out;
    }

private:
    [[nodiscard]] Value list(const Value& value) const {
        Value out = Value::list();
        bool follows_flag = false;  // as in [--password, x]
        for (const Value& item : value.items()) {
            const std::string_view text = text_of(item);
            const bool is_flag = text.starts_with('-');
            out.append(follows_flag && !is_flag && !secrets::is_place(text) ? Value(hash_(text))
                                                                            : any(item));
            follows_flag = is_flag && secrets::may_name_credential(text);
        }
        return out;
    }

    [[nodiscard]] Value map(const Value& value) const {
        const bool wraps = value.find("data") != nullptr || value.find("stringData") != nullptr;
        const bool is_secret = wraps && text_of(value.find("kind")) == "Secret";
        return is_secret ? secret(value) : members(value);
    }

    [[nodiscard]] Value members(const Value& value) const {
        // An environment variable is recognised by its name, but the credential is in its value.
        const bool named = secrets::may_name_credential(text_of(value.find("name")));
        Value out = Value::map();
        for (const Member& member : value.members()) {
            const bool suspect =
                is_suspect(value, member.name()) || (named && member.name() == "value");
            const bool is_text =
                member.value.is_string() && !secrets::is_place(member.value.text());
            out.add(member.key.clone(),
                    suspect && is_text ? Value(hash_(member.value.text())) : entry(member));
        }
        return out;
    }

    // True for references in an ExternalSecret, whose values are stored elsewhere.
    static bool is_reference(const Member& member) {
        return member.value.is_map() &&
               (member.name() == "remoteRef" || member.name() == "extract");
    }

    [[nodiscard]] Value entry(const Member& member) const {
        return is_reference(member) ? member.value.clone() : any(member.value);
    }

    // In many maps of Kubernetes `key` names an entry, a label or a taint.
    static bool is_suspect(const Value& map, std::string_view key) {
        constexpr std::array<std::string_view, 11> kReference = {"name",
                                                                 "path",
                                                                 "operator",
                                                                 "effect",
                                                                 "values",
                                                                 "optional",
                                                                 "property",
                                                                 "version",
                                                                 "value",
                                                                 "conversionStrategy",
                                                                 "decodingStrategy"};
        return secrets::may_name_credential(key) &&
               (key != "key" || std::ranges::none_of(kReference, [&](std::string_view other) {
                    return map.find(other) != nullptr;
                }));
    }

    [[nodiscard]] Value secret_metadata(const Value& metadata) const {
        Value out = Value::map();
        for (const Member& member : metadata.members()) {
            const std::string_view key = member.name();
            const bool plain = key == "name" || key == "namespace" || key == "labels";
            out.add(member.key.clone(), plain ? any(member.value) : hashed(member.value));
        }
        return out;
    }

    // Hashes every scalar.
    [[nodiscard]] Value hashed(const Value& value) const {
        if (value.is_map()) {
            Value out = Value::map();
            for (const Member& member : value.members()) {
                out.add(member.key.clone(), hashed(member.value));
            }
            return out;
        }
        return value.is_null() ? Value() : Value(hash_(write_json(value)));
    }

    // Merges them as the API server does.
    [[nodiscard]] Value secret_data(const Value& root) const {
        Value out = Value::map();
        for (const std::string_view field : {"data", "stringData"}) {
            for (const Member& entry : members_of(root.find(field))) {
                const std::string_view text = text_of(entry.value);
                const std::optional<std::string> bytes =
                    field == "data" ? decode_base64(text) : std::nullopt;
                out.put(entry.key.clone(), hash_(bytes ? std::string_view(*bytes) : text));
            }
        }
        return out;
    }

    static std::optional<Value> decode(const Value& value, bool encoded) {
        if (!value.is_string()) {
            return std::nullopt;
        }
        const std::optional<std::string> bytes =
            encoded ? decode_base64(value.text()) : std::string(value.text());
        if (!bytes || !bytes->starts_with('{')) {
            return std::nullopt;
        }
        Result<Value> tree = read_json(*bytes);
        return tree ? std::optional<Value>(std::move(*tree)) : std::nullopt;
    }

    const secrets::SecretHash& hash_;
};

}  // namespace

Value redacted(const Value& root, const secrets::SecretHash& hash) {
    const Redactor redactor(hash);
    const std::string_view kind = text_of(root, {"kind"});
    if (kind == "ConfigMap" || emit::is_tailscaled_config(root)) {
        return redactor.unwrapped(root);
    }
    return kind == "Secret" ? redactor.secret(root) : redactor.any(root);
}

}  // namespace renderer::diff
