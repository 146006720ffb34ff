// Fuzz target: see fuzz_streams.h.
#include "runtime/recording/fuzz_streams.h"

extern "C" int fuzz_spdy_frames(const std::uint8_t* data, std::size_t size) {
    runtime::recording::check_streams(data, size, runtime::recording::read_spdy);
    return 0;
}
