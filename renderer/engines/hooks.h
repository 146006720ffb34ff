// Objects that an engine treats as hooks: it creates and deletes them separately, or skips them.
// Sources: helm.sh/docs/topics/charts_hooks, argo-cd gitops-engine/pkg/sync/hook/hook.go.
#pragma once

#include <string_view>

#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/bundle.h"

namespace renderer::engines {

inline constexpr std::string_view kLocalAnnotation = "config.kubernetes.io/local-config";

// True if kustomize leaves the object out of what it builds, and so does Flux.
// Source: kustomize api/resource/factory.go (DropLocalNodes).
bool is_local_config(const Value& object);

// The programs that may take an object for a hook. All others apply it like any object.
struct HookReaders {
    bool helm = true;
    bool argo = true;
    bool are_known = false;  // the tree says what applies the object
};

// `is_chart`: helm renders the object, as Fleet does with its bundles. Argo CD takes hooks of Helm
// for its own. Where the engine is not known, as with committed output of `helm template`, hooks of
// both count.
HookReaders hook_readers(const AppliedUnit& unit, const Bundle& bundle, bool is_chart);

// True if Argo CD skips the object.
bool is_skipped(const Value& object);

// True for hooks of Helm, which are all objects with its annotation, whatever the value. Of Argo
// CD's hooks only skipped ones, Services and Ingresses count: Argo CD keeps the others.
bool is_hook(const Value& object, HookReaders readers);

}  // namespace renderer::engines
