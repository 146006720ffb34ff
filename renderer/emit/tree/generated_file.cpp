#include "renderer/emit/tree/generated_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "renderer/base/base64.h"
#include "renderer/base/printable.h"
#include "renderer/base/split.h"
#include "renderer/contract/config_secret.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/json.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/secrets/secret_values.h"

namespace renderer::emit {
namespace {

constexpr std::string_view kDecodedMark = "# tailscaled configuration, decoded:\n";

bool is_secret(const Value& root) {
    return text_of(root.find("kind")) == "Secret";
}

bool is_config_key(std::string_view key) {
    return key == kServeDatum || config_capability(key).has_value();
}

// True if there is no AuthKey, or it names a file.
bool has_no_key(const Value& config) {
    const Value* key = config.find(kConfigKeyField);
    return config.is_map() && (key == nullptr || text_of(key).starts_with("file:"));
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

// Breaks up `${`, which Flux would take for a variable even in a comment.
std::string without_variables(std::string text) {
    for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at)) {
        text.insert(at + 1, 1, ' ');
    }
    return text;
}

void append_commented(std::string_view text, std::string& out) {
    for (const std::string_view line : split(text, '\n')) {
        fmt::format_to(std::back_inserter(out), "#   {}\n", on_one_line(line));
    }
}

void append_decoded(const Value& root, std::string& out) {
    out += kDecodedMark;
    for (const Member& entry : root.find("data")->members()) {
        const std::optional<Value> config = decode_config(entry);
        fmt::format_to(std::back_inserter(out), "# {}:\n", on_one_line(entry.name()));
        append_commented(without_variables(write_json_pretty(*config)), out);
    }
}

// The kind cannot be spelled in any other way.
bool may_name_secret(std::string_view text) {
    return text.find("Secret") != std::string_view::npos ||
           text.find('\\') != std::string_view::npos;
}

// True if the text has the words of a Secret with values (`data` or `stringData`). Prose, such as
// the descriptions in a CRD, lacks some of them.
bool has_words_of_secret(std::string_view text) {
    return std::ranges::all_of(
        std::array<std::string_view, 3>{"kind", "Secret", "ata"},
        [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

template <typename Predicate>
bool any_document(std::string_view text, bool when_unreadable, const Predicate& predicate) {
    SourceMap sources;
    const SourceId source = sources.add("", std::string(text));
    const std::vector<ScannedDocument> documents = scan_documents(sources, source);
    return std::ranges::any_of(documents, [&](const ScannedDocument& document) {
        Diagnostics unreadable;
        const Value root = read_yaml(sources, source, document.range, unreadable);
        return unreadable.has_errors() ? when_unreadable : predicate(root);
    });
}

// Searches a List or any other wrapper of manifests, also in texts. A Secret that is only referred
// to has no values. `depth` counts the enclosing texts; each is parsed again, so it is limited.
bool holds_secret(const Value& value, int depth = 0) {
    constexpr int kMaxDepth = 4;
    if (value.is_list()) {
        return std::ranges::any_of(value.items(),
                                   [&](const Value& item) { return holds_secret(item, depth); });
    }
    if (value.is_string() && may_name_secret(value.text())) {
        const bool may_be_manifest = has_words_of_secret(value.text());
        return depth == kMaxDepth
                   ? may_be_manifest
                   : any_document(value.text(), may_be_manifest, [&](const Value& root) {
                         return !root.is_string() && holds_secret(root, depth + 1);
                     });
    }
    if (!value.is_map()) {
        return false;
    }
    const bool has_values = value.find("data") != nullptr || value.find("stringData") != nullptr;
    return (is_secret(value) && has_values) ||
           std::ranges::any_of(value.members(), [&](const Member& member) {
               return holds_secret(member.value, depth);
           });
}

bool is_hidden(const Value& root) {
    return is_secret(root) ? !is_tailscaled_config(root) : holds_secret(root);
}

}  // namespace

bool is_tailscaled_config(const Value& root) {
    const auto entries = members_of(root.find("data"));
    return is_secret(root) && members_of(root.find("stringData")).empty() && !entries.empty() &&
           std::ranges::all_of(
               entries, [](const Member& entry) { return decode_config(entry).has_value(); });
}

bool holds_credentials(const Value& root) {
    return is_secret(root) && !secrets::clear_values(root).empty() && !is_tailscaled_config(root);
}

bool wraps_secret(std::string_view text) {
    return may_name_secret(text) && holds_secret(Value(text));
}

bool text_holds_credentials(std::string_view text) {
    return may_name_secret(text) &&
           any_document(text, text.find("Secret") != std::string_view::npos, is_hidden);
}

std::string generated_text(const Value& root, std::string_view source) {
    std::string out(kGeneratedMark);
    if (!source.empty()) {
        fmt::format_to(std::back_inserter(out), "# Source: {}\n", on_one_line(source));
    }
    if (is_tailscaled_config(root)) {
        append_decoded(root, out);
    }
    write_yaml(root, out);
    return out;
}

}  // namespace renderer::emit
