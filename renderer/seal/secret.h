// A Secret in plain text -> the SealedSecret (bitnami.com/v1alpha1) that its controller turns back
// into it. Metadata goes along in spec.template, without what kubectl keeps of an applied Secret
// and without owners. Nothing here puts a value into a message. Source: sealed-secrets v0.27.1
// pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/seal/certificate.h"

namespace renderer {

// Where the controller opens it: under this name and namespace, under any name of the namespace,
// anywhere.
enum class SealScope { Strict, NamespaceWide, ClusterWide };

struct PlainSecret {
    std::string name, ns;
    Pos pos;                        // of the document or the file
    Value metadata = Value::map();  // labels and annotations, and what else is there
    std::string type = "Opaque";
    bool immutable = false;
    std::map<std::string, std::string> data;  // decoded
};

// The document must be a Secret; stringData wins over data, as in the API server. No value after an
// error.
std::optional<PlainSecret> read_secret(const Value& root, Diagnostics& diagnostics);

// The scope that annotations of the Secret ask for.
SealScope scope_of(const PlainSecret& secret);

Value seal_secret(const PlainSecret& secret, SealScope scope,
                  const SealingCertificate& certificate);

}  // namespace renderer
