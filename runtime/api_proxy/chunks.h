// Follows the framing of a chunked body byte by byte, so that it can be forwarded unchanged. Only
// the simplest form is accepted: a size of 1 to 8 hexadecimal digits and no extensions. Trailers
// are accepted only if they are allowed, which they are not in requests.
// Source: RFC 9112 section 7.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/api_proxy/fault.h"

namespace runtime::api_proxy {

class ChunkReader {
public:
    enum class Trailers : std::uint8_t { Refused, Allowed };
    explicit ChunkReader(Trailers trailers = Trailers::Refused) : trailers_(trailers) {}

    // The number of bytes that belong to the body: all of them, unless it ends within them. After a
    // fault no bytes of this call may be forwarded.
    struct Taken {
        std::size_t size = 0;
        std::optional<Fault> fault = {};
    };
    // Appends the content of the chunks to `data`, if it is given.
    Taken take(std::string_view bytes, std::string* data = nullptr);
    [[nodiscard]] bool is_done() const { return state_ == State::Done; }

private:
    enum class State : std::uint8_t {
        Size,
        SizeEnd,
        Data,
        DataCr,
        DataLf,
        TrailerStart,
        Trailer,
        TrailerLf,
        LastLf,
        Done
    };
    std::optional<Fault> step(char c);
    std::optional<Fault> step_size(char c);
    std::optional<Fault> step_trailer(char c);

    Trailers trailers_;
    State state_ = State::Size;
    int digits_ = 0;
    std::uint64_t left_ = 0;  // of the current chunk
    std::size_t trailer_ = 0;
};

}  // namespace runtime::api_proxy
