#include "runtime/nameserver/answer.h"

#include <algorithm>
#include <limits>

namespace runtime::nameserver {

namespace {

constexpr std::uint16_t kSmallestUdp = 512;

// The data of the SOA record: no mailbox, and a minimum TTL of 0, since addresses of pods change.
std::string soa_data(std::size_t zone_offset) {
    std::string data;
    append_u16(data, static_cast<std::uint16_t>(0xC000U | (12 + zone_offset)));  // name of the zone
    data += std::string_view("\x06nobody\x07invalid\0", 16);
    for (const std::uint32_t number : {1U, 3600U, 600U, 86400U, 0U}) {
        append_u32(data, number);  // serial, refresh, retry, expire, minimum
    }
    return data;
}

Record soa(const Question& question) {
    const std::size_t offset = question.name.size() - kZone.size();
    return {.type = dns::kSoa, .data = soa_data(offset), .owner_offset = offset};
}

void append(std::vector<Record>& records, std::uint16_t type,
            const std::vector<std::string>& addresses) {
    for (const std::string& address : addresses) {
        records.push_back({.type = type, .data = address});
    }
}

Reply reply_to(const Question& question, const Records* records) {
    const std::string name = lower_name(question.name);
    if (question.qclass != dns::kInternet || !is_in_zone(name) || question.type == dns::kAxfr ||
        question.type == dns::kIxfr) {
        return {.rcode = Rcode::Refused};
    }
    if (records == nullptr) {
        return {.rcode = Rcode::ServFail};
    }
    Reply reply{.authoritative = true};
    const Addresses* found = records->find(name);
    if (found == nullptr) {
        reply.rcode = Rcode::NxDomain;
    } else {
        const bool any = question.type == dns::kAny;
        if (any || question.type == dns::kA) {
            append(reply.answer, dns::kA, found->ip4);
        }
        if (any || question.type == dns::kAaaa) {
            append(reply.answer, dns::kAaaa, found->ip6);
        }
        if (name == kZone && (any || question.type == dns::kSoa)) {
            reply.answer.push_back(soa(question));
        }
    }
    if (reply.answer.empty()) {
        reply.authority.push_back(soa(question));  // RFC 2308 section 3
    }
    return reply;
}

std::size_t limit_of(Carrier carrier, const Query& query) {
    if (carrier == Carrier::Tcp) {
        return std::numeric_limits<std::uint16_t>::max();
    }
    return query.edns.has_value() ? std::clamp(query.edns->udp_size, kSmallestUdp, dns::kUdpSize)
                                  : kSmallestUdp;
}

}  // namespace

Answer answer(std::string_view packet, Carrier carrier, const Records* records) {
    const auto query = read_query(packet);
    if (!query.has_value()) {
        return {};
    }
    const Reply reply = query->problem != Rcode::NoError ? Reply{.rcode = query->problem}
                                                         : reply_to(*query->question, records);
    Answer said{.packet = write_reply(*query, reply, limit_of(carrier, *query)),
                .rcode = reply.rcode};
    said.truncated = (static_cast<std::uint8_t>(said.packet[2]) & 0x02U) != 0;
    return said;
}

}  // namespace runtime::nameserver
