// One side of a comparison, object by object, whatever file each is in. Finding them reads
// names only; an object is parsed when someone asks for its fields, since most are the same bytes
// on both sides. What is no Kubernetes object (a fleet.yaml, a chart's template) is a file: known
// by its path, and opaque when it is not YAML.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/emit/emit.h"

namespace renderer {

struct Manifest {
    std::string path;                         // of the file
    std::string api_version, kind, ns, name;  // all empty: a file
    std::string key;                          // what it is matched by
    std::string_view text;                    // its bytes
    bool generated = false;
    mutable bool opaque = false;  // cannot be read: compared byte for byte

    [[nodiscard]] bool is_object() const { return !kind.empty(); }
    [[nodiscard]] std::string title() const;  // "Kind/namespace/name", or the path
};

class Manifests {
public:
    Manifests() = default;
    // `facts` are found by kind and name, and are no part of the side.
    explicit Manifests(std::vector<OutputFile> files, std::vector<OutputFile> facts = {});
    Manifests(const Manifests&) = delete;
    Manifests& operator=(const Manifests&) = delete;

    // Sorted by key.
    [[nodiscard]] const std::vector<const Manifest*>& all() const { return sorted_; }
    [[nodiscard]] const Manifest* find(std::string_view key) const;
    // nullptr: there is none of that kind and name, in whatever API group.
    [[nodiscard]] const Manifest* find(std::string_view kind, std::string_view ns,
                                       std::string_view name) const;
    // Null for an opaque one.
    [[nodiscard]] const Value& root(const Manifest& manifest) const;

private:
    struct Entry : Manifest {
        SourceId source = 0;
        RawDocument range;
        mutable Value root;
        mutable bool parsed = false;  // or not to be parsed: opaque, an item of a List
    };

    // In `entries_` from `first` on.
    [[nodiscard]] std::vector<const Manifest*> sorted_from(std::size_t first);
    void add_file(SourceId source);
    [[nodiscard]] Entry make_entry(SourceId source, RawDocument range) const;
    // False when it holds something that is no object.
    [[nodiscard]] bool read_objects(SourceId source, std::vector<Entry>& found) const;
    static void take_items(Entry& list, std::vector<Entry>& found);
    void parse(const Entry& entry) const;

    SourceMap sources_;
    std::deque<Entry> entries_;
    std::vector<const Manifest*> sorted_, facts_;
};

}  // namespace renderer
