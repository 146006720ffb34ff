// What a file of a tree may hold for engines and for us, as its text says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

// Of a `List`, also of one of a kind (`ApplicationList`), its items; else the object itself.
void add_objects(Value object, std::vector<Value>& objects);

// Kubernetes objects, or a kustomization's patches of them, that may be inputs of ours.
bool has_input(const std::string& path, std::string text);

// As Argo CD tells manifests from other YAML: there is an object in it, or it cannot be read and
// has the words of one.
bool holds_objects(const std::string& path, std::string_view text);

// May hold an object of Flux's helm-controller, and none whose kind is spelled right.
bool may_misspell_release(std::string_view text);

// "" for a kind of the engines, and for one that is not meant as such.
std::string_view meant_kind(const Value& object);

// Of a HelmChart of k3s: the path that a FluxInstance is given in its values, which are a text.
std::string instance_path_of(const Value& chart);

// Helm's own: `path` is relative to the directory of a chart.
bool is_of_chart(std::string_view path);

}  // namespace renderer
