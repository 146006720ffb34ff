// Objects that an applier takes for hooks: it creates and deletes them on its own, or never does.
// Sources: helm.sh/docs/topics/charts_hooks, argo-cd gitops-engine/pkg/sync/hook/hook.go.
#pragma once

#include "renderer/core/value.h"

namespace renderer {

// Argo CD leaves it out.
bool is_skipped(const Value& object);

// Helm takes every object with its annotation for a hook, whatever the value. Of those of Argo CD
// only what is skipped and what asks for a device itself count: it keeps the others.
bool is_hook(const Value& object);

}  // namespace renderer
