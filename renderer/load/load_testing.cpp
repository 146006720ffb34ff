#include "renderer/load/load_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/core/yaml_writer.h"
#include "renderer/load/load.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::load {

namespace {

repo::LoadOptions with_path(repo::LoadOptions options) {
    if (options.path.empty()) {
        options.path = ".";
    }
    return options;
}

std::string bundle_line(const engines::Bundle& bundle) {
    std::string text =
        fmt::format("bundle \"{}\" name \"{}\" default \"{}\" forced \"{}\"{}{}", bundle.dir,
                    bundle.name, bundle.default_namespace, bundle.forced_namespace,
                    bundle.operator_chart ? " operator " + bundle.chart_version : "",
                    bundle.rendered ? "" : " copied " + bundle.chart);
    for (const engines::NamedPath& path : bundle.not_copied) {
        text += " without " + path.path;
    }
    return text + "\n";
}

std::string document_line(const Document& document, const Loaded& loaded) {
    return fmt::format("{} {}{}{}{}\n", loaded.sources.describe(document.kind.pos()),
                       document.object_name(), document.root.is_null() ? "" : " tree",
                       document.reachable ? "" : " unreachable",
                       document.list == kNone ? "" : fmt::format(" in {}", document.list));
}

}  // namespace

repo::LoadOptions in_namespace(std::string ns) {
    repo::LoadOptions options;
    options.default_namespace = std::move(ns);
    return options;
}

LoadedText load_text(Files files, repo::LoadOptions options) {
    options.validate = true;  // reports every mistake
    Diagnostics diagnostics;
    const Loaded loaded =
        load_tree(repo::MemoryTree(std::move(files)), with_path(std::move(options)), diagnostics);
    LoadedText text;
    for (const engines::Bundle& bundle : loaded.bundles) {
        text.files += bundle_line(bundle);
    }
    for (const SourceFile& file : loaded.files) {
        text.files +=
            fmt::format("{} {}{}{}\n", file.bundle, file.path, file.reachable ? "" : " unreachable",
                        file.copied_whole ? " copied" : "");
    }
    for (const Document& document : loaded.documents) {
        text.documents += document_line(document, loaded);
    }
    for (const Object& object : loaded.generated_inputs) {
        text.objects += "---\n";
        write_yaml(object.root, text.objects);
    }
    text.diagnostics = diagnostics.print(loaded.sources, false);
    return text;
}

std::string edited(Files files, const std::string& path, repo::LoadOptions options) {
    Diagnostics diagnostics;
    const Loaded loaded =
        load_tree(repo::MemoryTree(std::move(files)), with_path(std::move(options)), diagnostics);
    std::string text;
    for (SourceId id = 0; id < loaded.sources.count(); ++id) {
        if (loaded.sources.path(id) == path) {
            text = loaded.sources.text(id);
            std::vector<Edit> edits;
            std::ranges::copy_if(loaded.edits, std::back_inserter(edits),
                                 [&](const Edit& edit) { return edit.source == id; });
            for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
                text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
            }
        }
    }
    return text + diagnostics.print(loaded.sources, false);
}

}  // namespace renderer::load
