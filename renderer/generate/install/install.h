// Generates the objects that a cluster needs besides proxies: Namespace, the controller with its
// ServiceAccount and rules, IngressClass and, in mode `generate`, the OAuth Secret. Names are those
// of the operator's chart. Contract of the controller: testdata/contract/controller.md.
#pragma once

#include "renderer/generate/model.h"

namespace renderer::generate {

void generate_install(const plan::Plan& plan, Objects& objects);

}  // namespace renderer::generate
