#include "runtime/nameserver/message.h"

#include <gtest/gtest.h>

namespace runtime::nameserver {
namespace {

using namespace std::string_literals;

const std::string kHeader = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"s;
const std::string kQuestion =
    "\x02"s
    "Db\x02ts\x03net\x00\x00\x01\x00\x01"s;
const std::string kOpt = "\x00\x00\x29\x10\x00\x00\x00\x80\x00\x00\x00"s;

std::string with_counts(std::string packet, char answers, char additionals) {
    packet[7] = answers;
    packet[11] = additionals;
    return packet;
}

Rcode problem_of(const std::string& packet) {
    const auto query = read_query(packet);
    return query.has_value() ? query->problem : Rcode::Refused;
}

TEST(Message, ReadsAQuestion) {
    const auto query = read_query(kHeader + kQuestion);
    ASSERT_TRUE(query.has_value() && query->question.has_value());
    EXPECT_EQ(query->id, 0x1234);
    EXPECT_TRUE(query->recursion_desired);
    EXPECT_EQ(query->question->name,
              "\x02"s
              "Db\x02ts\x03net\x00"s);
    EXPECT_EQ(query->question->type, dns::kA);
    EXPECT_EQ(query->question->qclass, dns::kInternet);
    EXPECT_FALSE(query->edns.has_value());
    EXPECT_EQ(query->problem, Rcode::NoError);
}

TEST(Message, ReadsEdns) {
    const auto query = read_query(with_counts(kHeader, 0, 1) + kQuestion + kOpt);
    ASSERT_TRUE(query.has_value() && query->edns.has_value());
    EXPECT_EQ(query->edns->udp_size, 4096);
    EXPECT_TRUE(query->edns->dnssec_ok);
    EXPECT_EQ(query->problem, Rcode::NoError);
}

TEST(Message, SaysNothingToRepliesAndScraps) {
    std::string reply = kHeader + kQuestion;
    reply[2] = '\x81';
    EXPECT_FALSE(read_query(reply).has_value());
    EXPECT_FALSE(read_query("").has_value());
    EXPECT_FALSE(read_query(kHeader.substr(0, 11)).has_value());
}

TEST(Message, KnowsQueriesOnly) {
    std::string update = kHeader + kQuestion;
    update[2] = 5 << 3;
    EXPECT_EQ(problem_of(update), Rcode::NotImp);
    EXPECT_EQ(write_reply(*read_query(update), {.rcode = Rcode::NotImp}, 512),
              "\x12\x34\xa8\x04\x00\x01\x00\x00\x00\x00\x00\x00"s + kQuestion);
}

TEST(Message, RefusesOtherVersionsOfEdns) {
    std::string opt = kOpt;
    opt[6] = 1;
    const auto query = read_query(with_counts(kHeader, 0, 1) + kQuestion + opt);
    ASSERT_TRUE(query.has_value());
    EXPECT_EQ(query->problem, Rcode::BadVers);
    const std::string reply = write_reply(*query, {.rcode = Rcode::BadVers}, 512);
    EXPECT_EQ(reply.substr(reply.size() - 11), "\x00\x00\x29\x04\xd0\x01\x00\x80\x00\x00\x00"s);
    EXPECT_EQ(reply[3] & 0xF, 0);
}

TEST(Message, FindsEveryMistake) {
    const std::string good = kHeader + kQuestion;
    for (std::size_t size = 12; size < good.size(); ++size) {
        EXPECT_EQ(problem_of(good.substr(0, size)), Rcode::FormErr) << size;
    }
    std::string two = good + kQuestion;
    two[5] = 2;
    std::string none = kHeader;
    none[5] = 0;
    const std::string asks_opt = kHeader + "\x00\x00\x29\x00\x01"s;
    const std::string opt_of_a_name = "\x01x\x00\x00\x29\x10\x00\x00\x00\x00\x00\x00\x00"s;
    const std::string short_opt = "\x00\x00\x29\x10\x00\x00\x00\x00\x00\x00\x04\x00"s;
    const std::pair<std::string, std::string> cases[] = {
        {"bytes behind the end", good + "x"},
        {"two questions", two},
        {"no question", none},
        {"a question for OPT", asks_opt},
        {"a pointer in the question", kHeader + "\xc0\x0c\x00\x01\x00\x01"s},
        {"a label of 64 bytes", kHeader + "\x40" + std::string(64, 'a') + "\x00\x00\x01\x00\x01"s},
        {"two OPT", with_counts(kHeader, 0, 2) + kQuestion + kOpt + kOpt},
        {"OPT as an answer", with_counts(kHeader, 1, 0) + kQuestion + kOpt},
        {"OPT of a name", with_counts(kHeader, 0, 1) + kQuestion + opt_of_a_name},
        {"OPT cut off", with_counts(kHeader, 0, 1) + kQuestion + short_opt},
        {"OPT missing", with_counts(kHeader, 0, 1) + kQuestion},
    };
    for (const auto& [what, packet] : cases) {
        EXPECT_EQ(problem_of(packet), Rcode::FormErr) << what;
    }
}

TEST(Message, RepeatsWhatItCouldReadBeforeAMistake) {
    const std::string asked = with_counts(kHeader, 0, 1) + kQuestion + kOpt;
    const std::string opt = "\x00\x00\x29\x04\xd0\x00\x00\x80\x00\x00\x00"s;
    const auto reply_to = [](const std::string& packet) {
        const auto query = read_query(packet);
        return write_reply(*query, {.rcode = query->problem}, 512);
    };
    EXPECT_EQ(reply_to(asked + "x"),
              "\x12\x34\x81\x01\x00\x01\x00\x00\x00\x00\x00\x01"s + kQuestion + opt);
    EXPECT_EQ(reply_to(asked.substr(0, asked.size() - 1)),
              "\x12\x34\x81\x01\x00\x01\x00\x00\x00\x00\x00\x00"s + kQuestion);
    std::string notify = asked;
    notify[2] = 4 << 3;
    EXPECT_EQ(reply_to(notify),
              "\x12\x34\xa0\x04\x00\x01\x00\x00\x00\x00\x00\x01"s + kQuestion + opt);
}

TEST(Message, LimitsNamesTo255Bytes) {
    std::string name;
    for (int i = 0; i < 4; ++i) {
        name += "\x3e" + std::string(62, 'a');
    }
    const std::string rest = "\x00\x00\x01\x00\x01"s;
    EXPECT_EQ(problem_of(kHeader + name + "\x01z" + rest), Rcode::NoError);  // 4 * 63 + 2 + 1
    EXPECT_EQ(problem_of(kHeader + name + "\x02zz" + rest), Rcode::FormErr);
}

TEST(Message, PassesOverOtherRecords) {
    const std::string record = "\xc0\x0c\x00\x10\x00\x01\x00\x00\x00\x00\x00\x02\x01x"s;
    const auto query = read_query(with_counts(kHeader, 1, 2) + kQuestion + record + record + kOpt);
    ASSERT_TRUE(query.has_value());
    EXPECT_EQ(query->problem, Rcode::NoError);
    EXPECT_TRUE(query->edns.has_value());
}

TEST(Message, WritesAReply) {
    const auto query = read_query(kHeader + kQuestion);
    const Reply reply{.authoritative = true,
                      .answer = {{.type = dns::kA, .data = "\x0a\x00\x00\x01"s}}};
    EXPECT_EQ(write_reply(*query, reply, 512),
              "\x12\x34\x85\x00\x00\x01\x00\x01\x00\x00\x00\x00"s + kQuestion +
                  "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04\x0a\x00\x00\x01"s);
}

TEST(Message, SaysWhatDoesNotFit) {
    const auto query = read_query(with_counts(kHeader, 0, 1) + kQuestion + kOpt);
    Reply reply{.authoritative = true};
    reply.answer.resize(40, {.type = dns::kA, .data = "\x0a\x00\x00\x01"s});
    const std::string whole = write_reply(*query, reply, 65535);
    EXPECT_EQ(whole.size(), 12 + kQuestion.size() + std::size_t{40} * 16 + 11);
    EXPECT_EQ(write_reply(*query, reply, whole.size()), whole);
    const std::string cut = write_reply(*query, reply, whole.size() - 1);
    EXPECT_EQ(cut, "\x12\x34\x87\x00\x00\x01\x00\x00\x00\x00\x00\x01"s + kQuestion +
                       "\x00\x00\x29\x04\xd0\x00\x00\x80\x00\x00\x00"s);
}

TEST(Message, MakesNamesOfText) {
    EXPECT_EQ(wire_name("Db_1.ts.net."),
              "\x04"s
              "db_1\x02ts\x03net\x00"s);
    EXPECT_EQ(wire_name("a"),
              "\x01"
              "a\x00"s);
    const std::string label(63, 'a');
    const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'a');
    EXPECT_TRUE(wire_name(longest).has_value());
    for (const std::string& bad : {""s, "."s, "a..b"s, ".a"s, "-a.b"s, "a-"s, "a b"s, "ä"s, "*.a"s,
                                   label + "a", longest + "a"}) {
        EXPECT_FALSE(wire_name(bad).has_value()) << bad;
    }
}

}  // namespace
}  // namespace runtime::nameserver
