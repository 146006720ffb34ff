// The Secrets and ConfigMaps that a kustomization makes, and the suffix of their names. Values
// never reach a message. Source: kustomize api/internal/generators, api/hasher,
// kyaml/yaml/datamap.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/engines/kustomize/env_file.h"

namespace renderer {

struct GeneratorOptions {
    std::vector<KeyValue> labels, annotations;
    bool disable_name_suffix_hash = false;
    bool immutable = false;
};

struct GeneratorInput {
    bool is_secret = false;
    std::string name, ns;
    std::string type;             // of a Secret; "" = Opaque
    std::vector<KeyValue> pairs;  // unique keys
    GeneratorOptions options;
};

// The object with its final name.
Value make_generated(const GeneratorInput& input);

// Ten characters that depend on kind, type and data only.
std::string name_suffix(const GeneratorInput& input);

}  // namespace renderer
