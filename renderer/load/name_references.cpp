#include "renderer/load/name_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/load/loaded.h"
#include "renderer/load/splice.h"

namespace renderer::load {

namespace {

constexpr std::size_t kMaxPath = 6;
using Path = std::array<std::string_view, kMaxPath>;  // unused steps are empty

// The path of the pod's spec in a workload.
struct Workload {
    std::string_view kind;
    Path pod;
};

constexpr std::array kWorkloads = {
    Workload{"Pod", {"spec"}},
    Workload{"PodTemplate", {"template", "spec"}},
    Workload{"Deployment", {"spec", "template", "spec"}},
    Workload{"ReplicaSet", {"spec", "template", "spec"}},
    Workload{"DaemonSet", {"spec", "template", "spec"}},
    Workload{"StatefulSet", {"spec", "template", "spec"}},
    Workload{"Job", {"spec", "template", "spec"}},
    Workload{"CronJob", {"spec", "jobTemplate", "spec", "template", "spec"}},
};

struct Reference {
    std::string_view target;  // kind of the object that is referred to
    std::string_view kind;    // kind of the document; "" = the pod of any workload
    Path path;                // goes through the items of lists
};

constexpr std::array kReferences = {
    Reference{"ConfigMap", "", {"volumes", "configMap", "name"}},
    Reference{"ConfigMap", "", {"volumes", "projected", "sources", "configMap", "name"}},
    Reference{"ConfigMap", "", {"containers", "env", "valueFrom", "configMapKeyRef", "name"}},
    Reference{"ConfigMap", "", {"initContainers", "env", "valueFrom", "configMapKeyRef", "name"}},
    Reference{"ConfigMap", "", {"containers", "envFrom", "configMapRef", "name"}},
    Reference{"ConfigMap", "", {"initContainers", "envFrom", "configMapRef", "name"}},
    Reference{"ConfigMap", "Role", {"rules", "resourceNames"}},
    Reference{"ConfigMap", "ClusterRole", {"rules", "resourceNames"}},
    Reference{"ConfigMap",
              "Ingress",
              {"metadata", "annotations", "nginx.ingress.kubernetes.io/fastcgi-params-configmap"}},
    Reference{"Secret", "", {"volumes", "secret", "secretName"}},
    Reference{"Secret", "", {"volumes", "projected", "sources", "secret", "name"}},
    Reference{"Secret", "", {"containers", "env", "valueFrom", "secretKeyRef", "name"}},
    Reference{"Secret", "", {"initContainers", "env", "valueFrom", "secretKeyRef", "name"}},
    Reference{"Secret", "", {"containers", "envFrom", "secretRef", "name"}},
    Reference{"Secret", "", {"initContainers", "envFrom", "secretRef", "name"}},
    Reference{"Secret", "", {"imagePullSecrets", "name"}},
    Reference{"Secret", "Ingress", {"spec", "tls", "secretName"}},
    Reference{
        "Secret", "Ingress", {"metadata", "annotations", "ingress.kubernetes.io/auth-secret"}},
    Reference{"Secret",
              "Ingress",
              {"metadata", "annotations", "nginx.ingress.kubernetes.io/auth-secret"}},
    Reference{"Secret",
              "Ingress",
              {"metadata", "annotations", "nginx.ingress.kubernetes.io/auth-tls-secret"}},
    Reference{"Secret", "ServiceAccount", {"imagePullSecrets", "name"}},
    Reference{"Secret", "StorageClass", {"parameters", "secretName"}},
    Reference{"Secret", "StorageClass", {"parameters", "adminSecretName"}},
    Reference{"Secret", "StorageClass", {"parameters", "userSecretName"}},
    Reference{"Secret", "StorageClass", {"parameters", "secretRef"}},
    Reference{"Secret", "Role", {"rules", "resourceNames"}},
    Reference{"Secret", "ClusterRole", {"rules", "resourceNames"}},
    Reference{"Secret", "PersistentVolume", {"spec", "azureFile", "secretName"}},
};

// Visits every scalar at the end of the path. Goes through the items of lists.
template <typename Visit>
void visit_scalars(const Value& value, std::span<const std::string_view> path, const Visit& visit) {
    if (value.is_list()) {
        for (const Value& item : value.items()) {
            visit_scalars(item, path, visit);
        }
    } else if (path.empty() || path.front().empty()) {
        if (value.is_string()) {
            visit(value);
        }
    } else if (const Value* next = value.find(path.front())) {
        visit_scalars(*next, path.subspan(1), visit);
    }
}

const Value* at_path(const Value& root, const Path& path) {
    const Value* value = &root;
    for (const std::string_view step : path) {
        value = step.empty() || value == nullptr ? value : value->find(step);
    }
    return value;
}

class ReferencePass {
public:
    ReferencePass(const engines::Selection& selection, Loaded& loaded, Diagnostics& diagnostics)
        : selection_(selection), loaded_(loaded), diagnostics_(diagnostics) {}

    void apply(const Document& document, const engines::InputFile& file) {
        const engines::Build& build = selection_.builds[file.build];
        const std::string_view text = document_text(loaded_, document);
        for (const engines::GeneratedName& name : build.generated) {
            if (name.hashed != name.name && text.find(name.name) != std::string_view::npos &&
                sees(document, file, name)) {
                rewrite(document, read_document(loaded_, document, diagnostics_), name);
            }
        }
    }

private:
    // True if both have the same namespace during the build; cluster-scoped objects see all names.
    bool sees(const Document& document, const engines::InputFile& file,
              const engines::GeneratedName& name) const {
        return is_cluster_scoped(text_of(document.api_version), text_of(document.kind)) ||
               build_namespace(selection_, file, document) == or_default(name.ns);
    }

    void rewrite(const Document& document, const Value& root, const engines::GeneratedName& name) {
        const std::string_view kind = text_of(document.kind);
        const auto workload = std::ranges::find(kWorkloads, kind, &Workload::kind);
        for (const Reference& reference : kReferences) {
            if (reference.target != name.kind) {
                continue;
            }
            const Value* start = &root;
            if (reference.kind.empty()) {
                start = workload == kWorkloads.end() ? nullptr : at_path(root, workload->pod);
            } else if (reference.kind != kind) {
                continue;
            }
            if (start != nullptr) {
                visit_scalars(*start, reference.path, [&](const Value& scalar) {
                    if (scalar.text() == name.name) {
                        replace(document, root, scalar, name);
                    }
                });
            }
        }
    }

    void replace(const Document& document, const Value& root, const Value& scalar,
                 const engines::GeneratedName& name) {
        std::optional<Edit> edit = replace_scalar(
            {loaded_.sources, document.source, document.range, root}, scalar, name.hashed);
        if (edit) {
            edit->reason = fmt::format("{} {} is {}", name.kind, name.name, name.hashed);
            loaded_.edits.push_back(std::move(*edit));
            return;
        }
        about(document, diagnostics_)
            .error("cannot-edit", scalar.pos(),
                   fmt::format("cannot replace this by the generated name of {} \"{}\"", name.kind,
                               name.name))
            .found("a scalar that uses an alias, an anchor or a tag")
            .expected(fmt::format("\"{}\"", name.hashed))
            .hint("write the name out, or set disableNameSuffixHash: true for the generator");
    }

    const engines::Selection& selection_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
};

}  // namespace

std::string_view build_namespace(const engines::Selection& selection,
                                 const engines::InputFile& file, const Document& document) {
    const engines::NamespaceRule& rule = selection.rules[file.rule];
    return or_default(rule.overwrite.empty() ? text_of(document.ns)
                                             : std::string_view(rule.overwrite));
}

void rewrite_references(const std::vector<engines::InputFile>& files,
                        const std::vector<std::uint32_t>& file_of,
                        const engines::Selection& selection, Loaded& loaded,
                        Diagnostics& diagnostics) {
    ReferencePass pass(selection, loaded, diagnostics);
    for (const Document& document : loaded.documents) {
        const engines::InputFile& file = files[file_of[document.source]];
        if (file.build != kNone && document.reachable) {
            pass.apply(document, file);
        }
    }
}

}  // namespace renderer::load
