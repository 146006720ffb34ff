#include "renderer/diff/offers.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace renderer {
namespace {

std::span<const Member> members_of(const Value* map) {
    return map != nullptr && map->is_map() ? map->members() : std::span<const Member>();
}

std::span<const Value> items_of(const Value* list) {
    return list != nullptr && list->is_list() ? list->items() : std::span<const Value>();
}

bool is_true(const Value* value) {
    return value != nullptr && value->is_bool() && value->as_bool();
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
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

// `service` is "shop/web", `port` its own port.
std::string selected_pods(const Manifests& manifests, std::string_view service,
                          std::string_view port) {
    const Manifest* found = find_service(manifests, service);
    const Value* spec = found == nullptr ? nullptr : manifests.root(*found).find("spec");
    if (spec == nullptr) {
        return {};
    }
    std::vector<std::string> words;
    for (const Member& label : members_of(spec->find("selector"))) {
        words.push_back(
            fmt::format("{}={}", label.name(), label.value.is_string() ? label.value.text() : ""));
    }
    std::ranges::sort(words);
    std::string_view target = port;  // the default of targetPort
    for (const Value& each : items_of(spec->find("ports"))) {
        const Value* named = is_port(each, port) ? each.find("targetPort") : nullptr;
        if (named != nullptr && (named->is_string() || named->is_number())) {
            target = named->text();
        }
    }
    return words.empty() ? "" : fmt::format("{} port {}", fmt::join(words, ","), target);
}

void add_handlers(const Manifests& manifests, const Value& config, const Member& site,
                  std::vector<Reach>& offers) {
    const std::string_view port = port_of(site.name());
    const Value* tcp = config.at({"TCP", port, "HTTP"});
    const Value* funnel = config.at({"AllowFunnel", site.name()});
    for (const Member& handler : members_of(site.value.find("Handlers"))) {
        const std::string_view proxy = text_at(handler.value, {"Proxy"});
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

}  // namespace

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

void add_served(const Manifests& manifests, const Value& config, std::vector<Reach>& offers) {
    for (const Member& site : members_of(config.find("Web"))) {
        add_handlers(manifests, config, site, offers);
    }
    for (const Member& port : members_of(config.find("TCP"))) {
        const std::string_view forward = text_at(port.value, {"TCPForward"});
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

void add_ports(const Manifests& manifests, std::string_view parent, std::string_view fallback,
               std::vector<Reach>& offers) {
    const Manifest* service = find_service(manifests, parent);
    const Value* ports =
        service == nullptr ? nullptr : manifests.root(*service).at({"spec", "ports"});
    const bool elsewhere =
        service != nullptr && text_at(manifests.root(*service), {"spec", "type"}) == "ExternalName";
    if (items_of(ports).empty() || elsewhere) {
        offers.push_back(
            {"every port", std::string(fallback.empty() ? parent : fallback), false, {}});
        return;
    }
    for (const Value& port : items_of(ports)) {
        const Value* number = port.is_map() ? port.find("port") : nullptr;
        const std::string_view protocol = text_at(port, {"protocol"});
        if (number != nullptr && number->is_number()) {
            offers.push_back(
                {fmt::format("{}/{}", protocol.empty() ? "tcp" : lower(protocol), number->text()),
                 std::string(parent), false, selected_pods(manifests, parent, number->text())});
        }
    }
}

void add_routes(const Value& config, std::vector<Reach>& offers) {
    for (const Value& route : items_of(config.find("AdvertiseRoutes"))) {
        const std::string_view prefix = route.is_string() ? route.text() : std::string_view();
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

}  // namespace renderer
