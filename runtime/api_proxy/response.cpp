#include "runtime/api_proxy/response.h"

namespace runtime::api_proxy {

void Response::expect() {
    phase_ = Phase::Head;
    incomplete_.clear();
}

Response::Taken Response::take_head(std::string_view bytes, std::string_view method) {
    const std::size_t before = incomplete_.size();
    if (before > 0) {
        incomplete_.append(bytes);
    }
    const std::string_view all = before > 0 ? incomplete_ : bytes;
    const HeadEnd found = find_head_end(all, before);
    if (found.fault) {
        return {.size = bytes.size(), .fault = found.fault};
    }
    if (found.size == 0) {
        if (before == 0) {
            incomplete_.assign(bytes);
        }
        return {.size = bytes.size()};
    }
    auto parsed = parse_response(all.substr(0, found.size), method);
    if (const Fault* fault = std::get_if<Fault>(&parsed)) {
        return {.size = bytes.size(), .fault = *fault};
    }
    head_ = std::move(std::get<ResponseHead>(parsed));
    const std::size_t size = found.size - before;
    head_.keeps_alive = head_.keeps_alive && (head_.body.kind != Body::Kind::None ||
                                              size == bytes.size() || head_.status < 200);
    return {.size = size, .is_whole = true};
}

void Response::forget_texts() {
    head_.reason = {};
    head_.fields = {};
    head_.nominated = {};
    std::string().swap(incomplete_);
}

void Response::begin_body(std::string for_client) {
    phase_ = Phase::Body;
    body_.begin(head_.body, ChunkReader::Trailers::Allowed);
    held_ = std::move(for_client);
}

}  // namespace runtime::api_proxy
