#include "renderer/load/encrypted_inputs.h"

#include <string_view>

#include "renderer/base/split.h"
#include "renderer/contract/domain.h"
#include "renderer/core/encrypted.h"
#include "renderer/core/text_of.h"
#include "renderer/load/documents.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::load {

namespace {

// Returns the first encrypted value; nullptr if there is none.
const Value* first_encrypted(const Value& value) {
    const Value* found = nullptr;
    repo::for_each_value(value, [&](const Value& one) {
        found = found == nullptr && is_encrypted_text(text_of(&one)) ? &one : found;
    });
    return found;
}

// Returns an encrypted value that decides whether or how the object is exposed.
const Value* encrypted_part(const Value& object, bool is_input) {
    for (const std::string_view field : {"ingressClassName", "loadBalancerClass"}) {
        const Value* value = object.at({"spec", field});
        if (is_encrypted_text(text_of(value))) {
            return value;
        }
    }
    if (!is_input) {
        return nullptr;
    }
    for (const Member& member : members_of(object.at({"metadata", "annotations"}))) {
        if (member.name().starts_with(kOperatorDomain) &&
            is_encrypted_text(text_of(member.value))) {
            return &member.value;
        }
    }
    const Value* spec = object.find("spec");
    return spec == nullptr ? nullptr : first_encrypted(*spec);
}

}  // namespace

bool encrypts_exposure(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = take(text, '\n');
        if (line.find(kEncrypted) != std::string_view::npos &&
            (line.find("ingressClassName") != std::string_view::npos ||
             line.find("loadBalancerClass") != std::string_view::npos ||
             line.find(kOperatorDomain) != std::string_view::npos)) {
            return true;
        }
    }
    return false;
}

void refuse_encrypted_inputs(Loaded& loaded, Diagnostics& diagnostics) {
    for (Document& document : loaded.documents) {
        const std::string_view kind = text_of(document.kind);
        const bool is_own = text_of(document.api_version).starts_with(kOperatorDomain);
        if (!document.reachable || (kind != "Service" && kind != "Ingress" && !is_own) ||
            document_text(loaded, document).find(kEncrypted) == std::string_view::npos) {
            continue;
        }
        Diagnostics discarded;
        const Value root = read_document(loaded, document, discarded);
        const Value* part = encrypted_part(root, document.mentions_tailscale);
        if (part == nullptr || root.find("sops") == nullptr) {
            continue;
        }
        diagnostics
            .error("encrypted-input", part->pos(),
                   "SOPS encrypts this value, so it is not known what the object exposes")
            .object(document.object_name())
            .expected("metadata and spec in plain text: they hold no secret")
            .hint("encrypt data and stringData alone (encrypted_regex in .sops.yaml)");
        document.reachable = false;
    }
}

}  // namespace renderer::load
