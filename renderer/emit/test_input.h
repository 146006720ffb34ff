// For tests in this folder: builds the input of emit from texts.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/document_scanner.h"
#include "renderer/emit/emit.h"

namespace renderer::emit {

struct TestInput {
    load::Loaded loaded;
    plan::Plan plan;
    generate::Objects objects;

    std::uint32_t add_bundle(std::string dir) {
        engines::Bundle bundle;
        bundle.dir = std::move(dir);
        loaded.bundles.push_back(std::move(bundle));
        return static_cast<std::uint32_t>(loaded.bundles.size() - 1);
    }

    // Adds a file of a bundle, split into documents as load does it.
    SourceId add_file(std::uint32_t bundle, const std::string& path, std::string text) {
        const std::string& dir = loaded.bundles[bundle].dir;
        const SourceId source =
            loaded.sources.add("repo/" + (dir.empty() ? path : dir + "/" + path), std::move(text));
        load::SourceFile file;
        file.source = source;
        file.bundle = bundle;
        file.path = path;
        loaded.files.push_back(std::move(file));
        for (ScannedDocument& scanned : scan_documents(loaded.sources, source)) {
            if (!scanned.blank) {
                add_document(source, bundle, scanned);
            }
        }
        return source;
    }

    void add_document(SourceId source, std::uint32_t bundle, ScannedDocument& scanned) {
        Document document;
        document.source = source;
        document.bundle = bundle;
        document.range = scanned.range;
        document.effective_namespace = scanned.ns.is_string() ? scanned.ns.text() : "";
        document.api_version = std::move(scanned.api_version);
        document.kind = std::move(scanned.kind);
        document.name = std::move(scanned.name);
        document.ns = std::move(scanned.ns);
        loaded.documents.push_back(std::move(document));
    }

    Object& add_object(std::string_view kind, std::string_view ns, std::string_view name) {
        Value metadata = Value::map({{"name", Value(name)}});
        put_if(metadata, !ns.empty(), "namespace", Value(ns));
        Object object;
        object.root = Value::map(
            {{"apiVersion", "v1"}, {"kind", Value(kind)}, {"metadata", std::move(metadata)}});
        objects.push_back(std::move(object));
        return objects.back();
    }

    // Removes the n-th document.
    void cut(std::size_t index) {
        const Document& document = loaded.documents[index];
        plan.edits.push_back(
            {document.source, document.range.begin, document.range.end, "", "cut"});
    }

    [[nodiscard]] Output output() const { return {loaded, plan, objects}; }
};

// Returns a document with only kind and metadata, for tests where only names matter.
inline std::string manifest(std::string_view kind, std::string_view ns, std::string_view name) {
    std::string text = "apiVersion: v1\nkind: ";
    text.append(kind).append("\nmetadata:\n  name: ").append(name).append("\n");
    if (!ns.empty()) {
        text.append("  namespace: ").append(ns).append("\n");
    }
    return text;
}

}  // namespace renderer::emit
