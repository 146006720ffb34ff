#include "renderer/engines/kustomize/exposing_patches.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/base/split.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/kustomize/plug_ins.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kOurGroup = "tailscale.com";

// Decodes `~0` and `~1` in a token of a JSON pointer.
std::string unescaped(std::string_view token) {
    std::string out;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const bool is_escape = token[i] == '~' && i + 1 < token.size();
        out += is_escape ? (token[i + 1] == '1' ? '/' : '~') : token[i];
        i += is_escape ? 1 : 0;
    }
    return out;
}

// Returns an object with only the value that a JSON patch operation sets, Null if it sets none.
Value given_by(const Value& operation) {
    const std::string_view op = text_of(operation, {"op"});
    const Value* value = operation.find("value");
    if (value == nullptr || (op != "add" && op != "replace")) {
        return {};
    }
    std::vector<std::string_view> tokens = split(text_of(operation, {"path"}), '/');
    Value given = value->clone();
    for (std::size_t i = tokens.size(); i-- > 1;) {
        Value map = Value::map();
        map.add(unescaped(tokens[i]), std::move(given));
        given = std::move(map);
    }
    return given;
}

class PatchSearch {
public:
    PatchSearch(const repo::SourceTree& tree, const std::string& dir, SourceMap& sources)
        : tree_(tree), dir_(dir), sources_(sources) {}

    void run(const Value& root) {
        for (const std::string_view field : {"patches", "patchesJson6902"}) {
            for (const Value& entry : items_of(root.find(field))) {
                patch(entry);
            }
        }
        for (const Value& entry : items_of(root.find("patchesStrategicMerge"))) {
            merge_patches(entry, text_of(entry));
        }
        annotations(root.find("commonAnnotations"));
        for (const Value& entry : items_of(root.find("replacements"))) {
            replacement(entry);
        }
        for (const Value& entry : items_of(root.find("transformers"))) {
            for (const Value& document : documents(entry, text_of(entry))) {
                transformer(document);
            }
        }
    }

    std::vector<ExposingPatch> found;

private:
    // Returns the documents of the file that `text` names, or of `text` itself; none if they do not
    // mention Tailscale, unless `is_ours`.
    std::vector<Value> documents(const Value& entry, std::string_view text, bool is_ours = false) {
        const std::string path = repo::normal_path(repo::join_path(dir_, text));
        const bool is_file = !text.empty() && text.find('\n') == std::string_view::npos &&
                             tree_.kind(path) == repo::EntryKind::File;
        Result<std::string> content = is_file ? tree_.read(path) : Result(std::string(text));
        place_ = is_file ? Pos() : outer_.known() ? outer_ : entry.pos();
        if (!content || !(is_ours || repo::mentions_tailscale(*content))) {
            return {};
        }
        if (!is_file) {
            return documents_of(*content);
        }
        std::vector<Value> out;
        const SourceId source = sources_.add(path, std::move(*content));
        for (const ScannedDocument& scanned : scan_documents(sources_, source)) {
            Diagnostics discarded;
            out.push_back(read_yaml(sources_, source, scanned.range, discarded));
        }
        return out;
    }

    // A patch may have a target, and may be inline or in a file.
    void patch(const Value& entry) {
        const std::string_view text = text_of(entry, {"patch"});
        const std::string_view json = text_of(entry, {"jsonOp"});
        const Value* target = entry.find("target");
        const bool is_ours = text_of(entry, {"target", "group"}) == kOurGroup;
        for (const Value& document : documents(entry,
                                               !text.empty()   ? text
                                               : !json.empty() ? json
                                                               : text_of(entry, {"path"}),
                                               is_ours)) {
            if (document.is_list()) {
                operations(document, target);
            } else {
                merge_patch(document, target);
            }
        }
    }

    void merge_patches(const Value& entry, std::string_view text) {
        for (const Value& document : documents(entry, text)) {
            merge_patch(document, nullptr);
        }
    }

    void operations(const Value& list, const Value* target) {
        std::vector<ExposingValue> values;
        for (const Value& operation : list.items()) {
            const Pos pos = operation.pos();
            for (ExposingValue& value : find_exposing_values(given_by(operation))) {
                value.pos = value.pos.known() ? value.pos : pos;
                values.push_back(std::move(value));
            }
        }
        if (target != nullptr) {
            const std::string_view kind = text_of(*target, {"kind"});
            if (text_of(*target, {"group"}) == kOurGroup) {
                add_device(kind, list.pos(), values);
            }
            add(std::move(values), kind, text_of(*target, {"name"}), target, list.pos());
        }
    }

    // A patch of a custom resource for a device means that the resource exists.
    static void add_device(std::string_view kind, Pos pos, std::vector<ExposingValue>& values) {
        if (is_device_kind(kind)) {
            values.push_back({.pos = pos, .what = fmt::format("kind: {}", kind)});
        }
    }

    void merge_patch(const Value& document, const Value* target) {
        if (!document.is_map() || text_of(document, {"$patch"}) == "delete") {
            return;
        }
        const bool is_targeted = target != nullptr && target->is_map() && target->size() > 0;
        const Value& named = is_targeted ? *target : document;
        const std::string_view name =
            is_targeted ? text_of(named, {"name"}) : text_of(named, {"metadata", "name"});
        std::vector<ExposingValue> values = find_exposing_values(document);
        if (text_of(document, {"apiVersion"}).starts_with(fmt::format("{}/", kOurGroup))) {
            add_device(text_of(document, {"kind"}), document.pos(), values);
        }
        add(std::move(values), text_of(named, {"kind"}), name, is_targeted ? target : nullptr,
            document.pos());
    }

    void annotations(const Value* map) {
        if (map != nullptr && map->is_map()) {
            place_ = outer_;
            Value wrapped = Value::map();
            wrapped.add("annotations", map->clone());
            add(find_exposing_values(wrapped), {}, {}, nullptr, map->pos());
        }
    }

    // A value that comes from another object is not known, and taken for "true".
    void replacement(const Value& entry) {
        const std::string_view path = text_of(entry, {"path"});
        if (!path.empty()) {
            for (const Value& document : documents(entry, path)) {
                for (const Value& one : items_of(&document)) {
                    replacement(one);
                }
                if (document.is_map()) {
                    replacement(document);
                }
            }
            return;
        }
        const Value* literal = entry.find("sourceValue");
        for (const Value& target : items_of(entry.find("targets"))) {
            Value given = Value::map();
            for (const Value& field : items_of(target.find("fieldPaths"))) {
                std::string plain(text_of(field));
                std::erase_if(plain, [](char c) { return c == '[' || c == ']'; });
                Value key(plain);
                key.set_pos(field.pos());
                given.put(std::move(key), literal == nullptr ? Value("true") : literal->clone());
            }
            const Value* select = target.find("select");
            place_ = outer_;
            add(find_exposing_values(given), text_of(target, {"select", "kind"}),
                text_of(target, {"select", "name"}), select, target.pos());
        }
    }

    void transformer(const Value& document) {
        const std::string_view kind = text_of(document, {"kind"});
        outer_ = place_;
        if (kind == "AnnotationsTransformer") {
            annotations(document.find("annotations"));
        } else if (kind == "PatchTransformer" || kind == "PatchJson6902Transformer") {
            patch(document);
        } else if (kind == "PatchStrategicMergeTransformer") {
            for (const Value& path : items_of(document.find("paths"))) {
                merge_patches(path, text_of(path));
            }
            merge_patches(document, text_of(document, {"patches"}));
        } else if (kind == "ReplacementTransformer") {
            for (const Value& entry : items_of(document.find("replacements"))) {
                replacement(entry);
            }
        }
        place_ = std::exchange(outer_, Pos());
    }

    void add(std::vector<ExposingValue> values, std::string_view kind, std::string_view name,
             const Value* target, Pos pos) {
        if (values.empty()) {
            return;
        }
        std::stable_partition(values.begin(), values.end(),
                              [](const ExposingValue& value) { return value.is_public(); });
        const bool has_labels =
            target != nullptr && (target->find("labelSelector") != nullptr ||
                                  target->find("annotationSelector") != nullptr);
        const Pos first = values.front().pos.known() ? values.front().pos : pos;
        for (ExposingValue& value : values) {
            value.pos = place_.known() ? place_ : value.pos;
        }
        found.push_back({.pos = place_.known() ? place_ : first,
                         .values = std::move(values),
                         .kind = std::string(kind),
                         .name = std::string(name),
                         .is_for_one = is_exact_name(kind) && is_exact_name(name) && !has_labels});
    }

    const repo::SourceTree& tree_;
    const std::string& dir_;
    SourceMap& sources_;
    Pos outer_;  // place_ of the transformer whose patches are read
    Pos place_;  // of the entry with the inline text that is read; unknown: values have their own
};

}  // namespace

Finding refuse_exposure(const ExposingPatch& patch, Diagnostics& diagnostics) {
    Finding error = diagnostics.error(
        "unbuilt-exposure", patch.pos,
        patch.is_public() ? "this makes something PUBLIC, by Funnel, that is not rendered"
                          : "this exposes something that is not rendered");
    error.found(patch.text());
    return error;
}

std::vector<ExposingPatch> exposing_patches(const repo::SourceTree& tree, const std::string& dir,
                                            const Value& kustomization, SourceMap& sources) {
    PatchSearch search(tree, dir, sources);
    search.run(kustomization);
    return std::move(search.found);
}

}  // namespace renderer::engines
