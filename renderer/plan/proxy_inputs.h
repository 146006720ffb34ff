// The inputs of the plan's features.
#pragma once

#include <cstdint>

#include "renderer/core/document.h"

namespace renderer::load {
struct Loaded;
}

namespace renderer::plan {

class ProxyClasses;
class ServiceIndex;
class Tailnets;
struct Settings;

// Inputs that are the same for every proxy of a run.
struct ProxyInputs {
    const load::Loaded& loaded;
    const Settings& settings;
    const ServiceIndex& services;
    const Tailnets& tailnets;
    ProxyClasses& classes;
    std::uint32_t central_bundle = kNone;  // placement: central; kNone: the parent's bundle

    // Returns the bundle for the objects that are generated for this document.
    [[nodiscard]] std::uint32_t bundle_of(const Document& parent) const {
        return central_bundle == kNone ? parent.bundle : central_bundle;
    }
};

}  // namespace renderer::plan
