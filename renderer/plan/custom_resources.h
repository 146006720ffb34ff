// Decides whether the operator's custom resources are refused, consumed or emitted, according to
// the setting `tailrender.customResources`. A consumed document is cut out of the output, because
// clusters need not have its kind; an emitted one is written byte for byte. In a stream all of them
// are kept: the chart that creates them also has their CRDs.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// The maximum for all kinds, because every pod mounts the key of every replica.
inline constexpr std::int64_t kMaxReplicas = 1000;

// Returns the edits that cut out consumed documents. Reports kinds and versions that are not
// supported, duplicates in the inputs, and items of a List that cannot be cut out of it.
std::vector<Edit> plan_custom_resources(const load::Loaded& loaded,
                                        const classify::Inventory& inventory,
                                        const Settings& settings, Diagnostics& diagnostics);

// Returns the kinds whose CRDs the cluster needs if their resources are emitted.
std::vector<const Kind*> missing_crds(const load::Loaded& loaded, const Settings& settings);

// Checks what the API server refuses for any kind: wrong fields, the name, labels, annotations.
void check_custom_resource(const classify::ParentInput& parent, Diagnostics& diagnostics);

}  // namespace renderer::plan
