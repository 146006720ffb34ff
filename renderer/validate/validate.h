// Checks offline whether the API server would accept the objects: compares inputs and outputs with
// the schemas of one Kubernetes version and of the operator's CRDs. Kinds of groups that neither
// defines pass, and so do files that SOPS encrypted, since their content is not known here.
#pragma once

#include <span>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/load/loaded.h"
#include "renderer/schema/validator.h"

namespace renderer::validate {

struct DocumentFaults {
    const Document* document = nullptr;
    bool is_applied = false;  // false: only a fact, no applier sees it
    std::vector<schema::SchemaFault> faults;
    Diagnostics unreadable;
};

// The result of validating the inputs.
struct InputFaults {
    std::vector<DocumentFaults> documents;  // documents with faults, in the order of Loaded
    bool is_version_known = true;

    // Returns the faults that keep any release from decoding the document, for the stage that
    // decodes it. Includes those that report_inputs leaves out because the document may still
    // change.
    [[nodiscard]] std::vector<Diagnostic> shape_of(const Document& document) const;
};

// Validates the inputs that an applier sees, and custom resources that are only facts. `foreign`
// includes kinds that no other stage reads; without it those are only parsed, and only if they are
// oddly indented. Reports nothing but an unknown Kubernetes version.
InputFaults validate_inputs(const load::Loaded& loaded, bool foreign, unsigned threads,
                            Diagnostics& diagnostics);

// Reports the faults of inputs that an applier sees, unless there is already an error at the same
// place. `ours` (sorted) are the Services and Ingresses that the plan is built on. Faults of other
// objects that do not mention Tailscale share one warning, unless `foreign` is set or the fault is
// in a field that decides whether the object asks for a proxy. `operator_minor` is the release
// whose CRDs the cluster has.
void report_inputs(InputFaults found, bool foreign, std::span<const Document* const> ours,
                   int operator_minor, Diagnostics& diagnostics);

// Reports the same for generated objects, none of which is a custom resource. A fault is reported
// at the input that its value came from, else at the object's parent.
void validate_objects(const load::Loaded& loaded, std::span<const Object> objects, unsigned threads,
                      Diagnostics& diagnostics);

}  // namespace renderer::validate
