#include "renderer/emit/krm/resource_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/emit/edits.h"
#include "renderer/emit/krm/function_results.h"
#include "renderer/emit/order.h"
#include "renderer/emit/output_path.h"
#include "renderer/kube/group_of.h"
#include "renderer/load/krm/resource_list.h"
#include "renderer/repo/paths.h"

namespace renderer::emit {
namespace {

// Items with equal identities are the same object.
struct Identity {
    std::string group, kind, ns, name;
    friend auto operator<=>(const Identity&, const Identity&) = default;
};

Identity identity_of(const Value& object) {
    return {.group = std::string(group_of(scalar_text(object.find("apiVersion")))),
            .kind = std::string(scalar_text(object.find("kind"))),
            .ns = std::string(scalar_text(object.at({"metadata", "namespace"}))),
            .name = std::string(scalar_text(object.at({"metadata", "name"})))};
}

// True for keys by which orchestrators identify an item.
bool is_bookkeeping(std::string_view key) {
    return key.starts_with("internal.config.kubernetes.io/") ||
           key == load::kLegacyPathAnnotation || key == load::kLegacyIndexAnnotation ||
           key == "config.k8s.io/id";
}

Value& annotations_of(Value& object) {
    Value& metadata = *object.find("metadata");
    Value* found = metadata.find("annotations");
    return found != nullptr && found->is_map() ? *found : metadata.put("annotations", Value::map());
}

class ItemsWriter {
public:
    explicit ItemsWriter(const Output& output)
        : output_(output),
          list_(*output.loaded.resource_list),
          edits_(output.plan.edits),
          dashes_(list_.dash_column, ' ') {}

    Result<std::string> write() {
        index_documents();
        for (std::size_t i = 0; i < list_.items.size(); ++i) {
            write_given(i);
        }
        for (Value& object : TRY(new_objects())) {
            if (given_.contains(identity_of(object))) {
                return duplicate(object);
            }
            write_value(std::move(object));
        }
        return text_.empty() ? std::string("items: []\n") : "items:\n" + text_;
    }

private:
    void index_documents() {
        for (const Document& document : output_.loaded.documents) {
            if (document.source == list_.source && document.list == kNone) {
                documents_[document.range.begin] = &document;
            }
        }
        for (const Object& object : output_.plan.replacements) {
            replacements_[object.origin.pos] = &object;
        }
    }

    void write_given(std::size_t index) {
        const load::ListItem& item = list_.items[index];
        const Value& root = list_.root.find("items")->items()[index];
        if (item.is_ours) {
            earlier_[identity_of(root)] = &root;
            return;
        }
        const auto found = documents_.find(item.range.begin);
        if (found != documents_.end() && edits_.cuts(list_.source, found->second->range)) {
            const auto replaced = replacements_.find(found->second->kind.pos());
            if (replaced != replacements_.end()) {
                write_value(replaced->second->root.clone());
                used_.insert(replaced->second);
            }
            return;
        }
        given_.insert(identity_of(root));
        const std::size_t begin = text_.size();
        edits_.append(text_, output_.loaded.sources.text(list_.source), list_.source, item.range);
        text_[begin + list_.dash_column] = '-';
        if (!text_.ends_with('\n')) {
            text_ += '\n';
        }
    }

    void write_value(Value object) {
        std::string document;
        write_yaml(object, document);
        for (std::size_t begin = 0; begin < document.size();) {
            const std::size_t end = std::min(document.find('\n', begin), document.size() - 1) + 1;
            if (end - begin > 1) {
                text_ += dashes_ + (begin == 0 ? "- " : "  ");
            }
            text_.append(document, begin, end - begin);
            begin = end;
        }
    }

    // Adds the documents of a tree that is not in the items, with their edits.
    void add_tree_documents(std::vector<Value>& objects) const {
        SourceMap sources;
        for (const Document& document : output_.loaded.documents) {
            if (document.source == list_.source && output_.loaded.is_stream) {
                continue;
            }
            if (!document.reachable || document.list != kNone || !document.kind.is_string() ||
                edits_.cuts(document.source, document.range)) {
                continue;
            }
            std::string text;
            edits_.append(text, output_.loaded.sources.text(document.source), document.source,
                          document.range);
            Diagnostics none;  // errors were reported when it was loaded
            const SourceId source = sources.add("edited", std::move(text));
            objects.push_back(read_yaml(sources, source, none));
        }
    }

    Result<std::vector<Value>> new_objects() {
        std::vector<Value> objects;
        add_tree_documents(objects);
        for (const Object* object : output_.made()) {
            if (!used_.contains(object)) {
                objects.push_back(object->root.clone());
            }
        }
        std::ranges::stable_sort(objects, {}, [](const Value& object) {
            return order_key(scalar_text(object.find("apiVersion")),
                             scalar_text(object.find("kind")),
                             scalar_text(object.at({"metadata", "namespace"})),
                             scalar_text(object.at({"metadata", "name"})));
        });
        if (list_.is_package) {
            for (Value& object : objects) {
                TRY(place(object));
            }
        }
        return objects;
    }

    // Puts the object where an earlier run put it, else into a file of its own.
    Result<Unit> place(Value& object) {
        const Identity identity = identity_of(object);
        Value& annotations = annotations_of(object);
        const auto earlier = earlier_.find(identity);
        if (earlier != earlier_.end()) {
            for (const Member& member :
                 earlier->second->at({"metadata", "annotations"})->members()) {
                if (is_bookkeeping(member.name())) {
                    annotations.put(member.key.clone(), member.value.clone());
                }
            }
            return Unit{};
        }
        const std::string path = repo::join_path(repo::join_path(list_.output, identity.ns),
                                                 object_file_name(identity.kind, identity.name));
        if (!is_output_path(path)) {
            return unsafe(identity, path);
        }
        const std::size_t index = paths_[path]++;
        annotations.put(Value::borrowed(load::kIndexAnnotation), fmt::to_string(index));
        annotations.put(Value::borrowed(load::kPathAnnotation), path);
        return Unit{};
    }

    static Error unsafe(const Identity& identity, const std::string& path) {
        return {{.rule = "unsafe-path",
                 .where = "functionConfig",
                 .object = object_name(identity.kind, identity.ns, identity.name),
                 .message = "this cannot be the path of an output file",
                 .found = fmt::format("\"{}\"", path),
                 .expected = std::string(kOutputPathGrammar),
                 .hint = "rename the object"}};
    }

    static Error duplicate(const Value& object) {
        const Identity identity = identity_of(object);
        return {{.rule = "duplicate-object",
                 .where = "functionConfig",
                 .object = object_name(identity.kind, identity.ns, identity.name),
                 .message = "duplicate object: in the items and in what is added to them",
                 .expected = "each object once",
                 .hint = "pass the manifests as items, or their directory as \"repo\", not both"}};
    }

    const Output& output_;
    const load::ResourceList& list_;
    EditIndex edits_;
    std::string dashes_;
    std::string text_;
    std::map<std::size_t, const Document*> documents_;  // by their first byte
    std::map<Pos, const Object*> replacements_;         // by the position that they replace
    std::map<Identity, const Value*> earlier_;
    std::map<std::string, std::size_t> paths_;
    std::set<const Object*> used_;
    std::set<Identity> given_;
};

}  // namespace

Result<std::string> emit_items(const Output& output) {
    return ItemsWriter(output).write();
}

std::string unchanged_items(const load::Loaded& loaded) {
    std::string text;
    const Value* items = loaded.resource_list ? loaded.resource_list->root.find("items") : nullptr;
    Value kept = Value::map();
    kept.add("items", items != nullptr && items->is_list() ? items->clone() : Value::list());
    write_yaml(kept, text);
    return text;
}

std::string wrap_items(const load::Loaded& loaded, std::string_view items,
                       const Diagnostics& diagnostics) {
    const Value* root = loaded.resource_list ? &loaded.resource_list->root : nullptr;
    std::string text = fmt::format(
        "apiVersion: {}\nkind: ResourceList\n{}",
        root == nullptr ? load::kDefaultResourceListVersion : scalar_text(root->find("apiVersion")),
        items);
    Value rest = Value::map();
    const Value* config = root == nullptr ? nullptr : root->find("functionConfig");
    if (config != nullptr && !diagnostics.has_errors()) {
        rest.add("functionConfig", config->clone());
    }
    Value results = function_results(loaded, diagnostics);
    if (results.size() > 0) {
        rest.add("results", std::move(results));
    }
    if (rest.size() > 0) {
        write_yaml(rest, text);
    }
    return text;
}

}  // namespace renderer::emit
