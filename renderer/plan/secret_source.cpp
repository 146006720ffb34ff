#include "renderer/plan/secret_source.h"

#include <array>

#include "renderer/contract/labels.h"
#include "renderer/core/text_of.h"

namespace renderer::plan {

namespace {

void take_keys(const Value* entries, SecretSource& source) {
    for (const Member& entry : members_of(entries)) {
        if (!text_of(&entry.value).empty()) {
            source.keys.emplace(entry.name());
        }
    }
}

std::string tailnet_label(const Value* metadata) {
    return std::string(
        text_of(metadata == nullptr ? nullptr : metadata->at({"labels", kTailnetLabel})));
}

// Reads a Secret or a SealedSecret. Sealed entries have the same keys as the Secret; a template may
// add plain text entries.
SecretSource of_secret(const Value& root, const Document* document) {
    SecretSource source{.document = document, .keys_known = true, .keys = {}};
    take_keys(root.find("data"), source);
    take_keys(root.find("stringData"), source);
    take_keys(root.at({"spec", "encryptedData"}), source);
    take_keys(root.at({"spec", "template", "data"}), source);
    const Value* sealed = root.at({"spec", "encryptedData"});
    source.tailnet = tailnet_label(sealed == nullptr ? root.find("metadata")
                                                     : root.at({"spec", "template", "metadata"}));
    return source;
}

// Reads an ExternalSecret. If it has a template or copies a whole entry of the store, its keys are
// only known in the cluster.
SecretSource of_external_secret(const Value& root, const Document* document) {
    SecretSource source{.document = document, .keys_known = false, .keys = {}};
    // Without a template the Secret has the labels of the ExternalSecret.
    const Value* layout = root.at({"spec", "target", "template"});
    source.tailnet =
        tailnet_label(layout == nullptr ? root.find("metadata") : layout->find("metadata"));
    const Value* data = root.at({"spec", "data"});
    if (data == nullptr || !data->is_list() || root.at({"spec", "dataFrom"}) != nullptr ||
        layout != nullptr) {
        return source;
    }
    source.keys_known = true;
    for (const Value& item : data->items()) {
        source.keys.emplace(text_of(item.is_map() ? item.find("secretKey") : nullptr));
    }
    return source;
}

std::optional<SecretSource> secret_source(const load::Loaded& loaded, const Document& document,
                                          std::string_view name, Diagnostics& diagnostics) {
    const std::string_view kind = text_of(&document.kind);
    const bool same_name = text_of(&document.name) == name;
    if (kind == "Secret" || kind == "SealedSecret") {
        return same_name ? std::optional(of_secret(
                               load::read_document(loaded, document, diagnostics), &document))
                         : std::nullopt;
    }
    if (kind != "ExternalSecret") {
        return std::nullopt;
    }
    const Value root = load::read_document(loaded, document, diagnostics);
    const std::string_view target = text_of(root.at({"spec", "target", "name"}));
    return target == name || (target.empty() && same_name)
               ? std::optional(of_external_secret(root, &document))
               : std::nullopt;
}

}  // namespace

std::optional<SecretSource> find_secret(const load::Loaded& loaded, SecretName wanted,
                                        Diagnostics& diagnostics) {
    for (const Document& document : loaded.documents) {
        if (document.effective_namespace == wanted.ns) {
            if (auto found = secret_source(loaded, document, wanted.name, diagnostics)) {
                return found;
            }
        }
    }
    for (const Object& object : loaded.generated_inputs) {
        if (object.kind() == "Secret" && object.ns() == wanted.ns && object.name() == wanted.name) {
            return of_secret(object.root, nullptr);
        }
    }
    return std::nullopt;
}

std::vector<std::string_view> missing_keys(const SecretSource& source) {
    constexpr std::array<std::string_view, 2> kWanted = {"client_id", "client_secret"};
    std::vector<std::string_view> missing;
    for (const std::string_view key : kWanted) {
        if (source.keys_known && !source.keys.contains(key)) {
            missing.push_back(key);
        }
    }
    return missing;
}

}  // namespace renderer::plan
