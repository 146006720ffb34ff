// Reads an entry of secretGenerator or configMapGenerator, with the contents of its files. The
// entry named `operator-oauth` generates nothing: its env file is recorded, and may be missing.
#pragma once

#include <optional>

#include "renderer/engines/kustomize/generator.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

// Returns the env files of a generator in kustomize's order: `envs`, then the singular `env`.
std::vector<const Value*> env_files(const Value& generator);

struct ListedFile {
    const Value* entry = nullptr;
    std::string_view path;  // without the key that an entry of `files` may have
};

// Returns every file that the generators of a kustomization list.
std::vector<ListedFile> generator_files(const Value& kustomization);

// Returns no value after an error, which is reported.
std::optional<GeneratorInput> read_generator(const BuildContext& context, const Kustomization& file,
                                             const Value& item, bool is_secret);

// Records the env file of the generator `operator-oauth`. Two that exist are an error.
void take_oauth(const BuildContext& context, const Kustomization& file, const Value& item);

}  // namespace renderer::engines
