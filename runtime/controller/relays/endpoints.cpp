#include "runtime/controller/relays/endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <span>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "runtime/base/ip_address.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr int kLastPort = 65535;

std::optional<int> parse_port(std::string_view text) {
    int port = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, port);
    return error == std::errc() && stop == end && port >= 0 && port <= kLastPort
               ? std::optional(port)
               : std::nullopt;
}

// Returns netip.ParseAddr's message about a text that is not an address.
std::string bad_address(std::string_view text) {
    std::string_view why = "unable to parse IP";
    for (std::string_view left = text; !left.empty() && text.find(':') == std::string_view::npos;) {
        const std::string_view field = left.substr(0, left.find('.'));
        left.remove_prefix(std::min(left.size(), field.size() + 1));
        const bool is_number = !field.empty() && std::ranges::all_of(field, renderer::is_digit);
        if (is_number && field.size() > 1 && field.front() == '0') {
            why = "IPv4 field has octet with leading zero";
            break;
        }
        if (is_number && (field.size() > 3 || parse_port(field).value_or(0) > 255)) {
            why = "IPv4 field has value >255";
            break;
        }
    }
    return fmt::format("ParseAddr(\"{}\"): {}", text, why);
}

std::optional<Endpoint> refuse(std::string& problem, std::string why) {
    problem = std::move(why);
    return std::nullopt;
}

}  // namespace

std::string ip_text(std::string_view address) {
    const auto found = IpAddress::parse(address);
    return found ? found->text() : std::string();
}

std::optional<Endpoint> parse_endpoint(std::string_view text, std::string& problem) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return refuse(problem, "not an ip:port");
    }
    std::string_view address = text.substr(0, colon);
    const std::string_view port_text = text.substr(colon + 1);
    if (address.empty() || port_text.empty()) {
        return refuse(problem, address.empty() ? "no IP" : "no port");
    }
    const bool has_brackets = address.front() == '[';
    if (has_brackets) {
        if (address.size() < 2 || address.back() != ']') {
            return refuse(problem, "missing ]");
        }
        address = address.substr(1, address.size() - 2);
    }
    const auto port = parse_port(port_text);
    if (!port.has_value()) {
        return refuse(problem, fmt::format("invalid port \"{}\" parsing \"{}\"", port_text, text));
    }
    Endpoint endpoint{.address = ip_text(address), .port = *port};
    if (endpoint.address.empty()) {
        return refuse(problem, bad_address(address));
    }
    if (has_brackets != (address.find(':') != std::string_view::npos)) {
        return refuse(
            problem,
            fmt::format("invalid ip:port \"{}\", {}", text,
                        has_brackets ? "square brackets can only be used with IPv6 addresses"
                                     : "IPv6 addresses must be surrounded by square brackets"));
    }
    return endpoint;
}

std::string endpoint_text(const Endpoint& endpoint) {
    const bool is_v6 = endpoint.address.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", endpoint.address, is_v6 ? "]" : "",
                       endpoint.port);
}

std::string static_endpoints_problem(const Value& list) {
    std::map<std::string, std::size_t> seen;  // index by address
    const std::span<const Value> items = renderer::items_of(&list);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string_view text = text_of(items[i]);
        const auto told = [i, text](std::string_view problem) {
            return fmt::format("spec.staticEndpoints[{}]: \"{}\" {}", i, text, problem);
        };
        std::string problem;
        if (const std::size_t zone = text.find('%'); zone != std::string_view::npos) {
            return told("must not carry an IPv6 zone");
        }
        const auto endpoint = parse_endpoint(text, problem);
        if (!endpoint.has_value()) {
            return told("is not a valid address:port: " + problem);
        }
        if (endpoint->port == 0) {
            return told("must not use port 0");
        }
        const auto [first, is_new] = seen.emplace(endpoint->address, i);
        if (!is_new) {
            return told(
                fmt::format("repeats the address of spec.staticEndpoints[{}]", first->second));
        }
    }
    return {};
}

std::optional<LoadBalancer> decode_load_balancer(const Value& service) {
    LoadBalancer balancer;
    for (const Value& entry :
         renderer::items_of(service.at({"status", "loadBalancer", "ingress"}))) {
        const std::string address = ip_text(text_of(entry.at({"ip"})));
        const std::string_view hostname = text_of(entry.at({"hostname"}));
        if (!address.empty()) {
            balancer.addresses.push_back(address);
        } else if (!hostname.empty()) {
            balancer.hostnames.emplace_back(hostname);
        }
    }
    return balancer.addresses.empty() && balancer.hostnames.empty() ? std::nullopt
                                                                    : std::optional(balancer);
}

std::vector<std::string> balancer_addresses(const LoadBalancer* balancer, const KnownHosts& hosts,
                                            const std::vector<std::string>& former) {
    const auto sorted = [](const std::vector<std::string>& addresses) {
        const std::set<std::string> all(addresses.begin(), addresses.end());
        return std::vector<std::string>(all.begin(), all.end());
    };
    if (balancer == nullptr) {
        return {};
    }
    if (!balancer->addresses.empty()) {
        return sorted(balancer->addresses);
    }
    for (const std::string& hostname : balancer->hostnames) {
        const auto host = hosts.find(hostname);
        if (host != hosts.end() && !host->second.empty()) {
            return sorted(host->second);
        }
        // The next hostname may be known already, but would only be used until this one is
        // resolved.
        if (host == hosts.end() || !former.empty()) {
            return former;
        }
    }
    return {};
}

std::vector<Endpoint> merged_endpoints(const std::vector<std::string>& addresses, int port,
                                       const std::vector<Endpoint>& fixed) {
    std::map<std::string, int> ports;
    for (const std::string& address : addresses) {
        ports[address] = port;
    }
    for (const Endpoint& endpoint : fixed) {
        ports[endpoint.address] = endpoint.port;
    }
    std::vector<Endpoint> endpoints;
    endpoints.reserve(ports.size());
    for (const auto& [address, its_port] : ports) {
        endpoints.push_back({.address = address, .port = its_port});
    }
    return endpoints;
}

}  // namespace runtime::controller
