#include "renderer/diff/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "renderer/kube/api.h"

namespace renderer {
namespace {

constexpr std::string_view kDefaultServer = "https://controlplane.tailscale.com";
constexpr std::string_view kServicePrefix = "svc:";

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

std::string_view annotation(const Value& root, std::string_view key) {
    return text_at(root, {"metadata", "annotations", key});
}

// "shop/web" of "Service/shop/web"
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
        common.tags = split(annotation(root, kTagsAnnotation));
        add_forwarded(root, common);
        const std::vector<std::string> hostnames = split(annotation(root, kHostnameAnnotation));
        for (std::size_t i = 0; i < hostnames.size(); ++i) {
            Device device = common;
            const std::string pod = fmt::format("{}-{}", manifest.name, i);
            device.key = fmt::format("{}/{}", manifest.ns, pod);
            device.hostname = hostnames[i];
            add_config(manifest.ns, pod + "-config", device);
            devices_.push_back(std::move(device));
        }
    }

    // What the environment says: where an L3 proxy leads.
    void add_forwarded(const Value& root, Device& device) const {
        const Value* containers = root.at({"spec", "template", "spec", "containers"});
        for (const Value& container : items(containers)) {
            for (const Value& variable : items(container.at({"env"}))) {
                const std::string_view name = text_at(variable, {"name"});
                const std::string_view value = text_at(variable, {"value"});
                if (name == "TS_DEST_IP" || name == "TS_EXPERIMENTAL_DEST_DNS_NAME") {
                    add_ports(manifests_, without_kind(device.parent), value, device.offers);
                } else if (name == "TS_TAILNET_TARGET_IP" || name == "TS_TAILNET_TARGET_FQDN") {
                    device.reaches = fmt::format("tailnet {}", value);
                } else if (name == "TSRECORDER_UI" && value == "true") {
                    device.offers.push_back({"https:443", "recorded sessions", false, {}});
                } else if (name == "TSRECORDER_LOGIN_SERVER") {
                    device.server = value;
                }
            }
        }
    }

    void add_config(std::string_view ns, const std::string& name, Device& device) const {
        const Manifest* secret = manifests_.find("Secret", ns, name);
        const Value* data = secret == nullptr ? nullptr : manifests_.root(*secret).find("data");
        if (data == nullptr || !data->is_map() || data->size() == 0) {
            return;
        }
        bool first = true;  // the other versions of it say less
        for (const Member& entry : data->members()) {
            const bool versioned = entry.name().starts_with("cap-");
            const bool wanted = entry.name() == "serve-config" || (versioned && first);
            const std::optional<Value> config = wanted && entry.value.is_string()
                                                    ? decoded(entry.value.text(), true)
                                                    : std::nullopt;
            if (!config) {
                continue;
            }
            if (versioned) {
                first = false;
                const std::string_view server = text_at(*config, {"ServerURL"});
                device.server = server == kDefaultServer ? "" : server;
                add_routes(*config, device.offers);
            } else {
                add_served(manifests_, *config, device.offers);
            }
        }
    }

    // The Tailscale Services of a group.
    void read_group(const Manifest& manifest) {
        const Value& root = manifests_.root(manifest);
        const Value* data = root.find("data");
        if (annotation(root, kContractAnnotation).empty() || data == nullptr || !data->is_map()) {
            return;
        }
        const std::string group = manifest.name.substr(kGroupPrefix.size());
        const Manifest* workload = manifests_.find("StatefulSet", manifest.ns, group);
        const std::optional<Value> served = serve_config(manifest.ns, group);
        for (const Member& entry : data->members()) {
            const std::optional<Value> service =
                entry.name().ends_with(".json") && entry.value.is_string()
                    ? decoded(entry.value.text(), false)
                    : std::nullopt;
            if (!service) {
                continue;
            }
            Device device;
            device.hostname = text_at(*service, {"name"});
            device.key = fmt::format("{}/{}/{}", manifest.ns, group, device.hostname);
            device.parent = text_at(*service, {"parent"});
            if (workload != nullptr) {
                device.tailnet = annotation(manifests_.root(*workload), kTailnetAnnotation);
            }
            for (const Value& tag : items(service->find("tags"))) {
                device.tags.emplace_back(tag.is_string() ? tag.text() : std::string_view());
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
        const Manifest* map = manifests_.find("ConfigMap", ns, group + "-ingress-config");
        return map == nullptr
                   ? std::nullopt
                   : decoded(text_at(manifests_.root(*map), {"binaryData", "serve-config.json"}),
                             true);
    }

    static std::span<const Value> items(const Value* list) {
        return list != nullptr && list->is_list() ? list->items() : std::span<const Value>();
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

}  // namespace renderer
