// The API groups of GitOps engines, with the slash.
#pragma once

#include <string_view>

namespace renderer::engines {

constexpr std::string_view kFluxGroup = "kustomize.toolkit.fluxcd.io/";
constexpr std::string_view kHelmOfK3s = "helm.cattle.io/";
constexpr std::string_view kSourceGroup = "source.toolkit.fluxcd.io/";
constexpr std::string_view kHelmGroup = "helm.toolkit.fluxcd.io/";
constexpr std::string_view kFluxExtensions = "source.extensions.fluxcd.io/";
constexpr std::string_view kFluxOperator = "fluxcd.controlplane.io/";
constexpr std::string_view kArgoGroup = "argoproj.io/";

}  // namespace renderer::engines
