// The framing of a chunked body, followed byte by byte so that it can be passed on as it came. Only
// the plainest form is taken: a size of 1 to 8 hexadecimal digits, no extensions; trailers only
// where they are allowed, which requests' are not.
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

    // How many of these bytes belong to the body: all of them, unless it ends within them. What is
    // before a fault is not to be passed on either.
    struct Taken {
        std::size_t size = 0;
        std::optional<Fault> fault = {};
    };
    // `data`: what is in the chunks is appended.
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
    std::uint64_t left_ = 0;  // of the chunk
    std::size_t trailer_ = 0;
};

}  // namespace runtime::api_proxy
