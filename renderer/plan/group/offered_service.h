// A Tailscale Service that a group offers to the tailnet: a name with its own addresses. The pods
// of an ingress group or of a kube-apiserver group serve it; the controller registers it. Source:
// tailscale v1.96.5 cmd/k8s-operator/{ingress-for-pg,svc-for-pg,api-server-proxy-pg}.go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/core/document.h"

namespace renderer::classify {
struct ServiceInput;
}

namespace renderer::plan {

struct ServeHandler {
    std::string path;
    std::string proxy;         // "http://web.shop.svc.cluster.local:80/"
    std::string service = {};  // which that is, of the Ingress's namespace: "web"
    std::int64_t port = 0;     // of the Service
};

enum class Offer : std::uint8_t {
    Web,      // an Ingress: HTTPS, served by the pods
    Address,  // a Service: every port, forwarded to its cluster IPs
    KubeApi
};

// What port 80 serves besides HTTPS.
enum class PlainHttp : std::uint8_t { Off, Same, Redirect };

struct OfferedService {
    Origin origin;
    std::string group;
    std::string tailnet;  // "" = the controller's own
    Offer offer = Offer::Web;
    std::string hostname;
    Pos hostname_pos;
    std::string dns_name;  // the name in its certificate; "" = it has none
    std::vector<std::string> tags;
    std::string target_text;             // for people: "shop/web:80"
    std::vector<ServeHandler> handlers;  // Web: sorted by path, unique
    PlainHttp plain_http = PlainHttp::Off;
    std::vector<const classify::ServiceInput*> backends;  // Services that receive its requests

    [[nodiscard]] std::string name() const { return "svc:" + hostname; }
};

}  // namespace renderer::plan
