// Turns a plaintext Secret into the SealedSecret (bitnami.com/v1alpha1) that the controller turns
// back into it. Metadata goes to spec.template, without kubectl's copy of an applied Secret and
// without owners. No message contains a value. Source: sealed-secrets v0.27.1
// pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/seal/certificate.h"

namespace renderer::seal {

// Where the controller may decrypt it: under this name and namespace, under any name of the
// namespace, or anywhere.
enum class SealScope { Strict, NamespaceWide, ClusterWide };

struct PlainSecret {
    std::string name, ns;
    Pos pos;                        // of the document or the file
    Value metadata = Value::map();  // labels, annotations and other metadata
    std::string type = "Opaque";
    bool immutable = false;
    std::map<std::string, std::string> data;  // decoded
};

// The document must be a Secret. As in the API server, stringData wins over data. Returns nothing
// after an error.
std::optional<PlainSecret> read_secret(const Value& root, Diagnostics& diagnostics);

// Returns the scope that annotations of the Secret ask for.
SealScope scope_of(const PlainSecret& secret);

Value seal_secret(const PlainSecret& secret, SealScope scope,
                  const SealingCertificate& certificate);

}  // namespace renderer::seal
