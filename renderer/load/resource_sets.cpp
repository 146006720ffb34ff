#include "renderer/load/resource_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/resource_set.h"
#include "renderer/engines/flux/resource_set_units.h"
#include "renderer/engines/helm/exposing_values.h"
#include "renderer/engines/kustomize/origins.h"
#include "renderer/engines/liveness.h"
#include "renderer/load/documents.h"
#include "renderer/load/kept_documents.h"
#include "renderer/load/namespaces.h"
#include "renderer/load/release_objects.h"

namespace renderer::load {

namespace {

std::string stream_of(const std::vector<Value>& objects) {
    std::string stream;
    for (const Value& object : objects) {
        stream += "---\n";
        write_yaml(object, stream);
    }
    return stream;
}

void set_namespace(Value& object, const std::string& ns) {
    Value* metadata = object.find("metadata");
    if (metadata != nullptr && metadata->is_map() && !ns.empty()) {
        metadata->put("namespace", ns);
    }
}

class SetReader {
public:
    SetReader(const repo::SourceTree& tree, engines::Selection& selection,
              const repo::LoadOptions& options, Loaded& loaded, Diagnostics& diagnostics)
        : tree_(tree),
          selection_(selection),
          options_(options),
          loaded_(loaded),
          diagnostics_(diagnostics) {}

    // Expands the sets among the documents from `first` on, which are in `files`. Returns the files
    // that the sets create.
    std::vector<engines::InputFile> add(std::size_t first,
                                        const std::vector<engines::InputFile>& files,
                                        const std::vector<std::uint32_t>& file_of) {
        std::vector<engines::InputFile> made;
        for (std::size_t i = first; i < loaded_.documents.size(); ++i) {
            const Document& document = loaded_.documents[i];
            const bool is_set = text_of(document.kind) == "ResourceSet" && document.reachable &&
                                document.source < file_of.size() &&
                                file_of[document.source] != kNone;
            if (is_set) {
                expand(document, files[file_of[document.source]], made);
            }
        }
        return made;
    }

    std::vector<std::uint32_t> read(const std::vector<engines::InputFile>& files) {
        std::vector<std::uint32_t> file_of =
            read_documents(tree_, files, options_, loaded_, diagnostics_);
        apply_namespaces(files, file_of, selection_.rules, loaded_, diagnostics_);
        mark_kept(files, file_of, options_.skip_suspended, loaded_, diagnostics_);
        note_units(files, file_of, loaded_);
        return file_of;
    }

private:
    void note(const engines::InputFile& file, const std::string& name, engines::Liveness liveness,
              std::string reason) {
        loaded_.standings.all.push_back(
            release_standing(name, liveness, std::move(reason), *file.unit));
    }

    void expand(const Document& document, const engines::InputFile& file,
                std::vector<engines::InputFile>& made) {
        Diagnostics discarded;
        Value root = read_document(loaded_, document, discarded);
        if (discarded.has_errors() || !engines::is_resource_set(root)) {
            return;
        }
        set_namespace(root, document.effective_namespace);
        const std::string name = document.object_name();
        const std::string mark = engines::why_set_is_disabled(root);
        const std::string kept(mark.empty() ? std::string(kept_reason(loaded_, document))
                                            : fmt::format("{}: {}", name, mark));
        if (!mark.empty() && options_.skip_suspended) {
            note(file, name, engines::Liveness::Kept, kept);
            selection_.rendered_charts.insert(name);
            return;
        }
        const engines::MadeObjects objects = engines::expand_resource_set(root, input_providers());
        for (const Value* provider : objects.providers) {
            selection_.rendered_charts.insert(object_name(
                text_of(*provider, {"kind"}), text_of(*provider, {"metadata", "namespace"}),
                text_of(*provider, {"metadata", "name"})));
        }
        note(file, name,
             !objects.unresolved.empty() ? engines::Liveness::Unknown
             : kept.empty()              ? engines::Liveness::Applied
                                         : engines::Liveness::Kept,
             objects.unresolved.empty() ? kept : objects.unresolved);
        if (!objects.unresolved.empty()) {
            warn(root, objects.providers, name, objects.unresolved);
        }
        if (const std::string why = why_refused(root, objects.objects); !why.empty()) {
            note(file, name, engines::Liveness::Broken, why);
        }
        selection_.rendered_charts.insert(name);
        if (objects.objects.empty()) {
            return;
        }
        engines::AppliedUnit unit = engines::unit_of_object(*file.unit, name, kept);
        unit.variables = file.unit->variables;
        const engines::DocumentOrigin* origin =
            engines::origin_at(file.origins, document.range.begin);
        const bool has_origin = origin != nullptr && !origin->file.empty();
        made.push_back(
            {.path = name,
             .bundle_path = fmt::format("_sets/{}.yaml", name),
             .text = stream_of(objects.objects),
             .origins = {{.begin = 0, .file = has_origin ? origin->file : file.path}},
             .is_set = true,
             .bundle = file.bundle,
             .rule = selection_.add_rule({.fallback = options_.default_namespace, .edits = false}),
             .unit = std::make_shared<const engines::AppliedUnit>(std::move(unit))});
    }

    // Returns the applied input providers.
    std::vector<const Value*> input_providers() {
        for (; seen_ < loaded_.documents.size(); ++seen_) {
            const Document& document = loaded_.documents[seen_];
            if (document.reachable && text_of(document.kind) == "ResourceSetInputProvider") {
                Diagnostics discarded;
                set_namespace(providers_.emplace_back(read_document(loaded_, document, discarded)),
                              document.effective_namespace);
            }
        }
        std::vector<const Value*> found;
        std::ranges::transform(providers_, std::back_inserter(found),
                               [](const Value& one) { return &one; });
        return found;
    }

    // Finds a set that has nothing, for example because of wrong indentation.
    static std::string why_empty(const Value& set) {
        const Value* resources = set.at({"spec", "resources"});
        if (resources != nullptr && !resources->is_null()) {
            return resources->is_list() ? "" : "spec.resources is not a list";
        }
        for (const std::string_view field : {"resourcesTemplate", "steps"}) {
            const Value* value = set.at({"spec", field});
            if (value != nullptr && !value->is_null()) {
                return {};
            }
        }
        return "none of spec.resources, spec.resourcesTemplate and spec.steps is there";
    }

    // Returns why the API server would refuse the set or an object that it creates, or "".
    static std::string why_refused(const Value& set, const std::vector<Value>& made) {
        if (std::string why = why_empty(set); !why.empty()) {
            return why;
        }
        std::optional<engines::Misspelling> found = engines::misspelling_of(set);
        for (const Value& object : made) {
            if (text_of(object, {"apiVersion"}).empty() || text_of(object, {"kind"}).empty() ||
                text_of(object, {"metadata", "name"}).empty()) {
                return "an object that it makes needs apiVersion, kind and metadata.name";
            }
            found = found ? found : engines::misspelling_of(object);
        }
        return found ? found->message : std::string();
    }

    void warn(const Value& root, std::vector<const Value*> read, const std::string& name,
              const std::string& why) {
        read.insert(read.begin(), &root);
        std::vector<engines::ExposingValue> found;
        for (const Value* object : read) {
            if (const Value* spec = object->find("spec")) {
                std::ranges::move(engines::find_exposing_values(*spec), std::back_inserter(found));
            }
        }
        if (found.empty()) {
            return;
        }
        ++loaded_.hidden_exposures;
        diagnostics_
            .warning("hidden-exposure", found.front().pos,
                     "this ResourceSet may expose something, which is not rendered")
            .object(name)
            .found(why)
            .expected("templates and inputs that are known from the set alone")
            .hint("write the Service or Ingress itself, or its inputs under spec.inputs");
    }

    const repo::SourceTree& tree_;
    engines::Selection& selection_;
    const repo::LoadOptions& options_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    std::size_t seen_ = 0;  // documents that were searched for input providers
    std::vector<Value> providers_;
};

}  // namespace

void add_resource_sets(const repo::SourceTree& tree, engines::Selection& selection,
                       const std::vector<std::uint32_t>& file_of, const repo::LoadOptions& options,
                       Loaded& loaded, Diagnostics& diagnostics) {
    if (!options.only_generated) {
        return;
    }
    SetReader reader(tree, selection, options, loaded, diagnostics);
    std::vector<engines::InputFile> files = reader.add(0, selection.files, file_of);
    for (int depth = 0; depth < engines::kDeepestSet && !files.empty(); ++depth) {
        const std::size_t first = loaded.documents.size();
        const std::vector<std::uint32_t> made_of = reader.read(files);
        files = reader.add(first, files, made_of);
    }
    for (const engines::InputFile& file : files) {
        loaded.standings.all.push_back(
            {file.path, engines::Liveness::Unknown, std::string(engines::kTooDeep), true});
    }
}

}  // namespace renderer::load
