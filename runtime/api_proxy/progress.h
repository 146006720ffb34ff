// The progress of reading a message body.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/api_proxy/chunks.h"
#include "runtime/api_proxy/head.h"

namespace runtime::api_proxy {

struct Progress {
    Body body = {};
    std::uint64_t left = 0;
    ChunkReader chunks = ChunkReader();
    bool is_done = true;

    void begin(const Body& its_body, ChunkReader::Trailers trailers);
    // See ChunkReader::take.
    ChunkReader::Taken take(std::string_view bytes, std::string* data = nullptr);
};

}  // namespace runtime::api_proxy
