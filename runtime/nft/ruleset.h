// Tables of nftables as values, at the level of the kernel's expressions: what is wanted, what the
// kernel holds, and the difference between them. Equal values are equal rules. text.h prints them
// as nft does, netlink.cpp exchanges them with the kernel. Addresses and ports are in the order of
// the wire, numbers of the machine in the machine's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace runtime::nft {

// The 16 registers of 4 bytes that expressions share; longer values take as many as they need, from
// this one on.
using Register = std::uint8_t;

// Numbers of linux/netfilter/nf_tables.h, for the kernel's words that we print.
enum class Meta : std::uint32_t { Iifname = 6, Oifname = 7, NfProto = 15, L4Proto = 16 };
enum class Header : std::uint32_t { Network = 1, Transport = 2 };

struct LoadMeta {
    Meta key = {};
    Register to = 0;
    friend bool operator==(const LoadMeta&, const LoadMeta&) = default;
};
struct LoadPayload {
    Header header = {};
    std::uint32_t offset = 0, size = 0;
    Register to = 0;
    friend bool operator==(const LoadPayload&, const LoadPayload&) = default;
};
struct LoadCtStatus {
    Register to = 0;
    friend bool operator==(const LoadCtStatus&, const LoadCtStatus&) = default;
};
// The largest segment that the routes of both directions take.
struct LoadRouteMss {
    Register to = 0;
    friend bool operator==(const LoadRouteMss&, const LoadRouteMss&) = default;
};
// A random number below `below`.
struct LoadRandom {
    std::uint32_t below = 0;
    Register to = 0;
    friend bool operator==(const LoadRandom&, const LoadRandom&) = default;
};
struct Immediate {
    std::string bytes;
    Register to = 0;
    friend bool operator==(const Immediate&, const Immediate&) = default;
};
// Keeps the bits of the mask, in place.
struct And {
    std::string mask;
    Register in = 0;
    friend bool operator==(const And&, const And&) = default;
};
// Of 2 bytes, in place: from the machine's order to the wire's.
struct ToWireOrder {
    Register in = 0;
    friend bool operator==(const ToWireOrder&, const ToWireOrder&) = default;
};
// The rule ends here unless they are equal (or, negated, differ).
struct Compare {
    bool negated = false;
    std::string bytes;
    Register with = 0;
    friend bool operator==(const Compare&, const Compare&) = default;
};
// The rule ends here if the map has no such key.
struct LookUp {
    std::string map;
    Register key = 0, value = 0;
    friend bool operator==(const LookUp&, const LookUp&) = default;
};
struct Nat {
    bool source = false, v6 = false, has_port = false;
    Register address = 0, port = 0;
    friend bool operator==(const Nat&, const Nat&) = default;
};
struct SetTcpMss {
    Register from = 0;
    friend bool operator==(const SetTcpMss&, const SetTcpMss&) = default;
};
// What only others use, as libnftnl spells it.
struct Foreign {
    std::string text;
    friend bool operator==(const Foreign&, const Foreign&) = default;
};

using Expression =
    std::variant<LoadMeta, LoadPayload, LoadCtStatus, LoadRouteMss, LoadRandom, Immediate, And,
                 ToWireOrder, Compare, LookUp, Nat, SetTcpMss, Foreign>;
using Rule = std::vector<Expression>;

// A part of a map's key or value, by its number in nft's datatype.h; each takes a multiple of 4
// bytes.
enum class Part : std::uint32_t { Number = 4, Ipv4 = 7, Ipv6 = 8, Protocol = 12, Port = 13 };

struct Element {
    std::string key, value;  // parts one after the other, each padded with zeros to 4 bytes
    friend bool operator==(const Element&, const Element&) = default;
};

struct MapType {
    std::vector<Part> key = {}, value = {};
    std::uint32_t flags = 0;  // NFT_SET_*, without NFT_SET_MAP; ours have none
    friend bool operator==(const MapType&, const MapType&) = default;
};

struct Map {
    std::string name;
    MapType type = {};
    std::vector<Element> elements = {};  // by key, each key once
    friend bool operator==(const Map&, const Map&) = default;
};

// A base chain; `hook` is a number of linux/netfilter.h. One without a hook has an empty type.
struct Hook {
    std::string type = {};  // nat, filter
    std::uint32_t hook = 0;
    std::int32_t priority = 0;
    bool drops = false;  // policy
    friend bool operator==(const Hook&, const Hook&) = default;
};

struct Chain {
    std::string name;
    Hook hook = {};
    std::vector<Rule> rules = {};
    friend bool operator==(const Chain&, const Chain&) = default;
};

// A table. Maps and chains are sorted by name.
struct Ruleset {
    std::string family = "inet", name = "tailrender";
    std::vector<Map> maps = {};
    std::vector<Chain> chains = {};
    friend bool operator==(const Ruleset&, const Ruleset&) = default;
};

// Bytes of one part, padded. Ports in the order of the wire.
std::string number_part(std::uint32_t number);
std::string port_part(std::uint16_t port);
std::string protocol_part(std::uint8_t protocol);
// Bytes of all parts together.
std::size_t size_of(const std::vector<Part>& parts);
// The kernel's numbers of families, NFPROTO_*; 0 and "" for what has none.
std::uint8_t family_number(std::string_view name);
std::string_view family_name(std::uint32_t number);
// nft's number of a type of several parts, and back.
std::uint32_t type_number(const std::vector<Part>& parts);
std::vector<Part> parts_of(std::uint32_t type_number);

}  // namespace runtime::nft
