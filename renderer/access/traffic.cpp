#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "renderer/access/model.h"
#include "renderer/base/ascii.h"

namespace renderer::access {
namespace {

constexpr int kMaxProtocol = 255;
constexpr std::pair<std::string_view, int> kProtocols[] = {
    {"icmp", kIcmp}, {"igmp", 2}, {"ipv4", 4}, {"ip-in-ip", 4},
    {"tcp", kTcp},   {"egp", 8},  {"igp", 9},  {"udp", kUdp},
    {"gre", 47},     {"esp", 50}, {"ah", 51},  {"ipv6-icmp", kIcmp6},
    {"sctp", 132},   {"fc", 133}};

}  // namespace

std::optional<int> parse_protocol(std::string_view text) {
    if (text.empty()) {
        return -1;
    }
    const std::string name = lower_case(text);
    for (const auto& [known, number] : kProtocols) {
        if (known == name) {
            return number;
        }
    }
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_number = error == std::errc() && end == name.data() + name.size();
    return is_number && number > 0 && number <= kMaxProtocol ? std::optional(number) : std::nullopt;
}

std::string protocol_name(int protocol) {
    for (const auto& [name, number] : kProtocols) {
        if (number == protocol) {
            return std::string(name);
        }
    }
    return fmt::format("{}", protocol);
}

std::string traffic_text(const Traffic& traffic) {
    const bool is_all = traffic.first == 0 && traffic.last == kMaxPort;
    std::string ports = is_all ? "*" : fmt::format("{}", traffic.first);
    if (!is_all && traffic.first != traffic.last) {
        ports += fmt::format("-{}", traffic.last);
    }
    return traffic.protocol < 0 ? ports
                                : fmt::format("{}:{}", protocol_name(traffic.protocol), ports);
}

}  // namespace renderer::access
