// Decodes a core/v1 Service. Source: Kubernetes API reference, Service v1.
#pragma once

#include "renderer/classify/classify.h"

namespace renderer::classify {

ServiceInput decode_service(const Document& doc);

}  // namespace renderer::classify
