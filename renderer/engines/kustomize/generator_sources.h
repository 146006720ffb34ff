// What one entry of secretGenerator or configMapGenerator says, with the contents of its files. The
// entry named `operator-oauth` is never generated: its env file is recorded, and may be absent.
#pragma once

#include <optional>

#include "renderer/engines/kustomize/generator.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer {

// The env files of a generator: `envs`, then the singular `env`, as kustomize orders them.
std::vector<const Value*> env_files(const Value& generator);

struct ListedFile {
    const Value* entry = nullptr;
    std::string_view path;  // of `files` without the key that may be in front
};

// Every file that the generators of a kustomization list.
std::vector<ListedFile> generator_files(const Value& kustomization);

// No value after an error.
std::optional<GeneratorInput> read_generator(const BuildContext& context, const Kustomization& file,
                                             const Value& item, bool is_secret);

void take_oauth(const BuildContext& context, const Kustomization& file, const Value& item);

}  // namespace renderer
