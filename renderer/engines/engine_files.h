// What a file of a tree may hold for engines and for us, as its text says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer {

// Of a `List`, also of one of a kind (`ApplicationList`), its items; else the object itself.
void add_objects(Value object, std::vector<Value>& objects);

// Kubernetes objects, or a kustomization's patches of them, that may be inputs of ours.
bool has_input(const std::string& path, std::string text);

// As Argo CD tells manifests from other YAML: there is an object in it, or it cannot be read and
// has the words of one.
bool holds_objects(const std::string& path, std::string_view text);

// May hold objects of engines, and cannot be read, or is not what its engine takes.
struct RefusedFile {
    std::string path;
    Pos pos;
    std::string why;
    bool is_misspelled = false;
    bool may_be_patch = false;
};

// In an object that an engine would act on if its kind, the group of its apiVersion or one of its
// fields were spelled right. The API server refuses it, and the engine stops there.
struct Misspelling {
    Pos pos;  // of the kind, of the apiVersion, or of the key
    std::string message;
    bool may_be_patch = false;  // it has no apiVersion
};

// The words of an object that applies something, in a text that may not be YAML.
bool says_unit(std::string_view text);

// Cheap, and wrong at most where it says yes. Texts in which may_hold_engine finds a group are not
// looked for.
bool may_be_misspelled(std::string_view text);

std::optional<Misspelling> misspelling_of(const Value& object);

// Of a HelmChart of k3s: the path that a FluxInstance is given in its values, which are a text.
std::string instance_path_of(const Value& chart);

// Helm's own: `path` is relative to the directory of a chart.
bool is_of_chart(std::string_view path);

}  // namespace renderer
