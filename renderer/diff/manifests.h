// One side of a comparison, object by object, whatever file each is in. Finding them reads only
// names; an object is parsed when its fields are requested, since most are the same bytes on both
// sides. What is not a Kubernetes object (a fleet.yaml, a chart's template) is a file: identified
// by its path, and opaque if it is not YAML.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/emit/emit.h"

namespace renderer::diff {

struct Manifest {
    std::string path;                         // of the file
    std::string api_version, kind, ns, name;  // all empty for a file
    std::string key;                          // what it is matched by with the other side
    std::string_view text;                    // its bytes
    bool generated = false;
    mutable bool opaque = false;  // cannot be read: compared byte by byte

    [[nodiscard]] bool is_object() const { return !kind.empty(); }
    [[nodiscard]] std::string title() const;  // "Kind/namespace/name", or the path
};

class Manifests {
public:
    Manifests() = default;
    // `facts` can be found by kind and name, but are not part of the side.
    explicit Manifests(std::vector<emit::OutputFile> files,
                       std::vector<emit::OutputFile> facts = {});
    Manifests(const Manifests&) = delete;
    Manifests& operator=(const Manifests&) = delete;

    // Returns all manifests of the side, sorted by key.
    [[nodiscard]] const std::vector<const Manifest*>& all() const { return sorted_; }
    [[nodiscard]] const Manifest* find(std::string_view key) const;
    // Searches any API group; returns nullptr if there is none of that kind and name.
    [[nodiscard]] const Manifest* find(std::string_view kind, std::string_view ns,
                                       std::string_view name) const;
    // Returns Null for an opaque one.
    [[nodiscard]] const Value& root(const Manifest& manifest) const;

private:
    struct Entry : Manifest {
        SourceId source = 0;
        RawDocument range;
        mutable Value root;
        mutable bool parsed = false;  // or must not be: opaque, or an item of a List
    };

    // Returns `entries_` from `first` on, sorted by key.
    [[nodiscard]] std::vector<const Manifest*> sorted_from(std::size_t first);
    void add_file(SourceId source);
    [[nodiscard]] Entry make_entry(SourceId source, RawDocument range) const;
    // Returns false if the file contains something that is not an object.
    [[nodiscard]] bool read_objects(SourceId source, std::vector<Entry>& found) const;
    static void take_items(Entry& list, std::vector<Entry>& found);
    void parse(const Entry& entry) const;

    SourceMap sources_;
    std::deque<Entry> entries_;
    std::vector<const Manifest*> sorted_, facts_;
};

}  // namespace renderer::diff
