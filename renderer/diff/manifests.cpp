#include "renderer/diff/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/emit/tree/generated_file.h"
#include "renderer/kube/group_of.h"
#include "renderer/repo/paths.h"

namespace renderer::diff {
namespace {

constexpr std::string_view kKustomize = "kustomize.config.k8s.io/";

std::string key_of(const Manifest& manifest) {
    if (!manifest.is_object()) {
        return fmt::format("\x7f{}", manifest.path);  // sorts after all objects
    }
    return fmt::format("{}\n{}\n{}\n{}", manifest.kind, manifest.ns, manifest.name,
                       group_of(manifest.api_version));
}

void take_names(const Value& root, Manifest& manifest) {
    manifest.api_version = text_of(root.find("apiVersion"));
    manifest.kind = text_of(root.find("kind"));
    manifest.name = text_of(root, {"metadata", "name"});
    manifest.ns = text_of(root, {"metadata", "namespace"});
}

// True for kustomizations, which only list files, and for objects that have no name to identify
// them.
bool is_file(const Manifest& manifest) {
    return manifest.kind.empty() || manifest.api_version.empty() || manifest.name.empty() ||
           manifest.api_version.starts_with(kKustomize);
}

}  // namespace

std::string Manifest::title() const {
    return is_object() ? object_name(kind, ns, name) : path;
}

Manifests::Manifests(std::vector<emit::OutputFile> files, std::vector<emit::OutputFile> facts) {
    for (emit::OutputFile& file : files) {
        add_file(sources_.add(std::move(file.path), std::move(file.content)));
    }
    sorted_ = sorted_from(0);
    const std::size_t count = entries_.size();
    for (emit::OutputFile& file : facts) {
        add_file(sources_.add(std::move(file.path), std::move(file.content)));
    }
    facts_ = sorted_from(count);
}

std::vector<const Manifest*> Manifests::sorted_from(std::size_t first) {
    std::vector<Entry*> sorted;
    sorted.reserve(entries_.size() - first);
    for (std::size_t i = first; i < entries_.size(); ++i) {
        entries_[i].key = key_of(entries_[i]);
        sorted.push_back(&entries_[i]);
    }
    std::ranges::stable_sort(sorted, {}, &Manifest::key);
    std::string previous;
    std::size_t copies = 1;
    for (Entry* entry : sorted) {  // the same object may be in two bundles
        copies = entry->key == previous ? copies + 1 : 1;
        previous = entry->key;
        if (copies > 1) {
            entry->key += fmt::format("\n{}", copies);
        }
    }
    std::ranges::sort(sorted, {}, &Manifest::key);
    return {sorted.begin(), sorted.end()};
}

Manifests::Entry Manifests::make_entry(SourceId source, RawDocument range) const {
    Entry entry;
    entry.source = source;
    entry.range = range;
    entry.path = sources_.path(source);
    entry.text = sources_.text(source).substr(range.begin, range.end - range.begin);
    return entry;
}

void Manifests::add_file(SourceId source) {
    std::vector<Entry> found;
    if (!repo::is_manifest_name(sources_.path(source)) || !read_objects(source, found)) {
        Entry whole = make_entry(source, {0, sources_.text(source).size()});
        if (!repo::is_manifest_name(whole.path)) {
            whole.opaque = true;
            whole.parsed = true;
        }
        found.clear();
        found.push_back(std::move(whole));
    }
    for (Entry& entry : found) {
        entries_.push_back(std::move(entry));
    }
}

bool Manifests::read_objects(SourceId source, std::vector<Entry>& found) const {
    const bool generated = sources_.text(source).starts_with(emit::kGeneratedMark);
    for (const ScannedDocument& scanned : scan_documents(sources_, source)) {
        if (scanned.blank) {
            continue;
        }
        Entry entry = make_entry(source, scanned.range);
        entry.generated = generated;
        if (scanned.plain) {
            entry.api_version = text_of(&scanned.api_version);
            entry.kind = text_of(&scanned.kind);
            entry.name = text_of(&scanned.name);
            entry.ns = text_of(&scanned.ns);
        } else {
            parse(entry);
            take_names(entry.root, entry);
        }
        if (generated && entry.api_version.starts_with(kKustomize)) {
            continue;  // only lists the other files
        }
        if (entry.kind.ends_with("List") && entry.name.empty()) {
            parse(entry);
            take_items(entry, found);
        } else if (is_file(entry)) {
            return false;
        } else {
            found.push_back(std::move(entry));
        }
    }
    return generated || !found.empty();
}

void Manifests::take_items(Entry& list, std::vector<Entry>& found) {
    Value* items = list.root.find("items");
    for (Value& item : items != nullptr && items->is_list() ? items->items() : std::span<Value>()) {
        Entry entry;
        entry.source = list.source;
        entry.path = list.path;
        entry.generated = list.generated;
        entry.root = std::move(item);
        entry.parsed = true;
        take_names(entry.root, entry);
        if (!is_file(entry)) {
            found.push_back(std::move(entry));
        }
    }
}

void Manifests::parse(const Entry& entry) const {
    if (entry.parsed) {
        return;
    }
    Diagnostics diagnostics;
    entry.root = read_yaml(sources_, entry.source, entry.range, diagnostics);
    entry.opaque = diagnostics.has_errors();
    entry.parsed = true;
}

const Value& Manifests::root(const Manifest& manifest) const {
    const auto& entry = static_cast<const Entry&>(manifest);
    parse(entry);
    return entry.root;
}

const Manifest* Manifests::find(std::string_view key) const {
    const auto found = std::ranges::lower_bound(sorted_, key, {}, &Manifest::key);
    return found != sorted_.end() && (*found)->key == key ? *found : nullptr;
}

const Manifest* Manifests::find(std::string_view kind, std::string_view ns,
                                std::string_view name) const {
    const std::string prefix = fmt::format("{}\n{}\n{}\n", kind, ns, name);
    for (const std::vector<const Manifest*>* part : {&sorted_, &facts_}) {
        const auto found = std::ranges::lower_bound(*part, prefix, {}, &Manifest::key);
        if (found != part->end() && (*found)->key.starts_with(prefix)) {
            return *found;
        }
    }
    return nullptr;
}

}  // namespace renderer::diff
