// Fuzz target: the reply to any packet is a message that our own parser reads, has the id and
// question of the query, and is no longer than its protocol allows.
#include <cstdint>

#include "renderer/base/check.h"
#include "runtime/nameserver/answer.h"

namespace {

using namespace runtime::nameserver;

Records records_to_ask_for() {
    std::vector<std::string> skipped;
    return std::move(*Records::read(
        R"({"version":"v1alpha1","ip4":{"a.t.ts.net":["10.0.0.1"]},"ip6":{"a.t.ts.net":["fd00::1"]}})",
        skipped));
}

void check_reply(std::string_view packet, Carrier carrier, const Records& records) {
    const auto asked = read_query(packet);
    Answer said = answer(packet, carrier, &records);
    CHECK(asked.has_value() != said.packet.empty());
    if (said.packet.empty()) {
        return;
    }
    CHECK(said.packet.size() <= (carrier == Carrier::Tcp ? 65535U : std::size_t{dns::kUdpSize}));
    CHECK((said.packet[2] & 0x80) != 0 && !said.truncated);
    if (!asked->question.has_value()) {
        CHECK(said.packet.size() == 12 && said.packet.substr(0, 2) == packet.substr(0, 2));
        return;
    }
    said.packet[2] = static_cast<char>(said.packet[2] & 0x7F);
    const auto reply = read_query(said.packet);
    CHECK(reply.has_value() && reply->id == asked->id);
    CHECK(reply->problem == (asked->opcode == 0 ? Rcode::NoError : Rcode::NotImp));
    CHECK(reply->question->name == asked->question->name);
    CHECK(reply->question->type == asked->question->type);
    CHECK(reply->question->qclass == asked->question->qclass);
    CHECK(reply->edns.has_value() == asked->edns.has_value());
}

}  // namespace

extern "C" int fuzz_dns_answer(const std::uint8_t* data, std::size_t size) {
    static const Records records = records_to_ask_for();
    const std::string_view packet(reinterpret_cast<const char*>(data), size);
    check_reply(packet, Carrier::Udp, records);
    check_reply(packet, Carrier::Tcp, records);
    return 0;
}
