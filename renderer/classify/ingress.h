// Decodes an Ingress of networking.k8s.io/v1; of older versions only its class is read. Source:
// Kubernetes API reference, Ingress v1.
#pragma once

#include "renderer/classify/classify.h"

namespace renderer::classify {

IngressInput decode_ingress(const Document& doc);

}  // namespace renderer::classify
