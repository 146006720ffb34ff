#include "runtime/nameserver/message.h"

#include <algorithm>

#include "renderer/base/ascii.h"

namespace runtime::nameserver {

namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestLabel = 63;
constexpr std::uint8_t kPointer = 0xC0;

// Reads from the front. Reading beyond the end sets `failed`.
class Reader {
public:
    Reader(std::string_view packet, std::size_t offset) : packet_(packet), offset_(offset) {}

    std::uint8_t u8() {
        if (offset_ >= packet_.size()) {
            failed_ = true;
            return 0;
        }
        return static_cast<std::uint8_t>(packet_[offset_++]);
    }
    std::uint16_t u16() {
        const std::uint16_t high = u8();
        return static_cast<std::uint16_t>(high << 8U | u8());
    }
    void skip(std::size_t count) {
        failed_ = failed_ || count > packet_.size() - offset_;
        offset_ += failed_ ? 0 : count;
    }

    // Reads an uncompressed name, as in a question.
    std::string name() {
        const std::size_t start = offset_;
        while (!failed_) {
            const std::uint8_t length = u8();
            if (length > kLongestLabel || offset_ - start + length > kLongestName) {
                failed_ = true;
            }
            skip(length);
            if (length == 0) {
                break;
            }
        }
        return failed_ ? std::string() : std::string(packet_.substr(start, offset_ - start));
    }

    // Returns true if the name is the root.
    bool skip_name() {
        const std::size_t start = offset_;
        while (!failed_) {
            const std::uint8_t length = u8();
            if (length >= kPointer) {
                u8();
                return false;
            }
            failed_ = failed_ || length > kLongestLabel || offset_ - start + length > kLongestName;
            skip(length);
            if (length == 0) {
                break;
            }
        }
        return offset_ - start == 1;
    }

    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] bool at_end() const { return offset_ == packet_.size(); }

private:
    std::string_view packet_;
    std::size_t offset_;
    bool failed_ = false;
};

struct Counts {
    std::uint16_t questions, answers, authorities, additionals;
};

// Reads one record. An OPT record must be in the additional section, belong to the root, and occur
// only once.
bool read_record(Reader& reader, bool is_additional, std::optional<Edns>& edns) {
    const bool is_root = reader.skip_name();
    const std::uint16_t type = reader.u16();
    const std::uint16_t size = reader.u16();
    reader.u8();  // extended code of a reply
    const std::uint8_t version = reader.u8();
    const std::uint16_t flags = reader.u16();
    reader.skip(reader.u16());
    if (reader.failed() || type != dns::kOpt) {
        return !reader.failed();
    }
    if (!is_additional || !is_root || edns.has_value()) {
        return false;
    }
    edns = Edns{.udp_size = size, .version = version, .dnssec_ok = (flags & 0x8000U) != 0};
    return true;
}

// On an error, `query` keeps what was read before, since the reply repeats it (RFC 5452 section
// 9.1, RFC 6891 section 6.1.1).
bool read_body(Reader& reader, const Counts& counts, Query& query) {
    if (counts.questions != 1) {
        return false;
    }
    Question question{.name = reader.name(), .type = reader.u16(), .qclass = reader.u16()};
    if (reader.failed() || question.type == dns::kOpt) {
        return false;
    }
    query.question = std::move(question);
    const std::uint32_t others = std::uint32_t{counts.answers} + counts.authorities;
    for (std::uint32_t i = 0; i < others + counts.additionals; ++i) {
        if (!read_record(reader, i >= others, query.edns)) {
            return false;
        }
    }
    return reader.at_end();
}

void append_record(std::string& out, const Record& record) {
    append_u16(out, static_cast<std::uint16_t>(kPointer << 8U | (kHeader + record.owner_offset)));
    append_u16(out, record.type);
    append_u16(out, dns::kInternet);
    append_u32(out, 0);  // TTL
    append_u16(out, static_cast<std::uint16_t>(record.data.size()));
    out += record.data;
}

void append_opt(std::string& out, Rcode rcode, const Edns& asked) {
    out.push_back('\0');  // the root
    append_u16(out, dns::kOpt);
    append_u16(out, dns::kUdpSize);
    out.push_back(static_cast<char>(static_cast<std::uint16_t>(rcode) >> 4U));
    out.push_back('\0');  // version
    append_u16(out, asked.dnssec_ok ? 0x8000 : 0);
    append_u16(out, 0);
}

std::string write_all(const Query& query, const Reply& reply, bool truncated) {
    std::string out;
    append_u16(out, query.id);
    const auto flags = static_cast<std::uint16_t>(
        0x8000U | static_cast<unsigned>(query.opcode) << 11U |
        (reply.authoritative ? 0x0400U : 0U) | (truncated ? 0x0200U : 0U) |
        (query.recursion_desired ? 0x0100U : 0U) | (static_cast<unsigned>(reply.rcode) & 0xFU));
    append_u16(out, flags);
    append_u16(out, query.question.has_value() ? 1 : 0);
    append_u16(out, static_cast<std::uint16_t>(truncated ? 0 : reply.answer.size()));
    append_u16(out, static_cast<std::uint16_t>(truncated ? 0 : reply.authority.size()));
    append_u16(out, query.edns.has_value() ? 1 : 0);
    if (query.question.has_value()) {
        out += query.question->name;
        append_u16(out, query.question->type);
        append_u16(out, query.question->qclass);
    }
    if (!truncated) {
        for (const auto* section : {&reply.answer, &reply.authority}) {
            for (const Record& record : *section) {
                append_record(out, record);
            }
        }
    }
    if (query.edns.has_value()) {
        append_opt(out, reply.rcode, *query.edns);
    }
    return out;
}

bool is_name_byte(char byte) {
    return renderer::is_lower_or_digit(byte) || byte == '-' || byte == '_';
}

}  // namespace

std::optional<Query> read_query(std::string_view packet) {
    Reader reader(packet, 0);
    Query query{.id = reader.u16()};
    const std::uint16_t flags = reader.u16();
    const Counts counts{reader.u16(), reader.u16(), reader.u16(), reader.u16()};
    if (reader.failed() || (flags & 0x8000U) != 0) {
        return std::nullopt;
    }
    query.opcode = flags >> 11U & 0xFU;
    query.recursion_desired = (flags & 0x0100U) != 0;
    const bool is_whole = read_body(reader, counts, query);
    if (query.opcode != 0) {
        query.problem = Rcode::NotImp;
    } else if (!is_whole) {
        query.problem = Rcode::FormErr;
    } else if (query.edns.has_value() && query.edns->version != 0) {
        query.problem = Rcode::BadVers;
    }
    return query;
}

std::string write_reply(const Query& query, const Reply& reply, std::size_t limit) {
    std::string out = write_all(query, reply, false);
    return out.size() <= limit ? out : write_all(query, reply, true);
}

std::optional<std::string> wire_name(std::string_view text) {
    if (text.ends_with('.')) {
        text.remove_suffix(1);
    }
    std::string out;
    while (true) {
        const std::string_view label = text.substr(0, text.find('.'));
        const std::string lower = lower_name(label);
        if (label.empty() || label.size() > kLongestLabel || label.starts_with('-') ||
            label.ends_with('-') || !std::all_of(lower.begin(), lower.end(), is_name_byte)) {
            return std::nullopt;
        }
        out.push_back(static_cast<char>(label.size()));
        out += lower;
        if (label.size() == text.size()) {
            break;
        }
        text.remove_prefix(label.size() + 1);
    }
    out.push_back('\0');
    return out.size() <= kLongestName ? std::optional(out) : std::nullopt;
}

std::string lower_name(std::string_view name) {
    std::string out(name);
    // The length of a label is less than 'A', so it cannot be taken for a letter.
    for (char& byte : out) {
        byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    }
    return out;
}

std::string_view parent_name(std::string_view name) {
    return name.size() <= 1 ? name : name.substr(1 + static_cast<std::uint8_t>(name.front()));
}

void append_u16(std::string& out, std::uint16_t number) {
    out.push_back(static_cast<char>(number >> 8U));
    out.push_back(static_cast<char>(number & 0xFFU));
}

void append_u32(std::string& out, std::uint32_t number) {
    append_u16(out, static_cast<std::uint16_t>(number >> 16U));
    append_u16(out, static_cast<std::uint16_t>(number & 0xFFFFU));
}

}  // namespace runtime::nameserver
