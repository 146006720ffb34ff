// post-render over the chart's own stream: the operator's Deployment becomes the controller and its
// two roles get the controller's rules, under the names that helm knows; that it may impersonate is
// taken out; every other document of the chart passes through as bytes.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"

namespace renderer::plan {

// The stream holds the operator: inventory.stock_operator.deployment is not null.
Installation plan_chart_stream(const load::Loaded& loaded, const classify::Inventory& inventory,
                               const Settings& settings, Diagnostics& diagnostics);

// Takes a document out of its file. One that is in a List is an error.
void cut_document(const Document& document, std::string reason, std::vector<Edit>& edits,
                  Diagnostics& diagnostics);

}  // namespace renderer::plan
