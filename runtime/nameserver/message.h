// DNS messages as an authoritative server of one small zone meets them: queries are read, replies
// to them are written. Nothing of a query is trusted; of records other than EDNS' OPT only the
// extent is looked at. Sources: RFC 1035 section 4, 6891 (EDNS), 9619 (one question), 3225 (DO).
//
// Why no library: libldns, the one that Debian has under a fitting licence, loses memory for every
// query with several TSIG records (1.8.3: 2.5 KB each), which anyone may send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runtime {

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
// What passes every network unfragmented (DNS flag day 2020).
inline constexpr std::uint16_t kUdpSize = 1232;
}  // namespace dns

struct Question {
    std::string name;  // as it came: uncompressed, in the case that the client chose
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
    std::optional<Question> question = {};  // if it could be read; there when `problem` is NoError
    std::optional<Edns> edns = {};
    Rcode problem = Rcode::NoError;  // other than NoError: all that can be answered
};

// No value: too short to be answered, or itself a reply, to which no one replies.
std::optional<Query> read_query(std::string_view packet);

// A record of a reply. Its owner is the question's name, or what is left of it without the first
// `owner_offset` bytes.
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

// What does not fit into `limit` bytes goes without records and says so (TC).
std::string write_reply(const Query& query, const Reply& reply, std::size_t limit);

// "db.ts.net" or "db.ts.net." as labels, in lower case; no value if it is no hostname (RFC 1123;
// `_` is allowed as well).
std::optional<std::string> wire_name(std::string_view text);
// Letters A to Z of a name in wire form in lower case.
std::string lower_name(std::string_view name);
// Without its first label; the root stays as it is.
std::string_view parent_name(std::string_view name);

// Number as two or four bytes, most significant first.
void append_u16(std::string& out, std::uint16_t number);
void append_u32(std::string& out, std::uint32_t number);

}  // namespace runtime
