// Fuzz target: however a chunked body is split, it ends at the same byte or is refused. An accepted
// body is the same for a reader that only understands sizes.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "renderer/base/check.h"
#include "runtime/api_proxy/chunks.h"

namespace {

using namespace runtime::api_proxy;

// Returns where the body ends. No value if it does not end, or is refused.
std::optional<std::size_t> end_of(std::string_view bytes, std::size_t piece,
                                  ChunkReader::Trailers trailers) {
    ChunkReader reader(trailers);
    std::size_t at = 0;
    while (at < bytes.size() && !reader.is_done()) {
        const auto taken = reader.take(bytes.substr(at, piece));
        if (taken.fault) {
            return std::nullopt;
        }
        at += taken.size;
    }
    return reader.is_done() ? std::optional(at) : std::nullopt;
}

std::optional<std::size_t> plain_end_of(std::string_view bytes) {
    std::size_t at = 0;
    while (true) {
        std::size_t size = 0;
        const char* end = bytes.data() + bytes.size();
        const auto [next, problem] = std::from_chars(bytes.data() + at, end, size, 16);
        at = static_cast<std::size_t>(next - bytes.data()) + 2;
        if (problem != std::errc() || at + size + 2 > bytes.size()) {
            return std::nullopt;
        }
        at += size + 2;
        if (size == 0) {
            return at;
        }
    }
}

}  // namespace

extern "C" int fuzz_chunked_bodies(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const auto trailers : {ChunkReader::Trailers::Refused, ChunkReader::Trailers::Allowed}) {
        const auto whole = end_of(bytes, size, trailers);
        CHECK(whole == end_of(bytes, 1, trailers));
        CHECK(whole == end_of(bytes, 7, trailers));
        if (trailers == ChunkReader::Trailers::Refused && whole) {
            CHECK(whole == plain_end_of(bytes));
        }
    }
    return 0;
}
