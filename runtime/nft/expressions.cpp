#include "runtime/nft/expressions.h"

#include <fmt/format.h>
#include <libnftnl/common.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/nf_tables.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/base/check.h"

namespace runtime::nft {

namespace {

// The kernel numbers registers of 16 bytes from 1, followed by registers of 4 bytes. It prefers the
// former.
std::uint32_t register_number(Register slot) {
    return slot % 4 == 0 ? NFT_REG_1 + slot / 4U : NFT_REG32_00 + slot;
}
Register register_slot(std::uint32_t number) {
    return static_cast<Register>(number >= NFT_REG32_00 ? number - NFT_REG32_00
                                                        : (number - NFT_REG_1) * 4);
}

class RuleEncoder {
public:
    explicit RuleEncoder(nftnl_rule* rule) : rule_(rule) {}

    void operator()(const LoadMeta& load) {
        begin("meta", {{NFTNL_EXPR_META_KEY, static_cast<std::uint32_t>(load.key)},
                       {NFTNL_EXPR_META_DREG, register_number(load.to)}});
    }
    void operator()(const LoadPayload& load) {
        begin("payload", {{NFTNL_EXPR_PAYLOAD_BASE, static_cast<std::uint32_t>(load.header)},
                          {NFTNL_EXPR_PAYLOAD_OFFSET, load.offset},
                          {NFTNL_EXPR_PAYLOAD_LEN, load.size},
                          {NFTNL_EXPR_PAYLOAD_DREG, register_number(load.to)}});
    }
    void operator()(const LoadCtStatus& load) {
        begin("ct",
              {{NFTNL_EXPR_CT_KEY, NFT_CT_STATUS}, {NFTNL_EXPR_CT_DREG, register_number(load.to)}});
    }
    void operator()(const LoadRouteMss& load) {
        begin("rt",
              {{NFTNL_EXPR_RT_KEY, NFT_RT_TCPMSS}, {NFTNL_EXPR_RT_DREG, register_number(load.to)}});
    }
    void operator()(const LoadRandom& load) {
        begin("numgen", {{NFTNL_EXPR_NG_DREG, register_number(load.to)},
                         {NFTNL_EXPR_NG_MODULUS, load.below},
                         {NFTNL_EXPR_NG_TYPE, NFT_NG_RANDOM},
                         {NFTNL_EXPR_NG_OFFSET, 0}});
    }
    void operator()(const Immediate& immediate) {
        set(begin("immediate", {{NFTNL_EXPR_IMM_DREG, register_number(immediate.to)}}),
            NFTNL_EXPR_IMM_DATA, immediate.bytes);
    }
    void operator()(const And& mask) {
        const auto size = static_cast<std::uint32_t>(mask.mask.size());
        auto* expression = begin("bitwise", {{NFTNL_EXPR_BITWISE_SREG, register_number(mask.in)},
                                             {NFTNL_EXPR_BITWISE_DREG, register_number(mask.in)},
                                             {NFTNL_EXPR_BITWISE_OP, NFT_BITWISE_BOOL},
                                             {NFTNL_EXPR_BITWISE_LEN, size}});
        set(expression, NFTNL_EXPR_BITWISE_MASK, mask.mask);
        set(expression, NFTNL_EXPR_BITWISE_XOR, std::string(size, '\0'));
    }
    void operator()(const ToWireOrder& order) {
        begin("byteorder", {{NFTNL_EXPR_BYTEORDER_SREG, register_number(order.in)},
                            {NFTNL_EXPR_BYTEORDER_DREG, register_number(order.in)},
                            {NFTNL_EXPR_BYTEORDER_OP, NFT_BYTEORDER_HTON},
                            {NFTNL_EXPR_BYTEORDER_LEN, 2},
                            {NFTNL_EXPR_BYTEORDER_SIZE, 2}});
    }
    void operator()(const Compare& compare) {
        auto* expression =
            begin("cmp", {{NFTNL_EXPR_CMP_SREG, register_number(compare.with)},
                          {NFTNL_EXPR_CMP_OP, compare.negated ? NFT_CMP_NEQ : NFT_CMP_EQ}});
        set(expression, NFTNL_EXPR_CMP_DATA, compare.bytes);
    }
    void operator()(const LookUp& look_up) {
        auto* expression =
            begin("lookup", {{NFTNL_EXPR_LOOKUP_SREG, register_number(look_up.key)},
                             {NFTNL_EXPR_LOOKUP_DREG, register_number(look_up.value)}});
        nftnl_expr_set_str(expression, NFTNL_EXPR_LOOKUP_SET, look_up.map.c_str());
    }
    void operator()(const Nat& nat) {
        auto* expression =
            begin("nat", {{NFTNL_EXPR_NAT_TYPE, nat.source ? NFT_NAT_SNAT : NFT_NAT_DNAT},
                          {NFTNL_EXPR_NAT_FAMILY, nat.v6 ? NFPROTO_IPV6 : NFPROTO_IPV4},
                          {NFTNL_EXPR_NAT_REG_ADDR_MIN, register_number(nat.address)}});
        if (nat.has_port) {
            nftnl_expr_set_u32(expression, NFTNL_EXPR_NAT_REG_PROTO_MIN, register_number(nat.port));
        }
    }
    void operator()(const SetTcpMss& mss) {
        auto* expression = begin("exthdr", {{NFTNL_EXPR_EXTHDR_SREG, register_number(mss.from)},
                                            {NFTNL_EXPR_EXTHDR_OFFSET, 2},
                                            {NFTNL_EXPR_EXTHDR_LEN, 2},
                                            {NFTNL_EXPR_EXTHDR_OP, NFT_EXTHDR_OP_TCPOPT}});
        nftnl_expr_set_u8(expression, NFTNL_EXPR_EXTHDR_TYPE, 2);  // maximum segment size
    }
    void operator()(const Foreign&) { CHECK(false); }  // only read, never written

private:
    using Numbers = std::initializer_list<std::pair<int, std::uint32_t>>;
    nftnl_expr* begin(const char* name, Numbers numbers) {
        nftnl_expr* expression = nftnl_expr_alloc(name);
        CHECK(expression != nullptr);
        for (const auto& [attribute, number] : numbers) {
            nftnl_expr_set_u32(expression, static_cast<std::uint16_t>(attribute), number);
        }
        nftnl_rule_add_expr(rule_, expression);
        return expression;
    }
    static void set(nftnl_expr* expression, int attribute, const std::string& bytes) {
        nftnl_expr_set(expression, static_cast<std::uint16_t>(attribute), bytes.data(),
                       static_cast<std::uint32_t>(bytes.size()));
    }

    nftnl_rule* rule_;
};

// Decodes one expression from the kernel.
class Decoder {
public:
    explicit Decoder(const nftnl_expr* expression) : expression_(expression) {}

    Expression decode() const {
        const std::string_view name = nftnl_expr_get_str(expression_, NFTNL_EXPR_NAME);
        Expression known = foreign();
        if (name == "meta" && !has(NFTNL_EXPR_META_SREG)) {
            decode_meta(known);
        } else if (name == "payload" && !has(NFTNL_EXPR_PAYLOAD_SREG)) {
            known = LoadPayload{.header = static_cast<Header>(number(NFTNL_EXPR_PAYLOAD_BASE)),
                                .offset = number(NFTNL_EXPR_PAYLOAD_OFFSET),
                                .size = number(NFTNL_EXPR_PAYLOAD_LEN),
                                .to = slot(NFTNL_EXPR_PAYLOAD_DREG)};
        } else if (name == "ct" && number(NFTNL_EXPR_CT_KEY) == NFT_CT_STATUS) {
            known = LoadCtStatus{.to = slot(NFTNL_EXPR_CT_DREG)};
        } else if (name == "rt" && number(NFTNL_EXPR_RT_KEY) == NFT_RT_TCPMSS) {
            known = LoadRouteMss{.to = slot(NFTNL_EXPR_RT_DREG)};
        } else if (name == "numgen" && number(NFTNL_EXPR_NG_TYPE) == NFT_NG_RANDOM &&
                   number(NFTNL_EXPR_NG_OFFSET) == 0) {
            known =
                LoadRandom{.below = number(NFTNL_EXPR_NG_MODULUS), .to = slot(NFTNL_EXPR_NG_DREG)};
        } else if (name == "immediate" && has(NFTNL_EXPR_IMM_DATA)) {
            known = Immediate{.bytes = bytes(NFTNL_EXPR_IMM_DATA), .to = slot(NFTNL_EXPR_IMM_DREG)};
        } else if (name == "bitwise") {
            decode_bitwise(known);
        } else if (name == "byteorder" && number(NFTNL_EXPR_BYTEORDER_OP) == NFT_BYTEORDER_HTON &&
                   number(NFTNL_EXPR_BYTEORDER_SIZE) == 2) {
            known = ToWireOrder{.in = slot(NFTNL_EXPR_BYTEORDER_DREG)};
        } else if (name == "cmp" && number(NFTNL_EXPR_CMP_OP) <= NFT_CMP_NEQ) {
            known = Compare{.negated = number(NFTNL_EXPR_CMP_OP) == NFT_CMP_NEQ,
                            .bytes = bytes(NFTNL_EXPR_CMP_DATA),
                            .with = slot(NFTNL_EXPR_CMP_SREG)};
        } else if (name == "lookup" && has(NFTNL_EXPR_LOOKUP_DREG)) {
            known = LookUp{.map = nftnl_expr_get_str(expression_, NFTNL_EXPR_LOOKUP_SET),
                           .key = slot(NFTNL_EXPR_LOOKUP_SREG),
                           .value = slot(NFTNL_EXPR_LOOKUP_DREG)};
        } else if (name == "nat") {
            decode_nat(known);
        } else if (name == "exthdr" && has(NFTNL_EXPR_EXTHDR_SREG) &&
                   number(NFTNL_EXPR_EXTHDR_OP) == NFT_EXTHDR_OP_TCPOPT &&
                   nftnl_expr_get_u8(expression_, NFTNL_EXPR_EXTHDR_TYPE) == 2) {
            known = SetTcpMss{.from = slot(NFTNL_EXPR_EXTHDR_SREG)};
        }
        return known;
    }

private:
    [[nodiscard]] bool has(int attribute) const {
        return nftnl_expr_is_set(expression_, static_cast<std::uint16_t>(attribute));
    }
    [[nodiscard]] std::uint32_t number(int attribute) const {
        return nftnl_expr_get_u32(expression_, static_cast<std::uint16_t>(attribute));
    }
    [[nodiscard]] Register slot(int attribute) const { return register_slot(number(attribute)); }
    [[nodiscard]] std::string bytes(int attribute) const {
        std::uint32_t size = 0;
        const void* data =
            nftnl_expr_get(expression_, static_cast<std::uint16_t>(attribute), &size);
        return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
    }
    [[nodiscard]] Expression foreign() const {
        char text[512] = "";
        nftnl_expr_snprintf(text, sizeof text, expression_, NFTNL_OUTPUT_DEFAULT, 0);
        std::string words =
            fmt::format("{} {}", nftnl_expr_get_str(expression_, NFTNL_EXPR_NAME), text);
        while (words.ends_with(' ')) {
            words.pop_back();
        }
        return Foreign{words};
    }

    void decode_meta(Expression& known) const {
        for (const Meta key : {Meta::Iifname, Meta::Oifname, Meta::NfProto, Meta::L4Proto}) {
            if (number(NFTNL_EXPR_META_KEY) == static_cast<std::uint32_t>(key)) {
                known = LoadMeta{.key = key, .to = slot(NFTNL_EXPR_META_DREG)};
            }
        }
    }
    void decode_bitwise(Expression& known) const {
        const std::string inverted = bytes(NFTNL_EXPR_BITWISE_XOR);
        const bool is_and =
            !has(NFTNL_EXPR_BITWISE_OP) || number(NFTNL_EXPR_BITWISE_OP) == NFT_BITWISE_BOOL;
        if (is_and && inverted == std::string(inverted.size(), '\0') &&
            number(NFTNL_EXPR_BITWISE_SREG) == number(NFTNL_EXPR_BITWISE_DREG)) {
            known =
                And{.mask = bytes(NFTNL_EXPR_BITWISE_MASK), .in = slot(NFTNL_EXPR_BITWISE_DREG)};
        }
    }
    // The kernel reports the minimum address and port also as the maximum.
    void decode_nat(Expression& known) const {
        constexpr std::uint32_t kOwnFlags = NF_NAT_RANGE_MAP_IPS | NF_NAT_RANGE_PROTO_SPECIFIED;
        const bool has_port = has(NFTNL_EXPR_NAT_REG_PROTO_MIN);
        if (!has(NFTNL_EXPR_NAT_REG_ADDR_MIN) ||
            (has(NFTNL_EXPR_NAT_FLAGS) && (number(NFTNL_EXPR_NAT_FLAGS) & ~kOwnFlags) != 0)) {
            return;
        }
        known = Nat{.source = number(NFTNL_EXPR_NAT_TYPE) == NFT_NAT_SNAT,
                    .v6 = number(NFTNL_EXPR_NAT_FAMILY) == NFPROTO_IPV6,
                    .has_port = has_port,
                    .address = slot(NFTNL_EXPR_NAT_REG_ADDR_MIN),
                    .port = has_port ? slot(NFTNL_EXPR_NAT_REG_PROTO_MIN) : Register{0}};
    }

    const nftnl_expr* expression_;
};

}  // namespace

void add_expressions(const Rule& rule, nftnl_rule& to) {
    for (const Expression& expression : rule) {
        std::visit(RuleEncoder(&to), expression);
    }
}

Rule read_expressions(const nftnl_rule& from) {
    Rule rule;
    const auto take = [](nftnl_expr* expression, void* result) {
        static_cast<Rule*>(result)->push_back(Decoder(expression).decode());
        return 0;
    };
    nftnl_expr_foreach(const_cast<nftnl_rule*>(&from), take, &rule);
    return rule;
}

}  // namespace runtime::nft
