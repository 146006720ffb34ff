#include "runtime/nft/table_reader.h"

#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/gen.h>
#include <libnftnl/rule.h>
#include <libnftnl/set.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/nft/expressions.h"
#include "runtime/nft/free.h"

namespace runtime::nft {

namespace {

using TablePointer = std::unique_ptr<nftnl_table, Free<nftnl_table_free>>;
using ChainPointer = std::unique_ptr<nftnl_chain, Free<nftnl_chain_free>>;
using RulePointer = std::unique_ptr<nftnl_rule, Free<nftnl_rule_free>>;
using SetPointer = std::unique_ptr<nftnl_set, Free<nftnl_set_free>>;
using GenerationPointer = std::unique_ptr<nftnl_gen, Free<nftnl_gen_free>>;

using Fill = std::function<void(nlmsghdr*)>;

int request(NetlinkSocket& socket, int type, int family, int flags, const Fill& payload,
            const std::function<void(const nlmsghdr&)>& each) {
    std::array<char, 1024> buffer;  // names have at most 256 bytes
    nlmsghdr* message = nftnl_nlmsg_build_hdr(buffer.data(), static_cast<std::uint16_t>(type),
                                              static_cast<std::uint16_t>(family),
                                              static_cast<std::uint16_t>(flags), 1);
    if (payload) {
        payload(message);
    }
    return socket.request({buffer.data(), message->nlmsg_len}, each);
}

Map map_of(const nftnl_set& set) {
    const std::uint32_t flags = nftnl_set_get_u32(&set, NFTNL_SET_FLAGS);
    // A set without values never equals one of our maps, whatever its flags.
    return {.name = nftnl_set_get_str(&set, NFTNL_SET_NAME),
            .type = {.key = parts_of(nftnl_set_get_u32(&set, NFTNL_SET_KEY_TYPE)),
                     .value = parts_of(nftnl_set_get_u32(&set, NFTNL_SET_DATA_TYPE)),
                     .flags = flags & ~std::uint32_t{NFT_SET_MAP}}};
}

int add_element(nftnl_set_elem* element, void* elements) {
    const auto bytes = [&](std::uint16_t attribute) {
        std::uint32_t size = 0;
        const void* data = nftnl_set_elem_get(element, attribute, &size);
        return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
    };
    static_cast<std::vector<Element>*>(elements)->push_back(
        {.key = bytes(NFTNL_SET_ELEM_KEY), .value = bytes(NFTNL_SET_ELEM_DATA)});
    return 0;
}

Chain chain_of(const nftnl_chain& from) {
    Chain chain{.name = nftnl_chain_get_str(&from, NFTNL_CHAIN_NAME)};
    if (nftnl_chain_is_set(&from, NFTNL_CHAIN_HOOKNUM)) {
        chain.hook = {.type = nftnl_chain_get_str(&from, NFTNL_CHAIN_TYPE),
                      .hook = nftnl_chain_get_u32(&from, NFTNL_CHAIN_HOOKNUM),
                      .priority = nftnl_chain_get_s32(&from, NFTNL_CHAIN_PRIO),
                      .drops = nftnl_chain_get_u32(&from, NFTNL_CHAIN_POLICY) == NF_DROP};
    }
    return chain;
}

int read_maps(NetlinkSocket& socket, Ruleset& table) {
    const SetPointer filter(nftnl_set_alloc());
    nftnl_set_set_str(filter.get(), NFTNL_SET_TABLE, table.name.c_str());
    const int code = request(
        socket, NFT_MSG_GETSET, family_number(table.family), NLM_F_DUMP,
        [&](nlmsghdr* message) { nftnl_set_nlmsg_build_payload(message, filter.get()); },
        [&](const nlmsghdr& message) {
            const SetPointer set(nftnl_set_alloc());
            if (nftnl_set_nlmsg_parse(&message, set.get()) == 0) {
                table.maps.push_back(map_of(*set));
            }
        });
    std::sort(table.maps.begin(), table.maps.end(),
              [](const Map& a, const Map& b) { return a.name < b.name; });
    return code;
}

int read_elements(NetlinkSocket& socket, const Ruleset& table, Map& map) {
    const SetPointer filter(nftnl_set_alloc());
    nftnl_set_set_str(filter.get(), NFTNL_SET_TABLE, table.name.c_str());
    nftnl_set_set_str(filter.get(), NFTNL_SET_NAME, map.name.c_str());
    const int code = request(
        socket, NFT_MSG_GETSETELEM, family_number(table.family), NLM_F_DUMP,
        [&](nlmsghdr* message) { nftnl_set_elems_nlmsg_build_payload(message, filter.get()); },
        [&](const nlmsghdr& message) {
            const SetPointer set(nftnl_set_alloc());  // per message, to keep few elements in memory
            if (nftnl_set_elems_nlmsg_parse(&message, set.get()) == 0) {
                nftnl_set_elem_foreach(set.get(), add_element, &map.elements);
            }
        });
    std::sort(map.elements.begin(), map.elements.end(),
              [](const Element& a, const Element& b) { return a.key < b.key; });
    return code;
}

int read_chains(NetlinkSocket& socket, Ruleset& table) {
    const int code =
        request(socket, NFT_MSG_GETCHAIN, family_number(table.family), NLM_F_DUMP, {},
                [&](const nlmsghdr& message) {
                    const ChainPointer chain(nftnl_chain_alloc());
                    if (nftnl_chain_nlmsg_parse(&message, chain.get()) == 0 &&
                        nftnl_chain_get_str(chain.get(), NFTNL_CHAIN_TABLE) == table.name) {
                        table.chains.push_back(chain_of(*chain));
                    }
                });
    std::sort(table.chains.begin(), table.chains.end(),
              [](const Chain& a, const Chain& b) { return a.name < b.name; });
    return code;
}

int read_rules(NetlinkSocket& socket, Ruleset& table) {
    const RulePointer filter(nftnl_rule_alloc());
    nftnl_rule_set_str(filter.get(), NFTNL_RULE_TABLE, table.name.c_str());
    return request(
        socket, NFT_MSG_GETRULE, family_number(table.family), NLM_F_DUMP,
        [&](nlmsghdr* message) { nftnl_rule_nlmsg_build_payload(message, filter.get()); },
        [&](const nlmsghdr& message) {
            const RulePointer rule(nftnl_rule_alloc());
            if (nftnl_rule_nlmsg_parse(&message, rule.get()) != 0) {
                return;
            }
            const std::string_view name = nftnl_rule_get_str(rule.get(), NFTNL_RULE_CHAIN);
            for (Chain& chain : table.chains) {
                if (chain.name == name) {
                    chain.rules.push_back(read_expressions(*rule));
                }
            }
        });
}

}  // namespace

int read_generation(NetlinkSocket& socket, std::uint32_t& number) {
    return request(socket, NFT_MSG_GETGEN, NFPROTO_UNSPEC, NLM_F_ACK, {},
                   [&](const nlmsghdr& message) {
                       const GenerationPointer generation(nftnl_gen_alloc());
                       if (nftnl_gen_nlmsg_parse(&message, generation.get()) == 0) {
                           number = nftnl_gen_get_u32(generation.get(), NFTNL_GEN_ID);
                       }
                   });
}

// Finds nothing if there are no tables. The family of a table is "" if it has no name here.
int read_tables(NetlinkSocket& socket, std::vector<Ruleset>& found) {
    return request(
        socket, NFT_MSG_GETTABLE, NFPROTO_UNSPEC, NLM_F_DUMP, {}, [&](const nlmsghdr& message) {
            const TablePointer table(nftnl_table_alloc());
            if (nftnl_table_nlmsg_parse(&message, table.get()) != 0) {
                return;
            }
            const std::string_view family =
                family_name(nftnl_table_get_u32(table.get(), NFTNL_TABLE_FAMILY));
            found.push_back({.family = std::string(family),
                             .name = nftnl_table_get_str(table.get(), NFTNL_TABLE_NAME)});
        });
}

// Returns ENOENT if the table does not exist, or was deleted meanwhile.
int read_table(NetlinkSocket& socket, Ruleset& table) {
    table.maps.clear();
    table.chains.clear();
    int code = read_maps(socket, table);
    for (std::size_t i = 0; code == 0 && i < table.maps.size(); ++i) {
        code = read_elements(socket, table, table.maps[i]);
    }
    code = code == 0 ? read_chains(socket, table) : code;
    return code == 0 ? read_rules(socket, table) : code;
}

}  // namespace runtime::nft
