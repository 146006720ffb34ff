#include "runtime/api_proxy/buffered_stream.h"

#include <utility>

namespace runtime::api_proxy {

void BufferedStream::open(Stream stream) {
    close();
    stream_ = std::move(stream);
}

void BufferedStream::close() {
    if (stream_.is_open()) {
        loop_.watch(stream_.descriptor(), {}, nullptr);
    }
    stream_.close();
    interest_ = {};
    pending_.clear();
}

void BufferedStream::watch(Interest wanted) {
    if (wanted.read != interest_.read || wanted.write != interest_.write) {
        interest_ = wanted;
        loop_.watch(stream_.descriptor(), wanted, ready_);
    }
}

bool BufferedStream::send(std::string_view bytes) {
    if (has_pending()) {
        pending_.append(bytes);
        return true;
    }
    while (!bytes.empty()) {
        const Io io = stream_.write(bytes);
        if (io.state == Io::State::Again) {
            pending_.assign(bytes);
            return true;
        }
        if (io.state != Io::State::Done) {
            return false;
        }
        bytes.remove_prefix(io.count);
    }
    return true;
}

bool BufferedStream::flush() {
    const std::string pending = std::exchange(pending_, {});
    return send(pending);
}

}  // namespace runtime::api_proxy
