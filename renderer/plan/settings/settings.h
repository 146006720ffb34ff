// The settings of one cluster: Helm values of the operator chart (same keys, same defaults) and
// ours under `tailrender:`. Decoded from layers of values, the later wins; an unknown key of ours
// is an error with a suggestion, an unknown chart key a warning, a value of the wrong type an error
// at its line. Source of keys and defaults: tailscale v1.96.5
// cmd/k8s-operator/deploy/chart/values.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/operator_deployment.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/plan/release.h"

namespace renderer::plan {

enum class Dataplane : std::uint8_t { Native, Containerboot };
// What pods may do that forward packets.
enum class Privileges : std::uint8_t { Privileged, Capabilities };
enum class SecretsMode : std::uint8_t { Reference, Generate, External };
enum class InputsMode : std::uint8_t { Partial, Complete };
// Auto: emitted when their CRDs are among the inputs, else consumed.
enum class CustomResources : std::uint8_t { Auto, Emit, Consume };
enum class Placement : std::uint8_t { Parent, Central };

// Of the image with containerboot, by default.
inline constexpr std::string_view kStockRepository = "tailscale/tailscale";
inline constexpr std::string_view kK8sProxyRepository = "tailscale/k8s-proxy";
// Of the tailscaled in the image of tailrender-proxy that is made by plugins/image/Containerfile.
inline constexpr std::string_view kNativeTailscale = "1.104.5";

// Images of ours are in no registry, so their repositories have no default: whoever registered that
// name would run in the cluster.
struct Image {
    std::string repository, tag, digest, pull_policy;
    Pos pos;
    [[nodiscard]] bool is_named() const { return !repository.empty(); }
    [[nodiscard]] std::string reference() const;  // repository@digest, or repository:tag
    [[nodiscard]] bool pinned() const;            // digest, or a full x.y.z tag
};

// Both ends count.
struct PortRange {
    std::int64_t first = 0, last = 0;
};

// An entry of the store outside of the cluster; "" as property: all of it.
struct RemoteEntry {
    std::string key, property;
};

// Where mode `external` fetches the OAuth client from.
struct ExternalSecretSettings {
    std::string store, store_kind, refresh_interval;
    RemoteEntry client_id, client_secret;
};

// How long the controller waits before it removes what no proxy uses any more.
inline constexpr std::int64_t kDefaultCleanupDelay = 300;  // seconds
inline constexpr std::string_view kCleanupDelayVariable = "CLEANUP_DELAY_SECONDS";
inline constexpr std::string_view kTakeOverVariable = "TAKE_OVER_TAG";
inline constexpr std::string_view kApiNamespaceVariable = "API_PROXY_NAMESPACE";

struct Settings {
    // tailrender:
    std::string ns;      // where generated objects live
    std::string api_ns;  // where the account that impersonates lives, with its pod; `ns` by default
    std::string cluster_domain = "cluster.local";
    std::string tailnet_domain;
    // Of proxies that do not choose one: as set, else native if its image is named.
    Dataplane dataplane = Dataplane::Containerboot;
    bool sets_dataplane = false;
    Pos dataplane_pos;
    Privileges privileges = Privileges::Privileged;
    Image native_image;  // of those that run tailrender-proxy
    Image image;         // controller
    SecretsMode secrets = SecretsMode::Reference;
    Pos secrets_pos;
    ExternalSecretSettings external_secret;
    InputsMode inputs = InputsMode::Partial;
    Placement placement = Placement::Parent;
    CustomResources custom_resources = CustomResources::Auto;
    std::string hostname_suffix;
    bool service_monitors = false;
    std::optional<PortRange> node_ports;                // unset: not known
    std::int64_t cleanup_delay = kDefaultCleanupDelay;  // seconds
    std::string api_unrecorded;  // RESOURCE/SUBRESOURCE that enforceRecorder lets pass, joined by ,
    std::string take_over_tag;   // of all our devices and of no others; empty: none is taken over
    // chart:
    Release release = default_release();
    Image proxy_image;
    std::vector<std::string> default_tags;   // proxyConfig.defaultTags, split and trimmed
    std::vector<std::string> operator_tags;  // operatorConfig.defaultTags: of its own device
    std::string firewall_mode;
    Pos firewall_mode_pos;
    classify::OperatorNames names;  // fullnameOverride
    std::string login_server;       // without a trailing slash
    std::string default_proxy_class;
    Pos default_proxy_class_pos;
    std::string priority_class;          // extraEnv PROXY_PRIORITY_CLASS_NAME
    bool default_load_balancer = false;  // extraEnv OPERATOR_DEFAULT_LOAD_BALANCER is "true"
    bool log_upload = true;              // extraEnv TS_NO_LOGS_NO_SUPPORT switches it off
    bool share_acme_account = false;     // operatorConfig.sharedACMEAccountKey: of ingress groups
    std::string k8s_proxy_image;         // extraEnv K8S_PROXY_IMAGE, "" = the operator's default
    Pos k8s_proxy_image_pos;
    std::string ingress_class = "tailscale";
    bool ingress_class_enabled = true;
    Value chart;  // the merged chart values with defaults, for the controller's Deployment

    [[nodiscard]] bool has_api_namespace() const { return api_ns != ns; }
};

// `layers` in rising precedence. `operator_namespace`: namespace of the bundle or stream that holds
// the operator, "" if none. `installed`: what the inputs say of the operator's release, the most
// telling first; `tailrender.operatorVersion` wins over it, and tells more than the operator's
// image.
Settings decode_settings(const std::vector<const Value*>& layers,
                         std::string_view operator_namespace,
                         std::span<const ReleaseSource> installed, Diagnostics& diagnostics);

}  // namespace renderer::plan
