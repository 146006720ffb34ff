// Would the API server take the objects? Compares inputs and outputs with the schemas of one
// Kubernetes version and of the operator's CRDs, offline. Kinds of groups that neither defines
// pass, and so do files that SOPS encrypted: what the cluster gets of them is not known here.
#pragma once

#include <span>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/load/loaded.h"
#include "renderer/schema/validator.h"

namespace renderer {

struct DocumentFaults {
    const Document* document = nullptr;
    bool is_applied = false;  // an applier sees it; else it is a fact
    std::vector<SchemaFault> faults;
    Diagnostics unreadable;
};

// What the schemas say of the inputs.
struct InputFaults {
    std::vector<DocumentFaults> documents;  // that there is something to say of, as in Loaded
    bool is_version_known = true;

    // What of a document no release can decode, for whoever decodes it; also what report_inputs
    // leaves out because something may mend it before the document is applied.
    [[nodiscard]] std::vector<Diagnostic> shape_of(const Document& document) const;
};

// Looks at inputs that an applier sees, and at custom resources that are facts. `foreign`: also
// those whose kinds no one else reads; without it, only whether one that its indentation gives
// away is YAML. Adds no faults, but an unknown version.
InputFaults validate_inputs(const Loaded& loaded, bool foreign, unsigned threads,
                            Diagnostics& diagnostics);

// Adds what is wrong with inputs that an applier sees, except where there is an error about the
// same place already. `ours`: sorted, the Services and Ingresses that the plan is built on; those
// of others that do not mention Tailscale get one warning in all, unless `foreign`, or what is
// wrong is what would tell whose they are. `operator_minor`: of the release whose CRDs the cluster
// has.
void report_inputs(InputFaults found, bool foreign, std::span<const Document* const> ours,
                   int operator_minor, Diagnostics& diagnostics);

// The same of what was generated, none of which is a custom resource. A fault is at the input's
// place that its value came from, else at the object's parent.
void validate_objects(const Loaded& loaded, std::span<const Object> objects, unsigned threads,
                      Diagnostics& diagnostics);

}  // namespace renderer
