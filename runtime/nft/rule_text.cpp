#include "runtime/nft/rule_text.h"

#include <fmt/format.h>
#include <linux/netfilter/nf_conntrack_common.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "runtime/base/ip_address.h"

namespace runtime::nft {

namespace {

constexpr std::size_t kRegisters = 16;

std::string hex(std::string_view bytes) {
    std::string text = "0x";
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

std::uint32_t number(std::string_view bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    return value;
}

std::string protocol_text(std::string_view bytes) {
    switch (number(bytes)) {
        case 1:
            return "icmp";
        case 6:
            return "tcp";
        case 17:
            return "udp";
        case 58:
            return "ipv6-icmp";
        default:
            return fmt::format("{}", number(bytes));
    }
}

std::string address_text(std::string_view bytes) {
    const auto address = IpAddress::from_bytes(bytes);
    return address ? address->text() : hex(bytes);
}

std::string part_text(Part part, std::string_view bytes) {
    switch (part) {
        case Part::Ipv4:
        case Part::Ipv6:
            return address_text(bytes);
        case Part::Protocol:
            return protocol_text(bytes.substr(0, 1));
        case Part::Port:
            return fmt::format("{}", static_cast<unsigned char>(bytes[0]) << 8 |
                                         static_cast<unsigned char>(bytes[1]));
        case Part::Number:
            return fmt::format("{}", number(bytes));
    }
    return hex(bytes);
}

std::string interface_text(std::string_view bytes) {
    const auto end = bytes.find('\0');
    // A name without a terminating zero is a prefix.
    return end == std::string_view::npos ? fmt::format("\"{}*\"", bytes)
                                         : fmt::format("\"{}\"", bytes.substr(0, end));
}

// The content of a register: the text of the loaded expression, or the bytes of an immediate.
struct Value {
    std::string text = {}, bytes = {}, mask = {};
    std::size_t width = 0;  // registers; 0: nothing was loaded
};

// Tracks the contents of the registers, since nft prints them instead of register numbers.
class Reader {
public:
    void operator()(const LoadMeta& load) {
        switch (load.key) {
            case Meta::Iifname:
                return put(load.to, "iifname", 16);
            case Meta::Oifname:
                return put(load.to, "oifname", 16);
            case Meta::NfProto:
                return put(load.to, "meta nfproto", 1);
            case Meta::L4Proto:
                return put(load.to, "meta l4proto", 1);
        }
    }
    void operator()(const LoadPayload& load) {
        if (load.header == Header::Network && load.offset == 16 && load.size == 4) {
            imply("meta nfproto ipv4");
            return put(load.to, "ip daddr", 4);
        }
        if (load.header == Header::Network && load.offset == 24 && load.size == 16) {
            imply("meta nfproto ipv6");
            return put(load.to, "ip6 daddr", 16);
        }
        if (load.header == Header::Transport && load.offset == 2 && load.size == 2) {
            return put(load.to, "th dport", 2);
        }
        if (load.header == Header::Transport && load.offset == 13 && load.size == 1 &&
            imply("meta l4proto tcp")) {
            return put(load.to, "tcp flags", 1);
        }
        put(load.to,
            fmt::format("@{},{},{}", load.header == Header::Network ? "nh" : "th", load.offset * 8,
                        load.size * 8),
            load.size);
    }
    void operator()(const LoadCtStatus& load) { put(load.to, "ct status", 4); }
    void operator()(const LoadRouteMss& load) { put(load.to, "rt mtu", 2); }
    void operator()(const LoadRandom& load) {
        put(load.to, fmt::format("numgen random mod {}", load.below), 4);
    }
    void operator()(const Immediate& immediate) {
        put(immediate.to, {}, immediate.bytes.size());
        at(immediate.to).bytes = immediate.bytes;
    }
    void operator()(const And& mask) { at(mask.in).mask = mask.mask; }
    void operator()(const ToWireOrder&) {}
    void operator()(const Compare& compare) {
        Value value = take(compare.with);
        if (value.text.empty()) {
            value.text = fmt::format("reg {}", compare.with);  // loaded by an unknown expression
        }
        const auto* const differs = compare.negated ? "!= " : "";
        if (value.text == "iifname" || value.text == "oifname") {
            say(fmt::format("{} {}{}", value.text, differs, interface_text(compare.bytes)));
        } else if (value.text == "meta nfproto" && !compare.negated) {
            say(fmt::format("{} {}", value.text, number(compare.bytes) == 2 ? "ipv4" : "ipv6"));
        } else if (value.text == "meta l4proto") {
            say(fmt::format("{} {}{}", value.text, differs, protocol_text(compare.bytes)));
        } else if (value.text == "ct status" && is_any_of(compare, value, IPS_DST_NAT)) {
            say("ct status dnat");
        } else if (value.text == "tcp flags" && is_any_of(compare, value, 2)) {
            say("tcp flags syn");
        } else if (!value.mask.empty()) {
            say(fmt::format("{} & {} {} {}", value.text, hex(value.mask),
                            compare.negated ? "!=" : "==", hex(compare.bytes)));
        } else {
            say(fmt::format("{} {}{}", value.text, differs, hex(compare.bytes)));
        }
    }
    void operator()(const LookUp& look_up) {
        std::string key;
        for (Register next = look_up.key; next < kRegisters && at(next).width > 0;) {
            const Value value = take(next);
            key += (key.empty() ? "" : " . ") + value.text;
            next = static_cast<Register>(next + value.width);
        }
        put(look_up.value, fmt::format("{} map @{}", key, look_up.map), 4);
    }
    void operator()(const Nat& nat) {
        const Value address = take(nat.address);
        std::string target = address.text.empty() ? address_text(address.bytes) : address.text;
        if (nat.has_port && at(nat.port).width > 0) {  // otherwise the map has both
            const std::string port = take(nat.port).bytes;
            target = fmt::format("{}:{}", nat.v6 ? fmt::format("[{}]", target) : target,
                                 part_text(Part::Port, port + std::string(2, '\0')));
        }
        say(fmt::format("{} {} to {}", nat.source ? "snat" : "dnat", nat.v6 ? "ip6" : "ip",
                        target));
    }
    void operator()(const SetTcpMss& set) {
        say("tcp option maxseg size set " + take(set.from).text);
    }
    void operator()(const Foreign& foreign) {
        comment_ += fmt::format(" [ {} ]", foreign.text);
        registers_ = {};
    }

    [[nodiscard]] std::string text() const {
        std::string text = fmt::format("{}", fmt::join(statements_, " "));
        if (!comment_.empty()) {
            text += (text.empty() ? "#" : " #") + comment_;
        }
        return text;
    }

private:
    Value& at(Register index) { return registers_.at(index % kRegisters); }
    void put(Register index, std::string text, std::size_t bytes) {
        at(index) = {.text = std::move(text), .width = (bytes + 3) / 4};
    }
    Value take(Register index) { return std::exchange(at(index), {}); }
    void say(const std::string& statement) {
        if (comment_.empty()) {
            statements_.push_back(statement);
        } else {
            comment_ += fmt::format(" [ {} ]", statement);
        }
    }

    // Removes a statement that the next one implies. Returns false if it is not there.
    bool imply(std::string_view statement) { return std::erase(statements_, statement) > 0; }
    static bool is_any_of(const Compare& compare, const Value& value, std::uint32_t bits) {
        return compare.negated && number(compare.bytes) == 0 && number(value.mask) == bits;
    }

    std::array<Value, kRegisters> registers_;
    std::vector<std::string> statements_;
    std::string comment_;
};

}  // namespace

std::string rule_text(const Rule& rule) {
    Reader reader;
    for (const Expression& expression : rule) {
        std::visit(reader, expression);
    }
    return reader.text();
}

std::string parts_text(const std::vector<Part>& parts, std::string_view bytes) {
    if (bytes.size() != size_of(parts)) {
        return hex(bytes);
    }
    std::string text;
    for (const Part part : parts) {
        const std::size_t size = size_of({part});
        text += (text.empty() ? "" : " . ") + part_text(part, bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return text;
}

}  // namespace runtime::nft
