// Makes the Secrets and ConfigMaps of a kustomization's generators, and the hash suffix of their
// names. No message contains a value. Source: kustomize api/internal/generators, api/hasher,
// kyaml/yaml/datamap.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/engines/kustomize/env_file.h"

namespace renderer::engines {

struct GeneratorOptions {
    std::vector<KeyValue> labels, annotations;
    bool disable_name_suffix_hash = false;
    bool immutable = false;
};

struct GeneratorInput {
    bool is_secret = false;
    std::string name, ns;
    std::string type;             // of a Secret; "" = Opaque
    std::vector<KeyValue> pairs;  // keys are unique
    GeneratorOptions options;
};

// Returns the object with its final name.
Value make_generated(const GeneratorInput& input);

// Returns ten characters that depend only on kind, type and data.
std::string name_suffix(const GeneratorInput& input);

}  // namespace renderer::engines
