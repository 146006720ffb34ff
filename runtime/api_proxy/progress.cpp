#include "runtime/api_proxy/progress.h"

#include <algorithm>

namespace runtime::api_proxy {

void Progress::begin(const Body& its_body, ChunkReader::Trailers trailers) {
    body = its_body;
    left = its_body.length;
    chunks = ChunkReader(trailers);
    is_done = body.kind == Body::Kind::None;
}

ChunkReader::Taken Progress::take(std::string_view bytes, std::string* data) {
    ChunkReader::Taken taken{.size = bytes.size()};
    if (body.kind == Body::Kind::Length) {
        taken.size = std::min<std::uint64_t>(left, bytes.size());
        left -= taken.size;
        if (data != nullptr) {
            data->append(bytes, 0, taken.size);
        }
        is_done = left == 0;
    } else if (body.kind == Body::Kind::Chunked) {
        taken = chunks.take(bytes, data);
        is_done = chunks.is_done();
    }
    return taken;
}

}  // namespace runtime::api_proxy
