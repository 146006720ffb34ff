#include "renderer/diff/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/base64.h"
#include "renderer/base/split.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/relay_config.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/kube/server_url.h"

namespace renderer::diff {
namespace {

constexpr std::string_view kServicePrefix = "svc:";

std::string_view annotation(const Value& root, std::string_view key) {
    return text_of(root, {"metadata", "annotations", key});
}

std::string_view named_server(std::string_view server) {
    return server == kDefaultServer ? std::string_view() : server;
}

// Returns "shop/web" for "Service/shop/web".
std::string_view without_kind(std::string_view object) {
    return object.substr(std::min(object.find('/') + 1, object.size()));
}

std::optional<Value> decoded(std::string_view text, bool base64) {
    const std::optional<std::string> json = base64 ? decode_base64(text) : std::string(text);
    if (!json || json->empty()) {
        return std::nullopt;
    }
    Result<Value> tree = read_json(*json);
    return tree ? std::optional<Value>(std::move(*tree)) : std::nullopt;
}

bool is_true(const Value* value) {
    return value != nullptr && value->is_bool() && value->as_bool();
}

std::string_view port_of(std::string_view host_and_port) {
    return host_and_port.substr(host_and_port.rfind(':') + 1);
}

const Manifest* find_service(const Manifests& manifests, std::string_view service) {
    const auto slash = service.find('/');
    return slash == std::string_view::npos
               ? nullptr
               : manifests.find("Service", service.substr(0, slash), service.substr(slash + 1));
}

bool is_port(const Value& port, std::string_view wanted) {
    const Value* number = port.is_map() ? port.find("port") : nullptr;
    return number != nullptr && number->is_number() && number->text() == wanted;
}

// `service` is "shop/web", and `port` the Service's own port.
std::string selected_pods(const Manifests& manifests, std::string_view service,
                          std::string_view port) {
    const Manifest* found = find_service(manifests, service);
    const Value* spec = found == nullptr ? nullptr : manifests.root(*found).find("spec");
    if (spec == nullptr) {
        return {};
    }
    std::vector<std::string> words;
    for (const Member& label : members_of(spec->find("selector"))) {
        words.push_back(fmt::format("{}={}", label.name(), text_of(label.value)));
    }
    std::ranges::sort(words);
    std::string_view target = port;  // targetPort defaults to the port
    for (const Value& each : items_of(spec->find("ports"))) {
        const Value* named = is_port(each, port) ? each.find("targetPort") : nullptr;
        if (named != nullptr && (named->is_string() || named->is_number())) {
            target = named->text();
        }
    }
    return words.empty() ? "" : fmt::format("{} port {}", fmt::join(words, ","), target);
}

// Turns "http://web.shop.svc.cluster.local:80/" into "shop/web:80".
std::string short_target(std::string_view url, std::string_view mount) {
    const auto scheme = url.find("://");
    const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    const std::string_view host = url.substr(begin, url.find('/', begin) - begin);
    std::string_view path = url.substr(begin + host.size());
    if (path == "/" || path == mount) {
        url.remove_suffix(path.size());
        path = {};
    }
    const auto dot = host.find('.');
    const auto svc = host.find(".svc.");
    if (svc == std::string_view::npos || dot >= svc) {
        return std::string(url);
    }
    const auto colon = host.rfind(':');
    return fmt::format("{}/{}{}{}", host.substr(dot + 1, svc - dot - 1), host.substr(0, dot),
                       colon == std::string_view::npos ? "" : host.substr(colon), path);
}

void add_handlers(const Manifests& manifests, const Value& config, const Member& site,
                  std::vector<Reach>& offers) {
    const std::string_view port = port_of(site.name());
    const Value* tcp = config.at({"TCP", port, "HTTP"});
    const Value* funnel = config.at({"AllowFunnel", site.name()});
    for (const Member& handler : members_of(site.value.find("Handlers"))) {
        const std::string_view proxy = text_of(handler.value, {"Proxy"});
        if (proxy.empty()) {
            continue;  // a redirect targets another endpoint of the same device
        }
        const std::string target = short_target(proxy, handler.name());
        const std::string_view place =
            std::string_view(target).substr(0, target.find('/', target.find('/') + 1));
        const auto colon = place.rfind(':');
        offers.push_back(
            {fmt::format("{}:{}{}", is_true(tcp) ? "http" : "https", port, handler.name()), target,
             is_true(funnel),
             colon == std::string_view::npos
                 ? ""
                 : selected_pods(manifests, place.substr(0, colon), place.substr(colon + 1))});
    }
}

// Adds the offers of a serve config, or of its part for one Tailscale Service.
void add_served(const Manifests& manifests, const Value& config, std::vector<Reach>& offers) {
    for (const Member& site : members_of(config.find("Web"))) {
        add_handlers(manifests, config, site, offers);
    }
    for (const Member& port : members_of(config.find("TCP"))) {
        const std::string_view forward = text_of(port.value, {"TCPForward"});
        if (!forward.empty()) {
            const bool funnel = std::ranges::any_of(
                members_of(config.find("AllowFunnel")), [&](const Member& allowed) {
                    return port_of(allowed.name()) == port.name() && is_true(&allowed.value);
                });
            offers.push_back(
                {fmt::format("tcp/{}", port.name()), std::string(forward), funnel, {}});
        }
    }
}

// Adds every port of a Service, "shop/web", since an L3 proxy forwards all traffic. `fallback` is
// the target if the Service is not in the tree.
void add_ports(const Manifests& manifests, std::string_view parent, std::string_view fallback,
               std::vector<Reach>& offers) {
    const Manifest* service = find_service(manifests, parent);
    const Value* ports =
        service == nullptr ? nullptr : manifests.root(*service).at({"spec", "ports"});
    const bool elsewhere =
        service != nullptr && text_of(manifests.root(*service), {"spec", "type"}) == "ExternalName";
    if (items_of(ports).empty() || elsewhere) {
        offers.push_back(
            {"every port", std::string(fallback.empty() ? parent : fallback), false, {}});
        return;
    }
    for (const Value& port : items_of(ports)) {
        const Value* number = port.is_map() ? port.find("port") : nullptr;
        const std::string_view protocol = text_of(port, {"protocol"});
        if (number != nullptr && number->is_number()) {
            offers.push_back({fmt::format("{}/{}", protocol.empty() ? "tcp" : lower_case(protocol),
                                          number->text()),
                              std::string(parent), false,
                              selected_pods(manifests, parent, number->text())});
        }
    }
}

// Adds the routes in tailscaled's configuration.
void add_routes(const Value& config, std::vector<Reach>& offers) {
    for (const Value& route : items_of(config.find("AdvertiseRoutes"))) {
        const std::string_view prefix = text_of(route);
        const bool exit = prefix == "0.0.0.0/0" || prefix == "::/0";
        const Reach offer{exit ? "exit node" : fmt::format("route {}", prefix), {}, false, {}};
        if (std::ranges::find(offers, offer) == offers.end()) {
            offers.push_back(offer);
        }
    }
    if (is_true(config.at({"AppConnector", "Advertise"}))) {
        offers.push_back({"app connector", {}, false, {}});
    }
}

class DeviceReader {
public:
    explicit DeviceReader(const Manifests& manifests) : manifests_(manifests) {}

    std::vector<Device> read() {
        for (const Manifest* manifest : manifests_.all()) {
            if (manifest->kind == "StatefulSet") {
                read_workload(*manifest);
            } else if (manifest->kind == "ConfigMap" && manifest->name.starts_with(kGroupPrefix)) {
                read_group(*manifest);
            }
        }
        for (Device& device : devices_) {
            std::ranges::sort(device.tags);
            std::ranges::sort(device.offers);
        }
        std::ranges::sort(devices_, {}, &Device::key);
        return std::move(devices_);
    }

private:
    void read_workload(const Manifest& manifest) {
        const Value& root = manifests_.root(manifest);
        if (annotation(root, kContractAnnotation).empty()) {
            return;
        }
        Device common;
        common.parent = annotation(root, kParentAnnotation);
        common.tailnet = annotation(root, kTailnetAnnotation);
        const auto tags = split(annotation(root, kTagsAnnotation), ',');
        common.tags.assign(tags.begin(), tags.end());
        add_forwarded(root, common);
        const auto hostnames = split(annotation(root, kHostnameAnnotation), ',');
        for (std::size_t i = 0; i < hostnames.size(); ++i) {
            Device device = common;
            const std::string pod = fmt::format("{}-{}", manifest.name, i);
            device.key = fmt::format("{}/{}", manifest.ns, pod);
            device.hostname = hostnames[i];
            add_config(manifest.ns, config_secret_name(pod), device);
            if (const PodTraits* pods = find_pods(common.parent);
                pods != nullptr && pods->public_by == kByLoadBalancer) {
                add_relay(manifest.ns, pod, device);
            }
            devices_.push_back(std::move(device));
        }
    }

    // Adds what the environment configures: the target of an L3 proxy.
    void add_forwarded(const Value& root, Device& device) const {
        const Value* containers = root.at({"spec", "template", "spec", "containers"});
        for (const Value& container : items_of(containers)) {
            for (const Value& variable : items_of(container.at({"env"}))) {
                const std::string_view name = text_of(variable, {"name"});
                const std::string_view value = text_of(variable, {"value"});
                if (name == variable::kDestIp || name == variable::kDestDnsName) {
                    add_ports(manifests_, without_kind(device.parent), value, device.offers);
                } else if (name == variable::kTailnetTargetIp ||
                           name == variable::kTailnetTargetFqdn) {
                    device.reaches =
                        fmt::format("tailnet {}", value.substr(0, value.find_last_not_of('.') + 1));
                } else if (name == "TSRECORDER_UI" && value == "true") {
                    device.offers.push_back({"https:443", "recorded sessions", false, {}});
                } else if (name == "TSRECORDER_LOGIN_SERVER") {
                    device.server = named_server(value);
                }
            }
        }
    }

    void add_config(std::string_view ns, const std::string& name, Device& device) const {
        const Manifest* secret = manifests_.find("Secret", ns, name);
        const Value* data = secret == nullptr ? nullptr : manifests_.root(*secret).find("data");
        bool first = true;  // the other versions contain less
        for (const Member& entry : members_of(data)) {
            const bool versioned = config_capability(entry.name()).has_value();
            const bool wanted = entry.name() == kServeDatum || (versioned && first);
            const std::optional<Value> config = wanted && entry.value.is_string()
                                                    ? decoded(entry.value.text(), true)
                                                    : std::nullopt;
            if (!config) {
                continue;
            }
            if (versioned) {
                first = false;
                const std::string_view server = text_of(*config, {"ServerURL"});
                device.server = named_server(server);
                add_routes(*config, device.offers);
            } else {
                add_served(manifests_, *config, device.offers);
            }
        }
    }

    // Adds the ports of the load balancer of a relay's pod.
    void add_relay(std::string_view ns, const std::string& pod, Device& device) const {
        const Manifest* service = manifests_.find("Service", ns, pod);
        if (service != nullptr) {
            const Value& root = manifests_.root(*service);
            const bool is_public = text_of(root, {"spec", "type"}) == "LoadBalancer";
            for (const Value& port : items_of(root.at({"spec", "ports"}))) {
                const Value* number = port.at({"port"});
                device.offers.push_back(
                    {fmt::format("{}/{}", lower_case(text_of(port, {"protocol"})),
                                 number == nullptr ? "" : scalar_text(*number)),
                     std::string(kRelayed),
                     is_public,
                     {}});
            }
        }
        const std::string map = fmt::format("{}{}", kRelayPrefix, without_kind(device.parent));
        const Manifest* config = manifests_.find("ConfigMap", ns, map);
        const Value* data = config == nullptr ? nullptr : manifests_.root(*config).find("data");
        for (const Member& entry : members_of(data)) {
            const std::string_view name = entry.name();
            if (name.starts_with(pod + ".") && entry.value.is_string() &&
                config_capability(name.substr(pod.size() + 1))) {
                const std::optional<Value> told = decoded(entry.value.text(), false);
                device.server = told ? named_server(text_of(*told, {"ServerURL"})) : "";
            }
        }
    }

    // Reads the Tailscale Services of a group.
    void read_group(const Manifest& manifest) {
        const Value& root = manifests_.root(manifest);
        if (annotation(root, kContractAnnotation).empty()) {
            return;
        }
        const std::string group = manifest.name.substr(kGroupPrefix.size());
        const Manifest* workload = manifests_.find("StatefulSet", manifest.ns, group);
        const std::optional<Value> served = serve_config(manifest.ns, group);
        for (const Member& entry : members_of(root.find("data"))) {
            const std::optional<Value> service =
                entry.name().ends_with(".json") && entry.value.is_string()
                    ? decoded(entry.value.text(), false)
                    : std::nullopt;
            if (!service) {
                continue;
            }
            Device device;
            device.hostname = text_of(*service, {"name"});
            device.key = fmt::format("{}/{}/{}", manifest.ns, group, device.hostname);
            device.parent = text_of(*service, {"parent"});
            if (workload != nullptr) {
                device.tailnet = annotation(manifests_.root(*workload), kTailnetAnnotation);
            }
            for (const Value& tag : items_of(service->find("tags"))) {
                device.tags.emplace_back(text_of(tag));
            }
            add_service_offers(device, served);
            devices_.push_back(std::move(device));
        }
    }

    void add_service_offers(Device& device, const std::optional<Value>& served) const {
        const Value* config = served ? served->at({"Services", device.hostname}) : nullptr;
        if (config != nullptr) {
            add_served(manifests_, *config, device.offers);
        } else if (device.parent.starts_with("Service/")) {
            add_ports(manifests_, without_kind(device.parent), {}, device.offers);
        } else if (device.parent.starts_with("ProxyGroup/")) {
            device.offers.push_back({"https:443", "Kubernetes API", false, {}});
        }
    }

    [[nodiscard]] std::optional<Value> serve_config(std::string_view ns,
                                                    const std::string& group) const {
        const Manifest* map = manifests_.find("ConfigMap", ns, ingress_config_name(group));
        return map == nullptr
                   ? std::nullopt
                   : decoded(text_of(manifests_.root(*map), {"binaryData", kGroupServeDatum}),
                             true);
    }

    const Manifests& manifests_;
    std::vector<Device> devices_;
};

}  // namespace

bool Device::is_public() const {
    return std::ranges::any_of(offers, &Reach::is_public);
}

std::string Device::target_text() const {
    std::vector<std::string> targets;
    for (const Reach& offer : offers) {
        const std::string& target = offer.target.empty() ? offer.endpoint : offer.target;
        if (std::ranges::find(targets, target) == targets.end()) {
            targets.push_back(target);
        }
    }
    if (!reaches.empty()) {
        targets.push_back(reaches);
    }
    if (targets.empty() && parent.starts_with("ProxyGroup/") &&
        !hostname.starts_with(kServicePrefix)) {
        targets.emplace_back("pod of a group");
    }
    return fmt::format("{}", fmt::join(targets, ", "));
}

std::vector<Device> read_devices(const Manifests& manifests) {
    return DeviceReader(manifests).read();
}

}  // namespace renderer::diff
