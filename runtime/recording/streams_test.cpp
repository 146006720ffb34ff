#include "runtime/recording/streams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "runtime/recording/spdy_dictionary.h"

namespace runtime::recording {
namespace {

using namespace std::string_literals;

std::string told(const std::vector<StreamEvent>& events) {
    std::string out;
    StreamEvent::Kind last = StreamEvent::Kind::Resize;
    for (const StreamEvent& event : events) {
        if (event.kind == StreamEvent::Kind::Resize) {
            out += fmt::format("[{}x{}]", event.size.columns, event.size.rows);
        } else {
            const bool is_error = event.kind == StreamEvent::Kind::ErrorOutput;
            out += (last == event.kind ? "" : is_error ? "2:" : "1:") + event.bytes;
        }
        last = event.kind;
    }
    return out;
}

// Returns the events, which must not depend on how the bytes are split, or the problem.
template <typename Make>
std::string read(Make make, const std::string& client, const std::string& server) {
    std::string first;
    for (const std::size_t piece : {1U, 3U, 100000U}) {
        const std::unique_ptr<StreamReader> reader = make();
        std::vector<StreamEvent> events;
        std::string problem;
        const auto feed = [&](const std::string& bytes, bool is_client) {
            for (std::size_t at = 0; at < bytes.size() && problem.empty(); at += piece) {
                const auto part = std::string_view(bytes).substr(at, piece);
                const Problem found = is_client ? reader->from_client(part, events)
                                                : reader->from_server(part, events);
                problem = found.value_or("");
            }
        };
        feed(client, true);
        feed(server, false);
        const std::string now = problem.empty() ? told(events) : problem;
        EXPECT_TRUE(first.empty() || first == now) << first << " is not " << now;
        first = now;
    }
    return first;
}

std::string frame(int first, const std::string& payload, bool is_masked) {
    std::string out(1, static_cast<char>(first));
    const int mask = is_masked ? 0x80 : 0;
    if (payload.size() < 126) {
        out += static_cast<char>(mask | static_cast<int>(payload.size()));
    } else {
        out += static_cast<char>(mask | 126);
        out += static_cast<char>(payload.size() >> 8U);
        out += static_cast<char>(payload.size() & 0xFFU);
    }
    if (!is_masked) {
        return out + payload;
    }
    const std::string key = "\x11\x22\x33\x44";
    out += key;
    for (std::size_t at = 0; at < payload.size(); ++at) {
        out += static_cast<char>(payload[at] ^ key[at % 4]);
    }
    return out;
}
std::string up(const std::string& payload, int first = 0x82) {
    return frame(first, payload, true);
}
std::string down(const std::string& payload, int first = 0x82) {
    return frame(first, payload, false);
}
std::string websocket(const std::string& client, const std::string& server) {
    return read(read_websocket, client, server);
}

TEST(WebSocketReader, TellsOutputAndSizes) {
    EXPECT_EQ(websocket(up("\0typed"s) + up("\4{\"Width\":80,\"Height\":24}"s),
                        down("\1one"s) + down("\2two"s) + down("\3{}"s)),
              "[80x24]1:one2:two");
    const std::string big(70000, 'x');
    EXPECT_EQ(websocket("", down("\1"s + std::string(40000, 'x')) + down("\1y"s)),
              "1:" + std::string(40000, 'x') + "y");
    EXPECT_EQ(websocket(up("\4{\"width\":1,\"height\":2}\n{\"Width\":3,\"Height\":4}\n"s), ""),
              "[1x2][3x4]");
    EXPECT_EQ(websocket("", down("\1"s) + down("") + down("\1a"s)), "1:a");
}

TEST(WebSocketReader, AMessageMayHaveSeveralFrames) {
    EXPECT_EQ(websocket("", down("\1ab"s, 0x02) + down("ping", 0x89) + down("\1cd"s, 0x00) +
                                down("", 0x80) + down("\2e"s)),
              "1:ab\1cd2:e"s);
    EXPECT_EQ(websocket(up("\4{\"Wid"s, 0x02) + up("th\":7,\"Height\":8}", 0x80), ""), "[7x8]");
}

TEST(WebSocketReader, WhatOtherReadersMightReadDifferentlyIsAProblem) {
    const std::string frame_problem = "a frame with an extension or without its mask";
    EXPECT_EQ(websocket("", down("\1a"s, 0xC2)), frame_problem);
    EXPECT_EQ(websocket("", up("\1a"s)), frame_problem);
    EXPECT_EQ(websocket(down("\0a"s), ""), frame_problem);
    const std::string kind = "a frame that is not binary, or not of its message";
    EXPECT_EQ(websocket("", down("1YQ==", 0x81)), kind);
    EXPECT_EQ(websocket("", down("\1a"s, 0x80)), kind);
    EXPECT_EQ(websocket("", down("\1a"s, 0x02) + down("\1a"s, 0x82)), kind);
    EXPECT_EQ(websocket("", down("\1a"s, 0x83)), kind);
    EXPECT_EQ(websocket("", down("a", 0x8B)), "an invalid control frame");
    EXPECT_EQ(websocket("", down("a", 0x09)), "an invalid control frame");
    EXPECT_EQ(websocket("", down(std::string(200, 'a'), 0x89)), "an invalid control frame");
    EXPECT_EQ(websocket(up("\4nothing"s), ""), "a resize message that is not JSON");
    EXPECT_EQ(websocket(up("\4{\"Width\":-1}"s), ""), "an invalid resize message");
    EXPECT_EQ(websocket(up("\4"s + std::string(5000, ' ')), ""), "a resize that does not end");
}

std::string number(std::uint64_t value, int width) {
    std::string out;
    for (int at = width - 1; at >= 0; --at) {
        out += static_cast<char>(value >> static_cast<unsigned>(8 * at));
    }
    return out;
}

// Writes the client's end of a SPDY connection. Its header blocks are one zlib stream.
class SpdyWriter {
public:
    SpdyWriter() {
        deflateInit(&stream_, 9);
        deflateSetDictionary(&stream_, kSpdyDictionary.data(), kSpdyDictionary.size());
    }
    ~SpdyWriter() { deflateEnd(&stream_); }
    SpdyWriter(const SpdyWriter&) = delete;
    SpdyWriter& operator=(const SpdyWriter&) = delete;

    std::string block(const std::vector<std::pair<std::string, std::string>>& fields) {
        std::string plain = number(static_cast<std::uint32_t>(fields.size()), 4);
        for (const auto& [name, value] : fields) {
            plain.append(number(static_cast<std::uint32_t>(name.size()), 4)).append(name);
            plain.append(number(static_cast<std::uint32_t>(value.size()), 4)).append(value);
        }
        std::string out(plain.size() + 1000, '\0');
        stream_.next_in = reinterpret_cast<Bytef*>(plain.data());
        stream_.avail_in = static_cast<uInt>(plain.size());
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = static_cast<uInt>(out.size());
        deflate(&stream_, Z_SYNC_FLUSH);
        out.resize(out.size() - stream_.avail_out);
        return out;
    }
    std::string open(std::uint32_t id, const std::string& type) {
        return control(1, number(id, 4) + number(0, 4) + number(0, 2) +
                              block({{"streamtype", type}, {"port", "80"}}));
    }
    std::string open(const std::vector<std::pair<std::uint32_t, std::string>>& streams) {
        std::string out;
        for (const auto& [id, type] : streams) {
            out += open(id, type);
        }
        return out;
    }
    static std::string control(std::uint32_t type, const std::string& payload, int version = 3) {
        return number(0x8000U | static_cast<unsigned>(version), 2) + number(type, 2) + "\0"s +
               number(static_cast<std::uint32_t>(payload.size()), 3) + payload;
    }
    static std::string data(std::uint32_t id, const std::string& payload) {
        return number(id, 4) + "\0"s + number(static_cast<std::uint32_t>(payload.size()), 3) +
               payload;
    }

private:
    z_stream stream_ = {};
};

std::string spdy(const std::string& client, const std::string& server) {
    return read(read_spdy, client, server);
}

TEST(SpdyReader, TellsOutputAndSizes) {
    SpdyWriter writer;
    const std::string opened =
        writer.open({{1, "error"}, {3, "stdin"}, {5, "stdout"}, {0x1007, "stderr"}, {9, "resize"}});
    EXPECT_EQ(
        spdy(opened + SpdyWriter::data(3, "typed") + SpdyWriter::data(9, "{\"Width\":80,\"Hei") +
                 SpdyWriter::data(9, "ght\":24}\n") + SpdyWriter::control(6, number(1, 4)),
             SpdyWriter::control(2, "compressed by the server") + SpdyWriter::data(5, "one") +
                 SpdyWriter::data(0x1007, "two") + SpdyWriter::data(1, "{}") +
                 SpdyWriter::data(5, std::string(100000, 'x'))),
        "[80x24]1:one2:two1:" + std::string(100000, 'x'));
}

TEST(SpdyReader, HeaderBlocksAreOneStream) {
    SpdyWriter writer;
    const std::string first = writer.open(1, "error");
    EXPECT_EQ(spdy(first + writer.open(3, "stdout"), SpdyWriter::data(3, "x")), "1:x");
    SpdyWriter other;
    const std::string left_out = other.open(1, "error");
    EXPECT_EQ(spdy(other.open(3, "stdout"), ""), "an unexpected stream");
}

TEST(SpdyReader, WhatOtherReadersMightReadDifferentlyIsAProblem) {
    const std::string unclear = "an unexpected stream";
    for (const std::string type : {"STDOUT", "", "other"}) {
        SpdyWriter writer;
        EXPECT_EQ(spdy(writer.open(1, type), ""), unclear) << type;
    }
    SpdyWriter twice;
    EXPECT_EQ(spdy(twice.open({{1, "stdout"}, {1, "stdin"}}), ""), unclear);
    SpdyWriter two;
    EXPECT_EQ(spdy(SpdyWriter::control(
                       1, number(1, 4) + number(0, 6) +
                              two.block({{"streamtype", "stdin"}, {"streamtype", "stdout"}})),
                   ""),
              unclear);
    SpdyWriter null;
    EXPECT_EQ(spdy(null.open(1, "stdout\0stdin"s), ""), unclear);
    EXPECT_EQ(spdy(SpdyWriter::control(1, number(1, 4) + number(0, 6) + "no zlib"), ""), unclear);
    EXPECT_EQ(spdy(SpdyWriter::control(1, "short"), ""), "a stream without a header block");
    EXPECT_EQ(spdy("", SpdyWriter::control(1, number(2, 4))), "a stream that the server opens");
    EXPECT_EQ(spdy("", SpdyWriter::data(5, "x")), "data of a stream that no one has opened");
    EXPECT_EQ(spdy(SpdyWriter::control(6, number(1, 4), 2), ""),
              "a control frame of another version");
    EXPECT_EQ(spdy(SpdyWriter::control(99, "x"), ""), "a control frame of an unknown type");
    EXPECT_EQ(spdy(number(0x80030001U, 4) + "\0"s + number(70000, 3), ""),
              "a control frame that is too large");
    SpdyWriter many;
    std::string streams;
    for (std::uint32_t id = 1; id <= 65; ++id) {
        streams += many.open(id, "stdin");
    }
    EXPECT_EQ(spdy(streams, ""), unclear);
}

// Returns the beginning of a frame: a head with `type` and `length`, and part of its payload.
std::string begun(std::uint32_t type, std::uint32_t length, const std::string& payload = "") {
    return number(0x80030000U | type, 4) + "\0"s + number(length, 3) + payload;
}

TEST(SpdyReader, AControlFrameHasTheLengthOfItsType) {
    const std::string wrong = "a control frame of a wrong length";
    const std::string entries(16, 'e');
    for (const bool is_client : {true, false}) {
        const auto tell = [is_client](const std::string& frames) {
            return is_client ? spdy(frames, "") : spdy("", frames);
        };
        for (const auto& [type, right] :
             std::vector<std::pair<std::uint32_t, std::uint32_t>>{{3, 8}, {6, 4}, {7, 8}, {9, 8}}) {
            EXPECT_EQ(tell(begun(type, right, std::string(right, 'x')) + begun(99, 0)),
                      "a control frame of an unknown type");
            for (const std::uint32_t length : {0U, right - 1, right + 1, right + 8, 100U}) {
                // The head is enough: otherwise bytes would be forwarded before the frame has
                // ended.
                EXPECT_EQ(tell(begun(type, length)), wrong) << type << " of " << length;
            }
        }
        EXPECT_EQ(
            tell(begun(4, 20, number(2, 4) + entries) + begun(4, 4, number(0, 4)) + begun(99, 0)),
            "a control frame of an unknown type");
        for (const std::uint32_t length : {0U, 3U, 5U, 19U, 21U}) {
            EXPECT_EQ(tell(begun(4, length)), wrong) << length;
        }
        EXPECT_EQ(tell(begun(4, 20, number(1, 4))), wrong);
        EXPECT_EQ(tell(begun(4, 20, number(3, 4))), wrong);
        EXPECT_EQ(tell(begun(4, 20, number(0x20000002, 4))), wrong);
    }
}

TEST(SpdyReader, AClientHasHeaderBlocksInNewStreamsOnly) {
    for (const std::uint32_t type : {2U, 8U}) {
        SpdyWriter writer;
        const std::string block = number(1, 4) + writer.block({{"a", "b"}});
        EXPECT_EQ(spdy(SpdyWriter::control(type, block), ""),
                  "a control frame that no client sends");
        EXPECT_EQ(spdy(begun(type, 100), ""), "a control frame that no client sends");
        EXPECT_EQ(spdy("", SpdyWriter::control(type, block)), "");
    }
}

}  // namespace
}  // namespace runtime::recording
