// Of a Secret `<pod>-config` that was the controller's, whether the renderer has put its own data
// beside the configuration of k8s-proxy: it is the renderer's by now (testdata/contract/proxy.md).
#pragma once

#include "renderer/core/value.h"
#include "runtime/controller/contract.h"

namespace runtime::controller {

inline bool is_taken_by_the_renderer(const renderer::Value& secret) {
    const renderer::Value* data = secret.find("data");
    return data != nullptr && data->is_map() && data->size() > 1 &&
           data->find(kConfigDatum) != nullptr;
}

}  // namespace runtime::controller
