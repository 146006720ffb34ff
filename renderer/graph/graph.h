// Makes the graph of one cluster from what the plan has decided, and from the Services and
// workloads of its sources: who reaches which device, through which proxy, and what is behind it.
// Decides nothing and reports nothing.
#pragma once

#include "renderer/classify/classify.h"
#include "renderer/graph/model.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"

namespace renderer::graph {

Graph make_graph(const load::Loaded& loaded, const classify::Inventory& inventory,
                 const plan::Plan& plan);

}  // namespace renderer::graph
