#include "renderer/load/namespaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/core/encrypted.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/load/loaded.h"
#include "renderer/load/splice.h"

namespace renderer::load {

namespace {

struct CustomKind {
    std::string group, kind;
    friend auto operator<=>(const CustomKind&, const CustomKind&) = default;
};

// Writes namespaces into one document. Reads its tree only if the fast way is not enough.
class DocumentEditor {
public:
    DocumentEditor(Document& document, Loaded& loaded, Diagnostics& diagnostics)
        : doc_(document), loaded_(loaded), diagnostics_(diagnostics) {}

    void set_namespace(const std::string& wanted) {
        if (doc_.root.is_null() && doc_.ns.is_null() && doc_.name.pos().known()) {
            take(insert_line(loaded_.sources, doc_.source, doc_.name.pos(), "namespace", wanted),
                 "namespace", wanted);
        } else if (const Value* metadata = tree().find("metadata");
                   metadata != nullptr && metadata->is_map()) {
            take(set_member(spliced(), *metadata, "namespace", wanted), "namespace", wanted);
        } else {
            take(std::nullopt, "namespace", wanted);
        }
        put_metadata("namespace", wanted);
    }

    // Renames a Namespace object to the namespace that its kustomization sets.
    void rename(const std::string& wanted) {
        const Value* name = tree().at({"metadata", "name"});
        if (name == nullptr || text_of(name) == wanted) {
            return;
        }
        take(replace_scalar(spliced(), *name, wanted), "name", wanted);
        Value renamed(wanted);
        renamed.set_pos(doc_.name.pos());
        doc_.name = std::move(renamed);
        put_metadata("name", wanted);
    }

    // Sets the other fields that kustomize's namespace transformer changes.
    void set_references(const std::string& wanted) {
        const std::string_view kind = text_of(&doc_.kind);
        const std::string_view group = group_of(text_of(&doc_.api_version));
        if (kind == "RoleBinding" || kind == "ClusterRoleBinding") {
            for (const Value& subject : items_of(tree().find("subjects"))) {
                if (text_of(subject.find("name")) == "default") {
                    set_in(&subject, wanted);
                }
            }
        } else if (kind == "APIService" && group == "apiregistration.k8s.io") {
            set_in(tree().at({"spec", "service"}), wanted);
        } else if (kind == "CustomResourceDefinition" && group == "apiextensions.k8s.io") {
            const Value* service =
                tree().at({"spec", "conversion", "webhook", "clientConfig", "service"});
            if (service != nullptr && service->find("namespace") != nullptr) {
                set_in(service, wanted);
            }
        }
    }

private:
    const Value& tree() {
        if (doc_.root.is_null() && scratch_.is_null()) {
            scratch_ = read_yaml(loaded_.sources, doc_.source, doc_.range, diagnostics_);
        }
        return doc_.root.is_null() ? scratch_ : doc_.root;
    }

    Spliced spliced() { return {loaded_.sources, doc_.source, doc_.range, tree()}; }

    void set_in(const Value* map, const std::string& wanted) {
        if (map != nullptr && map->is_map() && text_of(map->find("namespace")) != wanted) {
            take(set_member(spliced(), *map, "namespace", wanted), "namespace", wanted);
        }
    }

    void put_metadata(std::string_view key, const std::string& value) {
        Value* metadata = doc_.root.find("metadata");
        if (metadata != nullptr && metadata->is_map()) {
            const Value* old = std::as_const(*metadata).find(key);
            const Pos pos = old == nullptr ? Pos{} : old->pos();
            metadata->put(Value(key), Value(value)).set_pos(pos);
        }
    }

    void take(std::optional<Edit> edit, std::string_view key, const std::string& value) {
        if (!edit) {
            about(doc_, diagnostics_)
                .error("cannot-edit", doc_.kind.pos(),
                       fmt::format("cannot write \"{}: {}\" into this document", key, value))
                .found("metadata that uses an alias, an anchor or a tag, or no metadata")
                .hint(fmt::format("write \"{}: {}\" into this file", key, value));
            return;
        }
        edit->reason = fmt::format("{} {}", key, value);
        loaded_.edits.push_back(std::move(*edit));
    }

    Document& doc_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    Value scratch_;
};

class NamespacePass {
public:
    NamespacePass(Loaded& loaded, Diagnostics& diagnostics)
        : loaded_(loaded), diagnostics_(diagnostics) {
        find_custom_kinds();
    }

    void apply(Document& document, const engines::NamespaceRule& rule) {
        const bool edits = rule.edits && document.reachable;
        const bool is_used =
            !loaded_.only_generated || loaded_.fixes_sources || document.mentions_tailscale;
        if (edits && is_used && !has_good_names(document, rule)) {
            return;
        }
        DocumentEditor editor(document, loaded_, diagnostics_);
        const std::string_view kind = text_of(&document.kind);
        if (edits && !rule.overwrite.empty()) {
            editor.set_references(rule.overwrite);
        }
        if (is_cluster_wide(document)) {
            if (edits && kind == "Namespace" && !rule.overwrite.empty()) {
                editor.rename(rule.overwrite);
            }
            if (edits && !rule.forced.empty()) {
                refuse_forced(document, rule);
            }
            return;
        }
        const std::string own(text_of(&document.ns));
        if (is_encrypted_text(kind) && rule.overwrite.empty()) {
            document.effective_namespace = own;
            return;
        }
        for (const std::string* ns : {&rule.forced, &rule.overwrite, &own, &rule.fallback}) {
            if (!ns->empty()) {
                document.effective_namespace = *ns;
                break;
            }
        }
        if (edits && document.effective_namespace != own) {
            editor.set_namespace(document.effective_namespace);
        }
    }

private:
    // Refuses an invalid namespace, because it is written into documents and becomes the name of a
    // directory. Reports each one once.
    bool has_good_names(const Document& document, const engines::NamespaceRule& rule) {
        for (const std::string* ns : {&rule.forced, &rule.overwrite, &rule.fallback}) {
            if (!ns->empty() && !is_dns1123_label(*ns) && !holds_variable(*ns)) {
                if (!refused_.insert(*ns).second) {
                    return false;
                }
                about(document, diagnostics_)
                    .error("invalid-namespace", document.kind.pos(),
                           fmt::format("the namespace \"{}\" that this object is given is invalid",
                                       *ns))
                    .expected(kDnsLabelGrammar)
                    .hint(
                        "it is set for the bundle, by a kustomization, by Argo CD or Flux, or by "
                        "--namespace");
                return false;
            }
        }
        return true;
    }

    bool is_cluster_wide(const Document& document) const {
        const std::string_view version = text_of(&document.api_version);
        const std::string_view kind = text_of(&document.kind);
        return is_cluster_scoped(version, kind) ||
               std::ranges::binary_search(
                   custom_, CustomKind{std::string(group_of(version)), std::string(kind)});
    }

    void find_custom_kinds() {
        for (const Document& document : loaded_.documents) {
            if (text_of(&document.kind) != "CustomResourceDefinition" ||
                document_text(loaded_, document).find("Cluster") == std::string_view::npos) {
                continue;
            }
            Diagnostics ignored;  // its mistakes were reported when it was read
            const Value root = read_document(loaded_, document, ignored);
            if (text_of(root.at({"spec", "scope"})) == "Cluster") {
                custom_.push_back({std::string(text_of(root.at({"spec", "group"}))),
                                   std::string(text_of(root.at({"spec", "names", "kind"})))});
            }
        }
        std::ranges::sort(custom_);
    }

    void refuse_forced(const Document& document, const engines::NamespaceRule& rule) {
        about(document, diagnostics_)
            .error("forced-namespace", document.kind.pos(),
                   "Fleet rejects a bundle with \"namespace\" that has a cluster-scoped object")
            .found(fmt::format("{} in a bundle with namespace \"{}\"", text_of(&document.kind),
                               rule.forced))
            .hint("use defaultNamespace, or move the object to another bundle")
            .note({.pos = rule.forced_pos, .text = "the namespace is forced here"});
    }

    Loaded& loaded_;
    Diagnostics& diagnostics_;
    std::vector<CustomKind> custom_;
    std::set<std::string> refused_;
};

// True for a List itself; its items are separate documents.
bool is_list_itself(const Document& document) {
    return document.list == kNone && text_of(&document.kind).ends_with("List") &&
           (document.root.is_null() || document.root.find("items") != nullptr);
}

}  // namespace

void apply_namespaces(const std::vector<engines::InputFile>& files,
                      const std::vector<std::uint32_t>& file_of,
                      const std::vector<engines::NamespaceRule>& rules, Loaded& loaded,
                      Diagnostics& diagnostics) {
    NamespacePass pass(loaded, diagnostics);
    for (Document& document : loaded.documents) {
        const std::uint32_t file = file_of[document.source];
        if (file != kNone && !is_list_itself(document)) {
            pass.apply(document, rules[files[file].rule]);
        }
    }
}

void apply_namespaces(const engines::NamespaceRule& rule, Loaded& loaded,
                      Diagnostics& diagnostics) {
    NamespacePass pass(loaded, diagnostics);
    for (Document& document : loaded.documents) {
        if (!is_list_itself(document)) {
            pass.apply(document, rule);
        }
    }
}

}  // namespace renderer::load
