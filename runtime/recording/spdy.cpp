#include <zlib.h>

#include <algorithm>
#include <map>

#include "runtime/recording/spdy_dictionary.h"
#include "runtime/recording/streams.h"

namespace runtime::recording {

namespace {

constexpr std::size_t kHead = 8;
constexpr std::size_t kLargestControl = std::size_t{64} * 1024;
constexpr std::size_t kFixedOfSyn = 10;  // bytes before its header block
constexpr std::size_t kMostStreams = 64;
constexpr std::size_t kLargestHeaders = std::size_t{64} * 1024;
constexpr std::uint16_t kSynStream = 1, kSynReply = 2, kRstStream = 3, kSettings = 4, kPing = 6,
                        kGoAway = 7, kHeaders = 8, kWindowUpdate = 9;

enum class Role : std::uint8_t { Stdin, Stdout, Stderr, Resize, Error };

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < width; ++i) {
        out = out << 8U | static_cast<std::uint8_t>(bytes[at + i]);
    }
    return out;
}

// Decompresses header blocks. Those of one direction are one zlib stream.
class Inflater {
public:
    Inflater() { is_usable_ = inflateInit(&stream_) == Z_OK; }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    // No value if the block is not compressed correctly, or too large.
    std::optional<std::string> take(std::string_view block) {
        std::string out;
        std::string input(block);
        stream_.next_in = reinterpret_cast<Bytef*>(input.data());
        stream_.avail_in = static_cast<uInt>(input.size());
        while (is_usable_) {
            char piece[4096];
            stream_.next_out = reinterpret_cast<Bytef*>(piece);
            stream_.avail_out = sizeof piece;
            int said = inflate(&stream_, Z_SYNC_FLUSH);
            if (said == Z_NEED_DICT) {
                said = inflateSetDictionary(&stream_, kSpdyDictionary.data(),
                                            static_cast<uInt>(kSpdyDictionary.size()));
                is_usable_ = said == Z_OK;
                continue;
            }
            out.append(piece, sizeof piece - stream_.avail_out);
            is_usable_ = (said == Z_OK || said == Z_BUF_ERROR) && out.size() <= kLargestHeaders;
            if (stream_.avail_in == 0 && stream_.avail_out > 0) {
                break;
            }
            is_usable_ = is_usable_ && said == Z_OK;
        }
        stream_.next_in = nullptr;
        return is_usable_ ? std::optional(out) : std::nullopt;
    }

private:
    z_stream stream_ = {};
    bool is_usable_ = false;
};

// Returns the value of "streamtype" in a block of names and values. No value unless there is
// exactly one.
std::optional<std::string> stream_type(std::string_view block) {
    std::optional<std::string> out;
    std::size_t at = 0;
    const auto take = [&]() -> std::optional<std::string_view> {
        if (at + 4 > block.size()) {
            return std::nullopt;
        }
        const std::size_t length = number_at(block, at, 4);
        at += 4;
        if (length > block.size() - at) {
            return std::nullopt;
        }
        at += length;
        return block.substr(at - length, length);
    };
    if (block.size() < 4) {
        return std::nullopt;
    }
    const std::uint32_t count = number_at(block, 0, 4);
    at = 4;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto name = take();
        const auto value = name ? take() : std::nullopt;
        if (!value) {
            return std::nullopt;
        }
        if (*name == "streamtype") {
            if (out) {
                return std::nullopt;
            }
            out = std::string(*value);
        }
    }
    return at == block.size() ? out : std::nullopt;
}

std::optional<Role> role_of(std::string_view type) {
    static constexpr std::pair<std::string_view, Role> kRoles[] = {{"stdin", Role::Stdin},
                                                                   {"stdout", Role::Stdout},
                                                                   {"stderr", Role::Stderr},
                                                                   {"resize", Role::Resize},
                                                                   {"error", Role::Error}};
    for (const auto& [name, role] : kRoles) {
        if (name == type) {
            return role;
        }
    }
    return std::nullopt;
}

class SpdyReader : public StreamReader {
public:
    Problem from_client(std::string_view bytes, std::vector<StreamEvent>& events) override {
        return take(client_, bytes, events);
    }
    Problem from_server(std::string_view bytes, std::vector<StreamEvent>& events) override {
        return take(server_, bytes, events);
    }

private:
    struct Direction {
        bool is_client = false;
        std::string head = {};     // head of the frame
        std::string control = {};  // payload of a control frame so far
        std::size_t left = 0;      // rest of the frame's payload
    };

    static bool is_control(const Direction& way) { return (way.head[0] & 0x80) != 0; }

    static std::uint32_t type_of(const Direction& way) { return number_at(way.head, 2, 2); }

    Problem take(Direction& way, std::string_view bytes, std::vector<StreamEvent>& events) {
        while (!bytes.empty()) {
            if (way.head.size() < kHead) {
                way.head.push_back(bytes.front());
                bytes.remove_prefix(1);
                if (way.head.size() < kHead) {
                    continue;
                }
                way.left = number_at(way.head, 5, 3);
                if (auto problem = check_head(way)) {
                    return problem;
                }
            }
            const std::size_t count = std::min(way.left, bytes.size());
            if (auto problem = take_piece(way, bytes.substr(0, count), events)) {
                return problem;
            }
            bytes.remove_prefix(count);
            way.left -= count;
            if (way.left == 0) {
                if (auto problem = end_frame(way)) {
                    return problem;
                }
                way.head.clear();
                way.control.clear();
            }
        }
        return std::nullopt;
    }

    Problem take_piece(Direction& way, std::string_view bytes, std::vector<StreamEvent>& events) {
        if (is_control(way)) {
            way.control.append(bytes);
            return check_settings(way);
        }
        const auto found = roles_.find(number_at(way.head, 0, 4));
        if (found == roles_.end()) {
            return "data of a stream that no one has opened";
        }
        const Role role = found->second;
        if (way.is_client) {
            return role == Role::Resize ? resizes_.take(bytes, events) : std::nullopt;
        }
        if (!bytes.empty() && (role == Role::Stdout || role == Role::Stderr)) {
            events.push_back({.kind = role == Role::Stdout ? StreamEvent::Kind::Output
                                                           : StreamEvent::Kind::ErrorOutput,
                              .bytes = std::string(bytes)});
        }
        return std::nullopt;
    }

    // Checks the head before any byte of the frame is forwarded. The API server's reader takes as
    // many bytes as a frame of this type should have, whatever its length field says, and would
    // read the rest as new frames. The client's header blocks are one zlib stream, and Kubernetes'
    // clients send them only in SYN_STREAM.
    static Problem check_head(const Direction& way) {
        if (!is_control(way)) {
            return std::nullopt;
        }
        if (way.left > kLargestControl) {
            return "a control frame that is too large";
        }
        if ((number_at(way.head, 0, 2) & 0x7FFFU) != 3) {
            return "a control frame of another version";
        }
        const auto has_length = [&way](std::size_t wanted) {
            return way.left == wanted ? std::nullopt : Problem("a control frame of a wrong length");
        };
        switch (type_of(way)) {
            case kSynStream:
                return !way.is_client           ? Problem("a stream that the server opens")
                       : way.left < kFixedOfSyn ? Problem("a stream without a header block")
                                                : std::nullopt;
            case kSynReply:
            case kHeaders:
                return way.is_client ? Problem("a control frame that no client sends")
                                     : std::nullopt;
            case kPing:
                return has_length(4);
            case kRstStream:
            case kGoAway:
            case kWindowUpdate:
                return has_length(8);
            case kSettings:
                return way.left < 4 ? has_length(4) : has_length(way.left - (way.left - 4) % 8);
            default:
                return "a control frame of an unknown type";
        }
    }

    // Checks the length of SETTINGS as soon as the number of entries has arrived, for the same
    // reason.
    static Problem check_settings(const Direction& way) {
        const std::size_t length = number_at(way.head, 5, 3);
        const bool is_wrong = type_of(way) == kSettings && way.control.size() >= 4 &&
                              number_at(way.control, 0, 4) != (length - 4) / 8;
        return is_wrong ? Problem("a control frame of a wrong length") : std::nullopt;
    }

    Problem end_frame(const Direction& way) {
        return is_control(way) && type_of(way) == kSynStream ? open(way) : std::nullopt;
    }

    Problem open(const Direction& way) {
        const std::uint32_t id = number_at(way.control, 0, 4) & 0x7FFFFFFFU;
        const auto block = inflater_.take(std::string_view(way.control).substr(kFixedOfSyn));
        const auto type = block ? stream_type(*block) : std::nullopt;
        const auto role = type ? role_of(*type) : std::nullopt;
        if (!role || roles_.size() == kMostStreams || !roles_.emplace(id, *role).second) {
            return "an unexpected stream";
        }
        return std::nullopt;
    }

    Direction client_{.is_client = true}, server_{};
    Inflater inflater_;
    std::map<std::uint32_t, Role> roles_;
    ResizeText resizes_;
};

}  // namespace

std::unique_ptr<StreamReader> read_spdy() {
    return std::make_unique<SpdyReader>();
}

}  // namespace runtime::recording
