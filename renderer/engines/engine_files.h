// Checks on the text of a file: whether it may contain objects of engines, or inputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"

namespace renderer::engines {

// Appends the items of a `List`, or of a typed list (`ApplicationList`); else the object itself.
void add_objects(Value object, std::vector<Value>& objects);

// True if the file has Kubernetes objects, or patches of them in a kustomization, that may be
// inputs. `words`: what makes inputs besides "tailscale", with the operator's settings.
bool has_input(const std::string& path, std::string text, const std::vector<std::string>& words);

// Distinguishes manifests from other YAML as Argo CD does: the file has an object, or it cannot be
// parsed and contains the keys of one.
bool holds_objects(const std::string& path, std::string_view text);

// A file that may contain engine objects but cannot be parsed or is rejected by its engine.
struct RefusedFile {
    std::string path;
    Pos pos;
    std::string why;
    bool is_misspelled = false;
    bool may_be_patch = false;
    bool is_release = false;  // of a chart, which applies no directory
    Pos naming = {};          // where the object mentions Tailscale
};

// A typo in the kind, the group of the apiVersion or a field of an object of an engine. The API
// server rejects the object, and the engine fails.
struct Misspelling {
    Pos pos;  // of the kind, the apiVersion or the key
    std::string message;
    bool may_be_patch = false;  // it has no apiVersion
};

// True if a text, which may not be YAML, contains group and kind of an object that applies
// something.
bool says_unit(std::string_view text);

// A fast check that may return true without reason. It misses only texts that also have a
// kustomization, and texts in which may_hold_engine finds a group, which are read anyway.
bool may_be_misspelled(std::string_view text);

std::optional<Misspelling> misspelling_of(const Value& object);

}  // namespace renderer::engines
