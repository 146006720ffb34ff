// What becomes of the operator's custom resources: refused, consumed or emitted, as the setting
// `tailrender.customResources` says. A consumed document is cut out of the output, since no
// cluster has to know its kind; an emitted one leaves byte for byte. On a stream all of them pass:
// the chart that made them brings their CRDs.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/plan/settings/settings.h"

namespace renderer {

// Of any kind: every pod mounts every replica's key.
inline constexpr std::int64_t kMaxReplicas = 1000;

// The edits that cut out what is consumed. Reports kinds and versions that are not built, what is
// in the inputs twice, and items of a List that cannot be cut out of it.
std::vector<Edit> plan_custom_resources(const Loaded& loaded, const Inventory& inventory,
                                        const Settings& settings, Diagnostics& diagnostics);

// The kinds that the cluster has to be told of when their resources are emitted.
std::vector<const Kind*> missing_crds(const Loaded& loaded, const Settings& settings);

// What the API server refuses of any kind: the faults of its shape, the name, labels, annotations.
void check_custom_resource(const ParentInput& parent, Diagnostics& diagnostics);

}  // namespace renderer
