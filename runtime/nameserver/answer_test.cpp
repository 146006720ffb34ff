#include "runtime/nameserver/answer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::nameserver {
namespace {

using namespace std::string_literals;

constexpr std::uint16_t kTxt = 16;

class AnswerTest : public testing::Test {
protected:
    AnswerTest() {
        std::string many;
        for (int i = 1; i <= 100; ++i) {
            many += fmt::format("{}\"10.1.0.{}\"", i == 1 ? "" : ",", i);
        }
        std::vector<std::string> skipped;
        records = std::move(*Records::read(
            R"({"version":"v1alpha1","ip4":{"four.t.ts.net":["10.0.0.1"],"both.t.ts.net":["10.0.0.2"],)"
            R"("many.t.ts.net":[)" +
                many + R"(]},"ip6":{"six.t.ts.net":["fd00::1"],"both.t.ts.net":["fd00::2"]}})",
            skipped));
    }

    static std::string query(std::string_view name, std::uint16_t type,
                             std::optional<std::uint16_t> udp_size = {}, std::uint16_t qclass = 1) {
        std::string packet = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00"s;
        packet.push_back(udp_size.has_value() ? 1 : 0);
        for (std::string_view rest = name; !rest.empty();) {
            const std::string_view label = rest.substr(0, rest.find('.'));
            packet.push_back(static_cast<char>(label.size()));
            packet += label;
            rest.remove_prefix(std::min(rest.size(), label.size() + 1));
        }
        packet.push_back('\0');
        append_u16(packet, type);
        append_u16(packet, qclass);
        if (udp_size.has_value()) {
            packet += "\x00\x00\x29"s;
            append_u16(packet, *udp_size);
            packet += std::string(6, '\0');
        }
        return packet;
    }

    // Returns rcode, flags and numbers of records, such as "rcode 0 aa answers 1 authorities 0".
    static std::string summary(const std::string& packet) {
        const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(packet.at(at)); };
        return fmt::format("rcode {}{}{} answers {} authorities {}", byte(3) & 0xF,
                           (byte(2) & 4) != 0 ? " aa" : "", (byte(2) & 2) != 0 ? " tc" : "",
                           byte(6) << 8 | byte(7), byte(9));
    }
    std::string ask(std::string_view name, std::uint16_t type) {
        return summary(answer(query(name, type), Carrier::Udp, &records).packet);
    }

    Records records;
};

TEST_F(AnswerTest, GivesAddressesOfTheFamilyThatIsAskedFor) {
    EXPECT_EQ(ask("four.t.ts.net", dns::kA), "rcode 0 aa answers 1 authorities 0");
    EXPECT_EQ(ask("six.t.ts.net", dns::kAaaa), "rcode 0 aa answers 1 authorities 0");
    EXPECT_EQ(ask("both.t.ts.net", dns::kA), "rcode 0 aa answers 1 authorities 0");
    EXPECT_EQ(ask("both.t.ts.net", dns::kAny), "rcode 0 aa answers 2 authorities 0");
    const std::string packet =
        answer(query("six.t.ts.net", dns::kAaaa), Carrier::Udp, &records).packet;
    EXPECT_TRUE(packet.ends_with("\xc0\x0c\x00\x1c\x00\x01\x00\x00\x00\x00\x00\x10\xfd"s +
                                 std::string(14, '\0') + "\x01"));
}

TEST_F(AnswerTest, ANameOfOneFamilyIsThereForTheOther) {
    EXPECT_EQ(ask("four.t.ts.net", dns::kAaaa), "rcode 0 aa answers 0 authorities 1");
    EXPECT_EQ(ask("six.t.ts.net", dns::kA), "rcode 0 aa answers 0 authorities 1");
    EXPECT_EQ(ask("four.t.ts.net", kTxt), "rcode 0 aa answers 0 authorities 1");
    EXPECT_EQ(ask("t.ts.net", dns::kA), "rcode 0 aa answers 0 authorities 1");
    EXPECT_EQ(ask("ts.net", dns::kA), "rcode 0 aa answers 0 authorities 1");
}

TEST_F(AnswerTest, OnlyWhatIsNotThereDoesNotExist) {
    for (const std::uint16_t type : {dns::kA, dns::kAaaa, kTxt, dns::kAny}) {
        EXPECT_EQ(ask("none.t.ts.net", type), "rcode 3 aa answers 0 authorities 1");
    }
    EXPECT_EQ(ask("below.four.t.ts.net", dns::kA), "rcode 3 aa answers 0 authorities 1");
}

TEST_F(AnswerTest, NamesHaveNoCaseAndComeBackAsTheyWere) {
    const std::string asked = query("fOuR.T.ts.NET", dns::kA);
    const std::string packet = answer(asked, Carrier::Udp, &records).packet;
    EXPECT_EQ(summary(packet), "rcode 0 aa answers 1 authorities 0");
    EXPECT_EQ(packet.substr(12, asked.size() - 12), asked.substr(12));
}

TEST_F(AnswerTest, RefusesWhatIsNotItsOwn) {
    EXPECT_EQ(ask("example.com", dns::kA), "rcode 5 answers 0 authorities 0");
    EXPECT_EQ(ask("xts.net", dns::kA), "rcode 5 answers 0 authorities 0");
    EXPECT_EQ(ask("net", dns::kA), "rcode 5 answers 0 authorities 0");
    EXPECT_EQ(ask("", dns::kA), "rcode 5 answers 0 authorities 0");
    EXPECT_EQ(ask("ts.net", dns::kAxfr), "rcode 5 answers 0 authorities 0");
    EXPECT_EQ(ask("ts.net", dns::kIxfr), "rcode 5 answers 0 authorities 0");
    EXPECT_EQ(
        summary(answer(query("four.t.ts.net", dns::kA, {}, 3), Carrier::Udp, &records).packet),
        "rcode 5 answers 0 authorities 0");
}

TEST_F(AnswerTest, HasASoa) {
    EXPECT_EQ(ask("ts.net", dns::kSoa), "rcode 0 aa answers 1 authorities 0");
    EXPECT_EQ(ask("t.ts.net", dns::kSoa), "rcode 0 aa answers 0 authorities 1");
    const std::string asked = query("none.t.ts.net", dns::kA);
    const std::string packet = answer(asked, Carrier::Udp, &records).packet;
    // The owner and the first name point to `ts.net` in the question.
    EXPECT_EQ(packet.substr(asked.size()),
              "\xc0\x13\x00\x06\x00\x01\x00\x00\x00\x00\x00\x26\xc0\x13\x06nobody\x07invalid\x00"
              "\x00\x00\x00\x01\x00\x00\x0e\x10\x00\x00\x02\x58\x00\x01\x51\x80\x00\x00\x00\x00"s);
}

TEST_F(AnswerTest, FitsIntoWhatTheClientTakes) {
    const auto ask_many = [&](std::optional<std::uint16_t> udp_size, Carrier carrier) {
        return answer(query("many.t.ts.net", dns::kA, udp_size), carrier, &records);
    };
    EXPECT_EQ(summary(ask_many({}, Carrier::Udp).packet), "rcode 0 aa tc answers 0 authorities 0");
    EXPECT_TRUE(ask_many({}, Carrier::Udp).truncated);
    // 100 addresses take 1600 bytes, more than any datagram of ours.
    EXPECT_TRUE(ask_many(4096, Carrier::Udp).truncated);
    EXPECT_EQ(summary(ask_many({}, Carrier::Tcp).packet), "rcode 0 aa answers 100 authorities 0");
    EXPECT_FALSE(ask_many({}, Carrier::Tcp).truncated);
    // A size below 512 counts as 512.
    const Answer small = answer(query("four.t.ts.net", dns::kA, 1), Carrier::Udp, &records);
    EXPECT_EQ(summary(small.packet), "rcode 0 aa answers 1 authorities 0");
}

TEST_F(AnswerTest, WithoutRecordsItCannotSay) {
    EXPECT_EQ(summary(answer(query("four.t.ts.net", dns::kA), Carrier::Udp, nullptr).packet),
              "rcode 2 answers 0 authorities 0");
    EXPECT_EQ(summary(answer(query("example.com", dns::kA), Carrier::Udp, nullptr).packet),
              "rcode 5 answers 0 authorities 0");
}

TEST_F(AnswerTest, AnswersMistakesWithTheirCode) {
    EXPECT_EQ(answer("", Carrier::Udp, &records).packet, "");
    std::string broken = query("four.t.ts.net", dns::kA);
    broken.pop_back();
    EXPECT_EQ(answer(broken, Carrier::Udp, &records).packet,
              "\x12\x34\x81\x01\x00\x00\x00\x00\x00\x00\x00\x00"s);
    std::string notify = query("four.t.ts.net", dns::kA);
    notify[2] = 4 << 3;
    EXPECT_EQ(answer(notify, Carrier::Udp, &records).packet,
              "\x12\x34\xa0\x04\x00\x01\x00\x00\x00\x00\x00\x00"s + notify.substr(12));
}

}  // namespace
}  // namespace runtime::nameserver
