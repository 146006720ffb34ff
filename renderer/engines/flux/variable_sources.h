// Where Flux takes variables from: the ConfigMaps and Secrets of a tree, and what the user sets.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/flux/generated_maps.h"
#include "renderer/engines/flux/patched_maps.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// A ConfigMap or a Secret that a Kustomization names.
struct VariableSource {
    std::string_view name;
    std::string_view ns;    // of the Kustomization; "" if it is not known
    std::string_view file;  // with the Kustomization
    bool is_secret = false;
};

// Files are read when the first object is asked for.
class VariableSources {
public:
    // All references must outlive this object. Uses the options threads, substitutes and
    // configured_substitutes.
    VariableSources(const repo::SourceTree& tree, const DirList& dirs, const std::string& root,
                    SourceMap& sources, const repo::LoadOptions& options);

    // The variables that the user sets.
    [[nodiscard]] const UnitVariables& substitutes() const { return substitutes_; }

    // Returns the object in the namespace of the Kustomization. Several with one name belong to
    // different clusters: then it is the one whose file is nearest to that of the Kustomization.
    // Returns null if there is none, or no single nearest, or if its data may be patched. Values of
    // a Secret may be encrypted.
    const Value* find(const VariableSource& wanted);
    // Returns the file of an object that `find` found, "" if kustomize generates it.
    [[nodiscard]] std::string file_of(const Value& found) const;
    // True if there is such a ConfigMap, whether its data are known or not.
    bool has_config_map(std::string_view name);

private:
    // Returns the ConfigMaps with this name in all namespaces, or, if none, the generated ones.
    std::vector<const Value*> config_maps(std::string_view name);
    std::vector<const Value*> secrets(std::string_view name);
    void read_files();

    const repo::SourceTree& tree_;
    const DirList& dirs_;
    const std::string& root_;
    SourceMap& sources_;
    unsigned threads_;
    UnitVariables substitutes_;
    bool has_read_ = false;
    std::map<std::string, std::vector<Value>, std::less<>> config_maps_, secrets_;
    GeneratedMaps generated_;
    PatchedMaps patched_;
};

}  // namespace renderer::engines
