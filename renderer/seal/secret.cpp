#include "renderer/seal/secret.h"

#include <fmt/format.h>

#include <array>

#include "renderer/base/base64.h"
#include "renderer/core/document.h"
#include "renderer/core/text_of.h"

namespace renderer::seal {
namespace {

constexpr std::string_view kNamespaceWide = "sealedsecrets.bitnami.com/namespace-wide";
constexpr std::string_view kClusterWide = "sealedsecrets.bitnami.com/cluster-wide";
// kubectl and kubecfg write these: a copy of the whole object, including its values.
constexpr std::array<std::string_view, 2> kCopies = {
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubecfg.ksonnet.io/last-applied-configuration"};

std::string text_at(const Value& map, std::string_view key) {
    return std::string(text_of(map.find(key)));
}

bool says_true(const Value& metadata, std::string_view annotation) {
    return text_of(metadata.at({"annotations", annotation})) == "true";
}

class Reader {
public:
    explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    std::optional<PlainSecret> read(const Value& root) {
        if (!root.is_map() || text_at(root, "kind") != "Secret" ||
            text_at(root, "apiVersion") != "v1") {
            const std::string kind = root.is_map() ? text_at(root, "kind") : "";
            error(root.pos(), "only Secrets can be sealed",
                  kind.empty() ? "a document without a kind" : fmt::format("\"{}\"", kind),
                  "\"apiVersion: v1\", \"kind: Secret\"");
            return std::nullopt;
        }
        secret_.pos = root.pos();
        read_metadata(root);
        object_ = object_name("Secret", secret_.ns, secret_.name);
        if (const Value* sops = root.find("sops"); sops != nullptr) {
            error(sops->pos(), "the Secret is encrypted by SOPS already", "the key \"sops\"",
                  "values in plain text");
        }
        read_data(root);
        if (const std::string type = text_at(root, "type"); !type.empty()) {
            secret_.type = type;
        }
        const Value* immutable = root.find("immutable");
        secret_.immutable = immutable != nullptr && immutable->is_bool() && immutable->as_bool();
        return failed_ ? std::nullopt : std::optional<PlainSecret>(std::move(secret_));
    }

private:
    void read_metadata(const Value& root) {
        const Value* metadata = root.find("metadata");
        if (metadata != nullptr && metadata->is_map()) {
            secret_.metadata = metadata->clone();
            secret_.name = text_at(*metadata, "name");
            secret_.ns = text_at(*metadata, "namespace");
        }
        if (secret_.name.empty()) {
            error(root.pos(), "the Secret has no name", "no \"metadata.name\"", "a name");
        }
    }

    void read_data(const Value& root) {
        for (const Member& member : members_of(root.find("data"))) {
            const auto decoded =
                member.value.is_string() ? decode_base64(member.value.text()) : std::nullopt;
            if (!decoded) {
                error(member.key.pos(),
                      fmt::format("the value of \"{}\" is not base64", member.name()), "other text",
                      "base64 in \"data\", plain text in \"stringData\"");
                continue;
            }
            secret_.data.insert_or_assign(std::string(member.name()), *decoded);
        }
        for (const Member& member : members_of(root.find("stringData"))) {
            if (!member.value.is_string()) {
                error(member.key.pos(),
                      fmt::format("the value of \"{}\" is not a string", member.name()),
                      std::string(kind_name(member.value)), "a string; put it in quotes");
                continue;
            }
            secret_.data.insert_or_assign(std::string(member.name()),
                                          std::string(member.value.text()));
        }
        if (secret_.data.empty() && !failed_) {
            error(root.pos(), "the Secret has nothing to seal",
                  "neither \"data\" nor \"stringData\"", "at least one key");
        }
    }

    void error(Pos pos, std::string message, std::string_view found, std::string_view expected) {
        failed_ = true;
        diagnostics_.error("seal", pos, std::move(message))
            .object(object_)
            .found(found)
            .expected(expected)
            .hide_text();
    }

    Diagnostics& diagnostics_;
    PlainSecret secret_;
    std::string object_;
    bool failed_ = false;
};

std::string label_of(const PlainSecret& secret, SealScope scope) {
    switch (scope) {
        case SealScope::Strict:
            return secret.ns + "/" + secret.name;
        case SealScope::NamespaceWide:
            return secret.ns;
        case SealScope::ClusterWide:
            break;
    }
    return "";
}

Value scope_annotations(SealScope scope) {
    Value annotations = Value::map();
    put_if(annotations, scope == SealScope::NamespaceWide, Value::borrowed(kNamespaceWide), "true");
    put_if(annotations, scope == SealScope::ClusterWide, Value::borrowed(kClusterWide), "true");
    return annotations;
}

Value template_metadata(const PlainSecret& secret, SealScope scope) {
    Value metadata = secret.metadata.clone();
    metadata.put("name", secret.name);
    metadata.put("namespace", secret.ns);
    for (const std::string_view key : {"ownerReferences", "creationTimestamp", "resourceVersion",
                                       "uid", "generation", "managedFields", "selfLink"}) {
        metadata.erase(key);
    }
    const Value* old = metadata.find("annotations");
    Value annotations = old != nullptr && old->is_map() ? old->clone() : Value::map();
    for (const std::string_view copy : kCopies) {
        annotations.erase(copy);
    }
    annotations.erase(kNamespaceWide);
    annotations.erase(kClusterWide);
    const Value scopes = scope_annotations(scope);
    for (const Member& member : scopes.members()) {
        annotations.put(member.name(), member.value.clone());
    }
    metadata.erase("annotations");
    const bool has_any = annotations.size() > 0;
    put_if(metadata, has_any, "annotations", std::move(annotations));
    return metadata;
}

}  // namespace

std::optional<PlainSecret> read_secret(const Value& root, Diagnostics& diagnostics) {
    return Reader(diagnostics).read(root);
}

SealScope scope_of(const PlainSecret& secret) {
    if (says_true(secret.metadata, kClusterWide)) {
        return SealScope::ClusterWide;
    }
    return says_true(secret.metadata, kNamespaceWide) ? SealScope::NamespaceWide
                                                      : SealScope::Strict;
}

Value seal_secret(const PlainSecret& secret, SealScope scope,
                  const SealingCertificate& certificate) {
    Value encrypted = Value::map();
    const std::string label = label_of(secret, scope);
    for (const auto& [key, value] : secret.data) {
        encrypted.add(key, encode_base64(certificate.seal(value, label)));
    }
    Value metadata = Value::map({{"name", secret.name}, {"namespace", secret.ns}});
    Value annotations = scope_annotations(scope);
    const bool has_scope = annotations.size() > 0;
    put_if(metadata, has_scope, "annotations", std::move(annotations));
    Value inner =
        Value::map({{"metadata", template_metadata(secret, scope)}, {"type", secret.type}});
    put_if(inner, secret.immutable, "immutable", true);
    return Value::map({{"apiVersion", "bitnami.com/v1alpha1"},
                       {"kind", "SealedSecret"},
                       {"metadata", std::move(metadata)},
                       {"spec", Value::map({{"encryptedData", std::move(encrypted)},
                                            {"template", std::move(inner)}})}});
}

}  // namespace renderer::seal
