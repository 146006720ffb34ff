#include "runtime/api_proxy/chunks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::api_proxy {
namespace {

using namespace std::string_literals;

// Returns "SIZE done", "SIZE" if the body continues, or the fault.
std::string read_chunks(std::string_view bytes, std::size_t piece,
                        ChunkReader::Trailers trailers = ChunkReader::Trailers::Refused) {
    ChunkReader reader(trailers);
    std::size_t size = 0;
    while (size < bytes.size() && !reader.is_done()) {
        const auto taken = reader.take(bytes.substr(size, piece));
        if (taken.fault) {
            return std::string(name_of(*taken.fault));
        }
        size += taken.size;
    }
    return fmt::format("{}{}", size, reader.is_done() ? " done" : "");
}

TEST(Chunks, EndWhereTheBodyEnds) {
    struct Row {
        std::string bytes, want;
    };
    const std::vector<Row> rows = {
        {"0\r\n\r\n", "5 done"},
        {"0\r\n\r\nGET / HTTP/1.1", "5 done"},
        {"3\r\nabc\r\n0\r\n\r\n", "13 done"},
        {"A\r\n0123456789\r\n00\r\n\r\n", "21 done"},
        {"3\r\nabc\r\n", "8"},
        {"3\r\na", "4"},
        {"0\r\n", "3"},
        {"3\r\nabcd\r\n", "chunk"},
        {"3\r\nabc0\r\n\r\n", "chunk"},
        {"3\nabc\r\n0\r\n\r\n", "chunk"},
        {"3\r\nabc\n0\r\n\r\n", "chunk"},
        {"\r\n", "chunk"},
        {"3;a=b\r\nabc\r\n", "chunk"},
        {"3 \r\nabc\r\n", "chunk"},
        {" 3\r\nabc\r\n", "chunk"},
        {"+3\r\nabc\r\n", "chunk"},
        {"-1\r\n", "chunk"},
        {"0x3\r\nabc\r\n", "chunk"},
        {"g\r\n", "chunk"},
        {"000000003\r\nabc\r\n", "chunk"},
        {"fffffffff\r\n", "chunk"},
        {"10000000000000003\r\nabc", "chunk"},
        {"3\r\r\nabc", "chunk"},
        {"\0\r\n"s, "chunk"},
        {"0\r\nImpersonate-User: x\r\n\r\n", "trailer"},
        {"0\r\n\n", "trailer"},
        {"0\r\n\r\r", "chunk"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.bytes);
        EXPECT_EQ(read_chunks(row.bytes, row.bytes.size()), row.want);
        EXPECT_EQ(read_chunks(row.bytes, 1), row.want);
    }
}

TEST(Chunks, HaveTrailersInResponses) {
    constexpr auto kAllowed = ChunkReader::Trailers::Allowed;
    EXPECT_EQ(read_chunks("0\r\nA: b\r\n\r\nx", 3, kAllowed), "11 done");
    EXPECT_EQ(read_chunks("0\r\nA: b\r\nC: d\r\n\r\n", 1, kAllowed), "17 done");
    EXPECT_EQ(read_chunks("0\r\nA: b\n\r\n", 1, kAllowed), "trailer");
    EXPECT_EQ(read_chunks("0\r\nA: \r\r\n", 1, kAllowed), "trailer");
    EXPECT_EQ(read_chunks("0\r\n" + std::string(9000, 'a'), 100, kAllowed), "trailer");
}

}  // namespace
}  // namespace runtime::api_proxy
