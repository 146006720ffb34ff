#include "renderer/emit/generated_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "renderer/core/base64.h"
#include "renderer/core/json.h"
#include "renderer/core/secret_values.h"
#include "renderer/core/yaml_writer.h"

namespace renderer {
namespace {

constexpr std::string_view kDecodedMark = "# tailscaled configuration, decoded:\n";

bool is_secret(const Value& root) {
    const Value* kind = root.find("kind");
    return kind != nullptr && kind->is_string() && kind->text() == "Secret";
}

bool is_config_key(std::string_view key) {
    return key == "serve-config" || (key.starts_with("cap-") && key.ends_with(".hujson"));
}

// No AuthKey, or one that names a file.
bool has_no_key(const Value& config) {
    const Value* key = config.is_map() ? config.find("AuthKey") : nullptr;
    return config.is_map() &&
           (key == nullptr || (key->is_string() && key->text().starts_with("file:")));
}

std::optional<Value> decode_config(const Member& entry) {
    if (!is_config_key(entry.name()) || !entry.value.is_string()) {
        return std::nullopt;
    }
    const std::optional<std::string> json = decode_base64(entry.value.text());
    if (!json) {
        return std::nullopt;
    }
    Result<Value> config = read_json(*json);
    if (!config || !has_no_key(*config)) {
        return std::nullopt;
    }
    return std::move(*config);
}

bool is_filled(const Value* map) {
    return map != nullptr && map->is_map() && map->size() > 0;
}

// `${` would be taken for a variable by Flux, even in a comment.
std::string without_variables(std::string text) {
    for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at)) {
        text.insert(at + 1, 1, ' ');
    }
    return text;
}

void append_commented(std::string_view text, std::string& out) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        fmt::format_to(std::back_inserter(out), "#   {}\n", text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void append_decoded(const Value& root, std::string& out) {
    out += kDecodedMark;
    for (const Member& entry : root.find("data")->members()) {
        const std::optional<Value> config = decode_config(entry);
        fmt::format_to(std::back_inserter(out), "# {}:\n", entry.name());
        append_commented(without_variables(write_json_pretty(*config)), out);
    }
}

// The word `Secret` as the value of a `kind` key, in block or flow style or JSON.
bool names_kind_secret(std::string_view text) {
    constexpr std::string_view kWord = "Secret";
    for (auto at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
        const std::size_t after = at + kWord.size();
        if (after < text.size() &&
            std::string_view(" \t\r\n\"',}").find(text[after]) == std::string_view::npos) {
            continue;
        }
        const auto before = text.find_last_not_of(" \t\"':", at == 0 ? 0 : at - 1);
        if (before != std::string_view::npos && before + 1 < at &&
            text.substr(0, before + 1).ends_with("kind")) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool is_tailscaled_config(const Value& root) {
    if (!is_secret(root) || is_filled(root.find("stringData")) || !is_filled(root.find("data"))) {
        return false;
    }
    const auto entries = root.find("data")->members();
    return std::all_of(entries.begin(), entries.end(),
                       [](const Member& entry) { return decode_config(entry).has_value(); });
}

bool holds_credentials(const Value& root) {
    return is_secret(root) && !clear_values(root).empty() && !is_tailscaled_config(root);
}

bool text_holds_credentials(std::string_view text) {
    const bool decoded =
        text.starts_with(kGeneratedMark) && text.find(kDecodedMark) != std::string_view::npos;
    return !decoded && names_kind_secret(text);
}

std::string generated_text(const Value& root, std::string_view source) {
    std::string out(kGeneratedMark);
    if (!source.empty()) {
        fmt::format_to(std::back_inserter(out), "# Source: {}\n", source);
    }
    if (is_tailscaled_config(root)) {
        append_decoded(root, out);
    }
    write_yaml(root, out);
    return out;
}

}  // namespace renderer
