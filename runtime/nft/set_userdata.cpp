#include "runtime/nft/set_userdata.h"

#include <algorithm>
#include <initializer_list>

#include "renderer/base/check.h"

namespace runtime::nft {

namespace {

enum Attribute : std::uint8_t {
    KeyOrder = 0,
    DataOrder = 1,
    KeyTypeof = 3,
    DataTypeof = 4,
    DataInterval = 6
};
enum ByteOrder : std::uint32_t { Several = 0, Machine = 1, Wire = 2 };
// nft's own numbers for expressions (enum expr_types) and for headers (enum proto_desc_id).
enum Etype : std::uint32_t { Payload = 7, MetaKey = 9, Concat = 13, NumGen = 23 };
enum Protocols : std::uint32_t { Th = 11, Ip = 12, Ip6 = 13 };

std::string attribute(std::uint8_t type, const std::string& bytes) {
    CHECK(bytes.size() < 256);
    return std::string{static_cast<char>(type), static_cast<char>(bytes.size())} + bytes;
}

std::string expression(Etype type, const std::string& data) {
    return attribute(0, number_part(type)) + attribute(1, data);
}

std::string numbers(std::initializer_list<std::uint32_t> values) {
    std::string bytes;
    std::uint8_t type = 0;
    for (const std::uint32_t value : values) {
        bytes += attribute(type++, number_part(value));
    }
    return bytes;
}

std::string expression_of(Part part) {
    switch (part) {
        case Part::Number:
            return expression(NumGen, numbers({1, 2, 0}));  // random mod 2 offset 0
        case Part::Ipv4:
            return expression(Payload, numbers({Ip, 12}));  // daddr
        case Part::Ipv6:
            return expression(Payload, numbers({Ip6, 9}));  // daddr
        case Part::Port:
            return expression(Payload, numbers({Th, 2}));  // dport
        case Part::Protocol:
            break;
    }
    return expression(MetaKey, numbers({static_cast<std::uint32_t>(Meta::L4Proto)}));
}

std::string expression_of(const std::vector<Part>& parts) {
    if (parts.size() == 1) {
        return expression_of(parts[0]);
    }
    std::string all;
    std::uint8_t type = 0;
    for (const Part part : parts) {
        all += attribute(type++, expression_of(part));
    }
    return expression(Concat, all);
}

std::string order_of(const std::vector<Part>& parts) {
    return number_part(parts.size() > 1 ? Several : parts[0] == Part::Number ? Machine : Wire);
}

}  // namespace

std::string set_userdata(const MapType& type) {
    std::string bytes =
        attribute(KeyOrder, order_of(type.key)) + attribute(DataOrder, order_of(type.value));
    const bool has_number = std::count(type.key.begin(), type.key.end(), Part::Number) > 0;
    if (has_number) {
        bytes += attribute(KeyTypeof, expression_of(type.key));
    }
    if (has_number) {
        bytes += attribute(DataTypeof, expression_of(type.value));
    }
    return bytes + attribute(DataInterval, number_part(0));
}

}  // namespace runtime::nft
