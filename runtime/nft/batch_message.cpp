#include "runtime/nft/batch_message.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/rule.h>
#include <libnftnl/set.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "renderer/base/check.h"
#include "runtime/nft/expressions.h"
#include "runtime/nft/free.h"
#include "runtime/nft/rule_text.h"
#include "runtime/nft/set_userdata.h"

namespace runtime::nft {

namespace {

using TablePointer = std::unique_ptr<nftnl_table, Free<nftnl_table_free>>;
using ChainPointer = std::unique_ptr<nftnl_chain, Free<nftnl_chain_free>>;
using RulePointer = std::unique_ptr<nftnl_rule, Free<nftnl_rule_free>>;
using SetPointer = std::unique_ptr<nftnl_set, Free<nftnl_set_free>>;

// The elements of one message stay well below the 64 KiB limit of their attribute.
constexpr std::size_t kElementsPerMessage = 400;
constexpr std::size_t kMessageSize = std::size_t{128} << 10;

class BatchEncoder {
public:
    BatchEncoder(const Batch& batch, std::uint32_t generation)
        : batch_(batch), family_(family_number(batch.family)), buffer_(kMessageSize, '\0') {
        nlmsghdr* begin = nftnl_batch_begin(buffer_.data(), 0);
        if (generation != 0) {
            mnl_attr_put_u32(begin, NFNL_BATCH_GENID, htonl(generation));
        }
        append(begin);
        if (batch.delete_table) {
            table(NFT_MSG_DELTABLE, 0, "delete table");
        }
        if (batch.add_table) {
            table(NFT_MSG_NEWTABLE, NLM_F_CREATE, "add table");
        }
        for (const Map& map : batch.added_maps) {
            add_map(map);
        }
        for (const Chain& chain : batch.added_chains) {
            add_chain(chain);
        }
        for (const Chain& chain : batch.rewritten_chains) {
            flush(chain);
        }
        for (const auto* chains : {&batch.added_chains, &batch.rewritten_chains}) {
            for (const Chain& chain : *chains) {
                add_rules(chain);
            }
        }
        for (const std::string& map : batch.removed_maps) {
            remove_map(map);
        }
        for (const MapChange& change : batch.changed_maps) {
            elements(NFT_MSG_DELSETELEM, 0, change.map, change.removed, "delete from map");
            elements(NFT_MSG_NEWSETELEM, NLM_F_CREATE, change.map, change.added, "add to map");
        }
        for (const Map& map : batch.added_maps) {
            elements(NFT_MSG_NEWSETELEM, NLM_F_CREATE, map.name, map.elements, "add to map");
        }
        // Asks for an acknowledgement of the whole transaction on the last message: Linux before
        // 6.10 does not acknowledge the end of a batch.
        reinterpret_cast<nlmsghdr*>(&bytes_[last_])->nlmsg_flags |= NLM_F_ACK;
        append(nftnl_batch_end(buffer_.data(), sequence()));
    }

    BatchMessage message() && { return {.bytes = std::move(bytes_), .steps = std::move(steps_)}; }

private:
    [[nodiscard]] std::uint32_t sequence() const {
        return static_cast<std::uint32_t>(steps_.size()) + 1;
    }
    nlmsghdr* begin(int type, int flags) {
        return nftnl_nlmsg_build_hdr(buffer_.data(), static_cast<std::uint16_t>(type), family_,
                                     static_cast<std::uint16_t>(flags), sequence());
    }
    void append(const nlmsghdr* message) {
        bytes_.append(reinterpret_cast<const char*>(message), message->nlmsg_len);
    }
    void finish(const nlmsghdr* message, std::string step) {
        last_ = bytes_.size();
        append(message);
        steps_.push_back(std::move(step));
    }

    void table(int type, int flags, std::string_view step) {
        const TablePointer table(nftnl_table_alloc());
        nftnl_table_set_str(table.get(), NFTNL_TABLE_NAME, batch_.table.c_str());
        nlmsghdr* message = begin(type, flags);
        nftnl_table_nlmsg_build_payload(message, table.get());
        finish(message, fmt::format("{} {} {}", step, batch_.family, batch_.table));
    }

    void add_map(const Map& map) {
        const SetPointer set(nftnl_set_alloc());
        nftnl_set_set_str(set.get(), NFTNL_SET_TABLE, batch_.table.c_str());
        nftnl_set_set_str(set.get(), NFTNL_SET_NAME, map.name.c_str());
        nftnl_set_set_u32(set.get(), NFTNL_SET_ID, sequence());
        nftnl_set_set_u32(set.get(), NFTNL_SET_FLAGS, NFT_SET_MAP | map.type.flags);
        nftnl_set_set_u32(set.get(), NFTNL_SET_KEY_TYPE, type_number(map.type.key));
        nftnl_set_set_u32(set.get(), NFTNL_SET_KEY_LEN,
                          static_cast<std::uint32_t>(size_of(map.type.key)));
        nftnl_set_set_u32(set.get(), NFTNL_SET_DATA_TYPE, type_number(map.type.value));
        nftnl_set_set_u32(set.get(), NFTNL_SET_DATA_LEN,
                          static_cast<std::uint32_t>(size_of(map.type.value)));
        const std::string userdata = set_userdata(map.type);
        nftnl_set_set_data(set.get(), NFTNL_SET_USERDATA, userdata.data(),
                           static_cast<std::uint32_t>(userdata.size()));
        nlmsghdr* message = begin(NFT_MSG_NEWSET, NLM_F_CREATE);
        nftnl_set_nlmsg_build_payload(message, set.get());
        finish(message, fmt::format("add map {}", map.name));
    }

    void remove_map(const std::string& name) {
        const SetPointer set(nftnl_set_alloc());
        nftnl_set_set_str(set.get(), NFTNL_SET_TABLE, batch_.table.c_str());
        nftnl_set_set_str(set.get(), NFTNL_SET_NAME, name.c_str());
        nlmsghdr* message = begin(NFT_MSG_DELSET, 0);
        nftnl_set_nlmsg_build_payload(message, set.get());
        finish(message, fmt::format("delete map {}", name));
    }

    void add_chain(const Chain& chain) {
        const ChainPointer handle(nftnl_chain_alloc());
        nftnl_chain_set_str(handle.get(), NFTNL_CHAIN_TABLE, batch_.table.c_str());
        nftnl_chain_set_str(handle.get(), NFTNL_CHAIN_NAME, chain.name.c_str());
        nftnl_chain_set_str(handle.get(), NFTNL_CHAIN_TYPE, chain.hook.type.c_str());
        nftnl_chain_set_u32(handle.get(), NFTNL_CHAIN_HOOKNUM, chain.hook.hook);
        nftnl_chain_set_s32(handle.get(), NFTNL_CHAIN_PRIO, chain.hook.priority);
        nftnl_chain_set_u32(handle.get(), NFTNL_CHAIN_POLICY,
                            chain.hook.drops ? NF_DROP : NF_ACCEPT);
        nlmsghdr* message = begin(NFT_MSG_NEWCHAIN, NLM_F_CREATE);
        nftnl_chain_nlmsg_build_payload(message, handle.get());
        finish(message, fmt::format("add chain {}", chain.name));
    }

    RulePointer rule_of(const Chain& chain) {
        RulePointer handle(nftnl_rule_alloc());
        nftnl_rule_set_str(handle.get(), NFTNL_RULE_TABLE, batch_.table.c_str());
        nftnl_rule_set_str(handle.get(), NFTNL_RULE_CHAIN, chain.name.c_str());
        return handle;
    }
    void flush(const Chain& chain) {
        nlmsghdr* message = begin(NFT_MSG_DELRULE, 0);
        nftnl_rule_nlmsg_build_payload(message, rule_of(chain).get());
        finish(message, fmt::format("flush chain {}", chain.name));
    }
    void add_rules(const Chain& chain) {
        for (const Rule& rule : chain.rules) {
            const RulePointer handle = rule_of(chain);
            add_expressions(rule, *handle);
            nlmsghdr* message = begin(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
            nftnl_rule_nlmsg_build_payload(message, handle.get());
            finish(message, fmt::format("add rule {} {}", chain.name, rule_text(rule)));
        }
    }

    void elements(int type, int flags, const std::string& map, const std::vector<Element>& all,
                  std::string_view step) {
        for (std::size_t first = 0; first < all.size(); first += kElementsPerMessage) {
            const SetPointer set(nftnl_set_alloc());
            nftnl_set_set_str(set.get(), NFTNL_SET_TABLE, batch_.table.c_str());
            nftnl_set_set_str(set.get(), NFTNL_SET_NAME, map.c_str());
            const std::size_t end = std::min(first + kElementsPerMessage, all.size());
            for (std::size_t i = first; i < end; ++i) {
                nftnl_set_elem* element = nftnl_set_elem_alloc();
                CHECK(element != nullptr);
                nftnl_set_elem_set(element, NFTNL_SET_ELEM_KEY, all[i].key.data(),
                                   static_cast<std::uint32_t>(all[i].key.size()));
                nftnl_set_elem_set(element, NFTNL_SET_ELEM_DATA, all[i].value.data(),
                                   static_cast<std::uint32_t>(all[i].value.size()));
                nftnl_set_elem_add(set.get(), element);
            }
            nlmsghdr* message = begin(type, flags);
            nftnl_set_elems_nlmsg_build_payload(message, set.get());
            finish(message, fmt::format("{} {}", step, map));
        }
    }

    const Batch& batch_;
    std::uint8_t family_;
    std::string buffer_, bytes_;
    std::size_t last_ = 0;
    std::vector<std::string> steps_;
};

}  // namespace

BatchMessage encode(const Batch& batch, std::uint32_t generation) {
    return BatchEncoder(batch, generation).message();
}

}  // namespace runtime::nft
