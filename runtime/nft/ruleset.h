// Tables of nftables as values, at the level of the kernel's expressions. They describe the wanted
// rules, the rules in the kernel, and the difference between them. Equal values are equal rules.
// text.h prints them as nft does, and netlink.cpp exchanges them with the kernel. Addresses and
// ports are in network byte order, other numbers in host byte order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace runtime::nft {

// One of the 16 registers of 4 bytes that expressions share. A longer value takes as many registers
// as it needs, from this one on.
using Register = std::uint8_t;

// Numbers of linux/netfilter/nf_tables.h, for the keywords that we print.
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
// Loads the largest segment that the routes of both directions allow.
struct LoadRouteMss {
    Register to = 0;
    friend bool operator==(const LoadRouteMss&, const LoadRouteMss&) = default;
};
// Loads a random number from 0 to `below` - 1.
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
// Converts 2 bytes from host to network byte order, in place.
struct ToWireOrder {
    Register in = 0;
    friend bool operator==(const ToWireOrder&, const ToWireOrder&) = default;
};
// Ends the rule unless the register equals `bytes` or, if negated, differs from them.
struct Compare {
    bool negated = false;
    std::string bytes;
    Register with = 0;
    friend bool operator==(const Compare&, const Compare&) = default;
};
// Ends the rule if the map does not have the key.
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
// An expression that only other programs use, as libnftnl prints it.
struct Foreign {
    std::string text;
    friend bool operator==(const Foreign&, const Foreign&) = default;
};

using Expression =
    std::variant<LoadMeta, LoadPayload, LoadCtStatus, LoadRouteMss, LoadRandom, Immediate, And,
                 ToWireOrder, Compare, LookUp, Nat, SetTcpMss, Foreign>;
using Rule = std::vector<Expression>;

// A part of a map's key or value: its type number in nft's datatype.h. Each part takes a multiple
// of 4 bytes.
enum class Part : std::uint32_t { Number = 4, Ipv4 = 7, Ipv6 = 8, Protocol = 12, Port = 13 };

struct Element {
    std::string key, value;  // parts in sequence, each padded with zeros to 4 bytes
    friend bool operator==(const Element&, const Element&) = default;
};

struct MapType {
    std::vector<Part> key = {}, value = {};
    std::uint32_t flags = 0;  // NFT_SET_*, without NFT_SET_MAP; our maps have none
    friend bool operator==(const MapType&, const MapType&) = default;
};

struct Map {
    std::string name;
    MapType type = {};
    std::vector<Element> elements = {};  // sorted by unique key
    friend bool operator==(const Map&, const Map&) = default;
};

// The hook of a base chain; `hook` is a number of linux/netfilter.h. The type is empty for a chain
// without a hook.
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

// A table. Its maps and chains are sorted by name.
struct Ruleset {
    std::string family = "inet", name = "tailrender";
    std::vector<Map> maps = {};
    std::vector<Chain> chains = {};
    friend bool operator==(const Ruleset&, const Ruleset&) = default;
};

// Returns the padded bytes of one part. Ports are in network byte order.
std::string number_part(std::uint32_t number);
std::string port_part(std::uint16_t port);
std::string protocol_part(std::uint8_t protocol);
// Returns the size of all parts together, in bytes.
std::size_t size_of(const std::vector<Part>& parts);
// The kernel's number of an address family, NFPROTO_*, and its name. 0 and "" if it is unknown.
std::uint8_t family_number(std::string_view name);
std::string_view family_name(std::uint32_t number);
// nft's number of a type that consists of several parts, and back.
std::uint32_t type_number(const std::vector<Part>& parts);
std::vector<Part> parts_of(std::uint32_t type_number);

}  // namespace runtime::nft
