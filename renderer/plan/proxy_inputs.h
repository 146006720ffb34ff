// What features of the plan are given.
#pragma once

#include <cstdint>

#include "renderer/core/document.h"

namespace renderer {

class ProxyClasses;
class ServiceIndex;
class Tailnets;
struct Loaded;
struct Settings;

// What is the same for every proxy of a run.
struct ProxyInputs {
    const Loaded& loaded;
    const Settings& settings;
    const ServiceIndex& services;
    const Tailnets& tailnets;
    ProxyClasses& classes;
    std::uint32_t central_bundle = kNone;  // placement: central; kNone: the parent's bundle

    // Where what is rendered for that document goes.
    [[nodiscard]] std::uint32_t bundle_of(const Document& parent) const {
        return central_bundle == kNone ? parent.bundle : central_bundle;
    }
};

}  // namespace renderer
