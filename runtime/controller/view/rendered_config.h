// True for a Secret `<pod>-config` that was the controller's, if the renderer has added its own
// data to the configuration of k8s-proxy: it is now the renderer's (testdata/contract/proxy.md).
#pragma once

#include "renderer/contract/config_secret.h"
#include "renderer/core/value.h"

namespace runtime::controller {

inline bool is_taken_by_the_renderer(const renderer::Value& secret) {
    const renderer::Value* data = secret.find("data");
    return data != nullptr && data->is_map() && data->size() > 1 &&
           data->find(renderer::kConfigDatum) != nullptr;
}

}  // namespace runtime::controller
