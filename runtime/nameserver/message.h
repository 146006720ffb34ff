// DNS messages for the authoritative server of one small zone: parses queries and writes replies.
// Nothing in a query is trusted. Of records other than EDNS' OPT only the length is read. Sources:
// RFC 1035 section 4, 6891 (EDNS), 9619 (one question), 3225 (DO).
//
// It does not use a library: libldns, the only one in Debian with a suitable license, leaks memory
// for every query with several TSIG records (1.8.3: 2.5 KB each), which anyone may send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runtime::nameserver {

enum class Rcode : std::uint16_t {
    NoError = 0,
    FormErr = 1,
    ServFail = 2,
    NxDomain = 3,
    NotImp = 4,
    Refused = 5,
    BadVers = 16,
};

namespace dns {
inline constexpr std::uint16_t kA = 1;
inline constexpr std::uint16_t kSoa = 6;
inline constexpr std::uint16_t kAaaa = 28;
inline constexpr std::uint16_t kOpt = 41;
inline constexpr std::uint16_t kIxfr = 251;
inline constexpr std::uint16_t kAxfr = 252;
inline constexpr std::uint16_t kAny = 255;
inline constexpr std::uint16_t kInternet = 1;  // class
// The size of a datagram that passes every network unfragmented (DNS flag day 2020).
inline constexpr std::uint16_t kUdpSize = 1232;
}  // namespace dns

struct Question {
    std::string name;  // as received: uncompressed, in the client's case
    std::uint16_t type = 0, qclass = 0;
};

struct Edns {
    std::uint16_t udp_size = 0;
    std::uint8_t version = 0;
    bool dnssec_ok = false;
};

struct Query {
    std::uint16_t id = 0;
    std::uint8_t opcode = 0;
    bool recursion_desired = false;
    std::optional<Question> question = {};  // if it could be parsed; set if `problem` is NoError
    std::optional<Edns> edns = {};
    Rcode problem = Rcode::NoError;  // if not NoError, reply with it
};

// No value if the packet is too short to be answered, or is itself a reply.
std::optional<Query> read_query(std::string_view packet);

// A record of a reply. Its owner is the question's name without the first `owner_offset` bytes.
struct Record {
    std::uint16_t type = 0;
    std::string data;
    std::size_t owner_offset = 0;
};

struct Reply {
    Rcode rcode = Rcode::NoError;
    bool authoritative = false;
    std::vector<Record> answer = {}, authority = {};  // class IN, TTL 0
};

// Returns the reply. If it does not fit into `limit` bytes, it has no records and the TC flag.
std::string write_reply(const Query& query, const Reply& reply, std::size_t limit);

// Returns "db.ts.net" or "db.ts.net." in wire form and lower case. No value if it is not a hostname
// (RFC 1123; `_` is also allowed).
std::optional<std::string> wire_name(std::string_view text);
// Returns a name in wire form with the letters A to Z in lower case.
std::string lower_name(std::string_view name);
// Returns the name without its first label. The root stays as it is.
std::string_view parent_name(std::string_view name);

// Append a number in network byte order.
void append_u16(std::string& out, std::uint16_t number);
void append_u32(std::string& out, std::uint32_t number);

}  // namespace runtime::nameserver
