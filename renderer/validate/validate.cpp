#include "renderer/validate/validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "renderer/base/parallel.h"
#include "renderer/core/encrypted.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/kube/decoded_kinds.h"
#include "renderer/kube/kinds.h"
#include "renderer/kube/meant_version.h"
#include "renderer/load/documents.h"
#include "renderer/schema/type_table.h"

namespace renderer::validate {

namespace {

// Returns 32 for "v1.32.4+k3s1"; nothing if the text is not a version of Kubernetes.
std::optional<int> minor_version(std::string_view text) {
    text.remove_prefix(text.starts_with('v') ? 1 : 0);
    if (!text.starts_with("1.")) {
        return std::nullopt;
    }
    text.remove_prefix(2);
    int minor = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
    const bool is_whole = end == text.data() + text.size() || *end == '.' || *end == '+';
    return error == std::errc() && is_whole ? std::optional(minor) : std::nullopt;
}

// Returns the version to validate against: the nearest that has schemas, or the newest if none is
// configured. Returns nothing after an error.
std::optional<std::string_view> chosen_version(const load::Loaded& loaded,
                                               Diagnostics& diagnostics) {
    const std::vector<std::string_view>& known = schema::kubernetes_versions();
    const Value& wanted = loaded.kubernetes_version;
    if (wanted.is_null()) {
        return known.back();
    }
    const bool is_text = wanted.is_string() || wanted.is_number();
    const std::optional<int> minor = is_text ? minor_version(wanted.text()) : std::nullopt;
    std::string_view chosen = known.back();
    if (minor) {
        const auto distance = [&](std::string_view version) {
            return std::abs(minor_version(version).value_or(0) - *minor);
        };
        chosen = *std::ranges::min_element(known, {}, distance);
        if (distance(chosen) == 0) {
            return chosen;
        }
    }
    diagnostics
        .say(minor ? Severity::Warning : Severity::Error, "unknown-kubernetes-version",
             wanted.pos(),
             minor ? fmt::format("no schemas for this version of Kubernetes: those of {} are used",
                                 chosen)
                   : std::string("this is not a version of Kubernetes"))
        .where(wanted.pos().known() ? "" : "--kubernetes-version")
        .found(is_text ? fmt::format("\"{}\"", wanted.text()) : std::string(kind_name(wanted)))
        .expected(fmt::format("one of {{ {} }}", fmt::join(known, ", ")))
        .hint(minor ? "what was added or removed in that version is not known here" : "");
    return minor ? std::optional(chosen) : std::nullopt;
}

// In a Secret even an unknown key may be a credential, unless it resembles a field.
void conceal(std::string_view kind, Diagnostic& diagnostic) {
    diagnostic.hide_text = kind == "Secret";
    if (diagnostic.hide_text && diagnostic.rule == "schema-unknown-field" &&
        !diagnostic.hint.starts_with("did you mean")) {
        diagnostic.message = "unknown field";
    }
}

// An object to be validated.
struct Task {
    const Document* document = nullptr;  // nullptr if `root` was generated
    const Value* root = nullptr;         // nullptr if it has to be read from the document
    std::string_view api_version, kind;
    Pos api_version_pos = {}, kind_pos = {};
    std::string_view meant = {};  // the correct apiVersion, if that of an input is misspelled
    std::string name = {};        // of a generated object
    Pos origin = {};
    bool is_applied = true;
    bool judged = true;  // false: it only has to be valid YAML; true: validated
    const schema::ValueType* type = nullptr;
    Diagnostics unreadable = {};
    std::vector<schema::SchemaFault> faults = {};
};

bool is_encrypted(const Value& root) {
    return root.at({"sops", "mac"}) != nullptr;
}

schema::SchemaFault unknown_kind(const Task& task, std::string_view version) {
    schema::SchemaFault fault{{.rule = "schema-unknown-kind",
                               .pos = task.kind_pos,
                               .message = fmt::format("Kubernetes {} has no kind \"{}\" in \"{}\"",
                                                      version, task.kind, task.api_version)},
                              {task.kind_pos, task.api_version_pos}};
    if (const std::string spans = schema::TypeTable::served_by(task.api_version, task.kind);
        !spans.empty()) {
        fault.diagnostic.expected = fmt::format("Kubernetes {}", spans);
        fault.diagnostic.hint =
            "set --kubernetes-version, or kubernetesVersion of the cluster in .tailrender.yaml";
    }
    const std::vector<std::string_view> others =
        schema::TypeTable::versions_of(task.api_version, task.kind, version);
    const std::string_view near =
        nearest(task.kind, schema::TypeTable::kinds_of(task.api_version, version));
    if (!task.meant.empty()) {
        fault.diagnostic.hint = fmt::format("write apiVersion {}", task.meant);
    } else if (!others.empty()) {
        fault.diagnostic.hint = fmt::format("write apiVersion {}", fmt::join(others, " or "));
    } else if (!near.empty()) {
        fault.diagnostic.hint = did_you_mean(near);
    }
    return fault;
}

class Validation {
public:
    Validation(std::string_view version, unsigned threads) : table_(version), threads_(threads) {}

    // Kinds of unknown groups are not validated, only parsed if no other stage has done so.
    void add(Task task) {
        const Known& known = known_of(task.api_version, task.kind);
        task.type = known.type;
        task.meant = meant_version(task.api_version, task.kind);
        task.judged = task.judged && (known.group || !task.meant.empty());
        if (task.judged || task.root == nullptr) {
            tasks_.push_back(std::move(task));
        }
    }

    // True if the group belongs to an input but has no such kind, or the kind belongs to an input
    // but not to the group: the API server refuses the object.
    bool is_misspelled_input(const Document& doc) {
        const std::string_view api_version = text_of(doc.api_version);
        const std::string_view kind = text_of(doc.kind);
        if (!meant_version(api_version, kind).empty()) {
            return true;
        }
        return doc.mentions_tailscale &&
               (api_version == "v1" || api_version == "networking.k8s.io/v1") &&
               !kind.ends_with("List") && known_of(api_version, kind).type == nullptr;
    }

    void run(const SourceMap& sources) {
        for_each_parallel(tasks_.size(), threads_, [&](std::size_t i) { run(sources, tasks_[i]); });
    }

    [[nodiscard]] std::vector<Task>& tasks() { return tasks_; }

private:
    struct Known {
        const schema::ValueType* type;
        bool group;
    };

    const Known& known_of(std::string_view api_version, std::string_view kind) {
        const auto [entry, is_new] = types_.try_emplace({api_version, kind}, Known{nullptr, false});
        if (is_new) {
            entry->second = {table_.find(api_version, kind),
                             schema::TypeTable::knows_group(api_version)};
        }
        return entry->second;
    }

    void run(const SourceMap& sources, Task& task) const {
        if (task.judged && task.type == nullptr) {
            task.faults.push_back(unknown_kind(task, table_.version()));
            return;
        }
        Value read;
        const Value* root = task.root;
        if (root == nullptr) {
            read = read_yaml(sources, task.document->source, task.document->range, task.unreadable);
            root = &read;
        }
        if (task.judged) {
            task.faults = schema::validate(*root, *task.type, table_.version());
        }
        const bool may_change = is_encrypted(*root);
        // Other stages report a missing field at the object's first line, so look for errors there.
        for (schema::SchemaFault& fault : task.faults) {
            fault.may_change = fault.may_change || may_change;
            if (fault.diagnostic.rule == schema::kRequiredRule) {
                fault.places.back() = task.kind_pos;
            }
        }
    }

    schema::TypeTable table_;
    unsigned threads_;
    std::map<std::pair<std::string_view, std::string_view>, Known> types_;
    std::vector<Task> tasks_;
};

// Variables and values are read from ConfigMaps; all other faults in one are those of others.
constexpr std::string_view kConfigMap = "ConfigMap";

// The places of errors, to report nothing twice.
class Places {
public:
    explicit Places(const Diagnostics& diagnostics) {
        for (const Diagnostic& diagnostic : diagnostics.all()) {
            if (diagnostic.severity == Severity::Error) {
                places_.push_back(diagnostic.pos);
            }
        }
        std::ranges::sort(places_);
    }

    [[nodiscard]] bool hold(const schema::SchemaFault& fault) const {
        return std::ranges::any_of(fault.places, [this](Pos pos) {
            return pos.known() && std::ranges::binary_search(places_, pos);
        });
    }

private:
    std::vector<Pos> places_;
};

// True for a List whose items follow as documents of their own.
bool is_emptied_list(const Document& doc) {
    return doc.list == kNone && doc.root.is_null() && text_of(doc.kind).ends_with("List");
}

// Turns errors into warnings: the document stays as it is, and its applier will refuse
// it.
Diagnostics as_warnings(const Diagnostics& errors, Pos kind) {
    Diagnostics warnings;
    for (Diagnostic warning : errors.all()) {
        warning.severity = Severity::Warning;
        warning.notes.push_back({.pos = kind, .text = "this document stays as it is"});
        warnings.add(std::move(warning));
    }
    return warnings;
}

// True if the fault is in what decides whether a Service or an Ingress asks for a proxy.
bool decides(const Document& doc, const schema::SchemaFault& fault) {
    const auto is_at = [&](std::initializer_list<std::string_view> path) {
        const Value* value = doc.root.at(path);
        return value != nullptr && value->pos().known() &&
               std::ranges::find(fault.places, value->pos()) != fault.places.end();
    };
    if (doc.root.is_map() && doc.root.find("metadata") == nullptr) {
        return true;
    }
    return fault.is_shape &&
           (is_at({"metadata"}) || is_at({"metadata", "annotations"}) ||
            is_at({"metadata", "labels"}) || is_at({"spec"}) || is_at({"spec", "type"}) ||
            is_at({"spec", "loadBalancerClass"}) || is_at({"spec", "ingressClassName"}));
}

// True if no stage reads the object, or only reads it without using it. Namespaces and Nodes are
// used.
bool is_of_others(const Document& doc, const schema::SchemaFault& fault,
                  std::span<const Document* const> ours) {
    const std::string_view kind = text_of(doc.kind);
    if (kind == kConfigMap) {
        return true;
    }
    if (doc.mentions_tailscale || std::ranges::binary_search(ours, &doc)) {
        return false;
    }
    if (kind == "Service" || kind == "Ingress") {
        return !decides(doc, fault);
    }
    return !fault.is_shape && meant_version(text_of(doc.api_version), kind).empty();
}

// Counts faults in foreign objects; only the first is reported in full.
struct Others {
    std::size_t count = 0;
    Diagnostic first = {};

    void add(Diagnostic diagnostic) {
        if (count++ == 0) {
            first = std::move(diagnostic);
        }
    }

    void report(Diagnostics& diagnostics) {
        if (count == 0) {
            return;
        }
        first.severity = Severity::Warning;
        first.notes.push_back(
            {.pos = first.pos,
             .text = count == 1
                         ? std::string("Tailscale does not use this object; it stays as it is")
                         : fmt::format("Tailscale does not use this object; {} in such objects, "
                                       "and \"tailrender lint\" lists all of them",
                                       counted(count, "mistake"))});
        diagnostics.add(std::move(first));
    }
};

}  // namespace

std::vector<Diagnostic> InputFaults::shape_of(const Document& document) const {
    std::vector<Diagnostic> shape;
    const auto found =
        std::ranges::lower_bound(documents, &document, {}, &DocumentFaults::document);
    if (found == documents.end() || found->document != &document) {
        return shape;
    }
    for (const schema::SchemaFault& fault : found->faults) {
        if (fault.is_shape) {
            shape.push_back(fault.diagnostic);
        }
    }
    return shape;
}

InputFaults validate_inputs(const load::Loaded& loaded, bool foreign, unsigned threads,
                            Diagnostics& diagnostics) {
    const std::optional<std::string_view> version = chosen_version(loaded, diagnostics);
    Validation validation(version.value_or(schema::kubernetes_versions().back()), threads);
    for (const Document& doc : loaded.documents) {
        const bool is_applied = doc.reachable && loaded.bundles[doc.bundle].rendered;
        const bool is_wanted =
            is_applied ? foreign || text_of(doc.kind) == kConfigMap ||
                             is_decoded_kind(text_of(doc.api_version), text_of(doc.kind)) ||
                             validation.is_misspelled_input(doc)
                       : text_of(doc.api_version) == kCustomVersion && doc.root.is_map();
        if ((is_wanted || (is_applied && doc.oddly_indented)) && !is_emptied_list(doc)) {
            validation.add({.document = &doc,
                            .root = doc.root.is_null() ? nullptr : &doc.root,
                            .api_version = text_of(doc.api_version),
                            .kind = text_of(doc.kind),
                            .api_version_pos = doc.api_version.pos(),
                            .kind_pos = doc.kind.pos(),
                            .is_applied = is_applied,
                            .judged = is_wanted && !is_encrypted_text(text_of(doc.kind))});
        }
    }
    validation.run(loaded.sources);
    InputFaults found;
    found.is_version_known = version.has_value();
    for (Task& task : validation.tasks()) {
        if (!task.faults.empty() || !task.unreadable.empty()) {
            found.documents.push_back({task.document, task.is_applied, std::move(task.faults),
                                       std::move(task.unreadable)});
        }
    }
    return found;
}

void report_inputs(InputFaults found, bool foreign, std::span<const Document* const> ours,
                   int operator_minor, Diagnostics& diagnostics) {
    if (!found.is_version_known) {
        return;
    }
    Others others;
    const Places places(diagnostics);
    for (DocumentFaults& one : found.documents) {
        if (!one.is_applied) {
            continue;
        }
        diagnostics.append(foreign ? std::move(one.unreadable)
                                   : as_warnings(one.unreadable, one.document->kind.pos()));
        for (schema::SchemaFault& fault : one.faults) {
            if (!fault.may_change && !fault.unless.holds(operator_minor) && !places.hold(fault)) {
                fault.diagnostic.object = one.document->object_name();
                conceal(text_of(one.document->kind), fault.diagnostic);
                if (!foreign && is_of_others(*one.document, fault, ours)) {
                    others.add(std::move(fault.diagnostic));
                } else {
                    diagnostics.add(std::move(fault.diagnostic));
                }
            }
        }
    }
    others.report(diagnostics);
}

void validate_objects(const load::Loaded& loaded, std::span<const Object> objects, unsigned threads,
                      Diagnostics& diagnostics) {
    const std::optional<std::string_view> version = chosen_version(loaded, diagnostics);
    if (!version) {
        return;
    }
    Validation validation(*version, threads);
    for (const Object& object : objects) {
        validation.add({.root = &object.root,
                        .api_version = object.api_version(),
                        .kind = object.kind(),
                        .name = object.object_name(),
                        .origin = object.origin.pos});
    }
    validation.run(loaded.sources);
    for (Task& task : validation.tasks()) {
        for (schema::SchemaFault& fault : task.faults) {
            if (fault.may_change) {
                continue;
            }
            Diagnostic& diagnostic = fault.diagnostic;
            diagnostic.pos = diagnostic.pos.known() ? diagnostic.pos : task.origin;
            diagnostic.object = task.name;
            conceal(task.kind, diagnostic);
            diagnostics.add(std::move(diagnostic));
        }
    }
}

}  // namespace renderer::validate
