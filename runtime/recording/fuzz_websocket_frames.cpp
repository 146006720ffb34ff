// Fuzz target: see fuzz_streams.h.
#include "runtime/recording/fuzz_streams.h"

extern "C" int fuzz_websocket_frames(const std::uint8_t* data, std::size_t size) {
    runtime::recording::check_streams(data, size, runtime::recording::read_websocket);
    return 0;
}
