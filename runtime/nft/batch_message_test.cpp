// The bytes that are sent to the kernel, once for each kind of expression and of message.
#include "runtime/nft/batch_message.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>

#include <cstring>

#include "runtime/nft/desired.h"
#include "runtime/nft/rule_text.h"

namespace runtime::nft {
namespace {

std::string hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

// Returns the body of the NEWRULE message of a batch that adds the rule, after the names of table
// and chain.
std::string sent(const Rule& rule) {
    const Batch batch{
        .family = "inet", .table = "t", .rewritten_chains = {{.name = "c", .rules = {rule}}}};
    const std::string bytes = encode(batch, 0).bytes;
    for (std::size_t place = 0; place < bytes.size();) {
        nlmsghdr header{};
        std::memcpy(&header, &bytes[place], sizeof header);
        if (header.nlmsg_type == (10 << 8 | NFT_MSG_NEWRULE)) {
            constexpr std::size_t kNames = sizeof(nlmsghdr) + 4 + 8 + 8;
            return hex(std::string_view(bytes).substr(place + kNames, header.nlmsg_len - kNames));
        }
        place += header.nlmsg_len;
    }
    return {};
}

TEST(BatchMessage, SpellsExpressions) {
    struct Case {
        const char* name;
        Expression expression;
        std::string_view want;
    };
    const Case cases[] = {
        {"meta", LoadMeta{.key = Meta::Iifname, .to = 4},
         "2800048024000180090001006d6574610000000014000280080002000000000608000100"
         "00000002"},
        {"payload", LoadPayload{.header = Header::Transport, .offset = 2, .size = 2, .to = 1},
         "38000480340001800c0001007061796c6f61640024000280080001000000000908000200"
         "0000000208000300000000020800040000000002"},
        {"ct status", LoadCtStatus{},
         "240004802000018007000100637400001400028008000200000000020800010000000001"},
        {"rt mss", LoadRouteMss{},
         "240004802000018007000100727400001400028008000200000000030800010000000001"},
        {"numgen", LoadRandom{.below = 3, .to = 2},
         "38000480340001800b0001006e756d67656e000024000280080001000000000a08000200"
         "0000000308000300000000010800040000000000"},
        {"immediate", Immediate{.bytes = "\x64\x40\x01\x02"},
         "300004802c0001800e000100696d6d656469617465000000180002800800010000000001"
         "0c0002800800010064400102"},
        {"bitwise", And{.mask = "\x02"},
         "500004804c0001800c00010062697477697365003c000280080001000000000108000200"
         "00000001080006000000000008000300000000010c00048005000100020000000c000580"
         "0500010000000000"},
        {"byteorder", ToWireOrder{},
         "44000480400001800e000100627974656f726465720000002c0002800800010000000001"
         "0800020000000001080003000000000108000400000000020800050000000002"},
        {"cmp", Compare{.negated = true, .bytes = "abcd"},
         "300004802c00018008000100636d70002000028008000100000000010800020000000001"
         "0c0003800800010061626364"},
        {"lookup", LookUp{.map = "m", .value = 4},
         "300004802c0001800b0001006c6f6f6b757000001c000280080002000000000108000300"
         "00000002060001006d000000"},
        {"nat", Nat{.source = true, .v6 = true, .has_port = true, .port = 4},
         "3400048030000180080001006e617400240002800800010000000000080002000000000a"
         "08000300000000010800050000000002"},
        {"exthdr", SetTcpMss{},
         "400004803c0001800b00010065787468647200002c000280080007000000000105000200"
         "02000000080003000000000208000400000000020800060000000001"},
    };
    for (const Case& row : cases) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(sent({row.expression}), row.want);
    }
}

TEST(BatchMessage, NamesItsSteps) {
    const Batch batch{.family = "inet",
                      .table = "tailrender",
                      .delete_table = true,
                      .add_table = true,
                      .added_maps = {{.name = "a",
                                      .type = {.key = {Part::Ipv4}, .value = {Part::Ipv4}},
                                      .elements = {{.key = "abcd", .value = "efgh"}}}},
                      .added_chains = {{.name = "forward", .hook = {.type = "filter"}}},
                      .rewritten_chains = {{.name = "prerouting", .rules = {{LoadCtStatus{}}}}},
                      .removed_maps = {"b"},
                      .changed_maps = {{.map = "c",
                                        .removed = {{.key = "abcd", .value = "efgh"}},
                                        .added = {{.key = "abcd", .value = "ijkl"}}}}};
    EXPECT_EQ(fmt::format("{}", fmt::join(encode(batch, 7).steps, "\n")),
              "delete table inet tailrender\n"
              "add table inet tailrender\n"
              "add map a\n"
              "add chain forward\n"
              "flush chain prerouting\n"
              "add rule prerouting \n"
              "delete map b\n"
              "delete from map c\n"
              "add to map c\n"
              "add to map a");
}

// Checks the first message, which has the generation, and the last but one, which requests the
// acknowledgement.
TEST(BatchMessage, FramesATransaction) {
    const std::string bytes =
        encode({.family = "inet", .table = "t", .add_table = true}, 0x01020304).bytes;
    EXPECT_EQ(hex(bytes),
              "1c0000001000010000000000000000000000000a080001000102030"
              "41c000000000a05040100000000000000010000000600010074000304140000001100010"
              "002000000000000000000000a");
}

}  // namespace
}  // namespace runtime::nft
