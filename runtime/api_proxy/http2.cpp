#include "runtime/api_proxy/http2.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "renderer/base/check.h"

namespace runtime::api_proxy {

namespace {

constexpr std::size_t kKept = std::size_t{64} * 1024;  // sent bytes, before they are freed

nghttp2_nv field(std::string_view name, std::string_view value) {
    // nghttp2 copies both.
    const auto bytes = [](std::string_view text) {
        return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string_view header_text(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

struct Http2Client::Calls {
    static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                         std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                         std::uint8_t, void* user) {
        auto& self = *static_cast<Http2Client*>(user);
        if (frame->hd.stream_id == self.stream_ && header_text(name, name_size) == ":status") {
            const std::string_view text = header_text(value, value_size);
            int status = 0;
            std::from_chars(text.data(), text.data() + text.size(), status);
            self.response_.status = status < 200 ? 0 : status;  // 1xx come before the final one
        }
        return 0;
    }

    static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
        auto& self = *static_cast<Http2Client*>(user);
        const bool may_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
        if (frame->hd.stream_id == self.stream_ && may_end &&
            (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            self.response_.is_whole = true;
        }
        return 0;
    }

    static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream,
                       const std::uint8_t* data, std::size_t size, void* user) {
        auto& self = *static_cast<Http2Client*>(user);
        if (stream == self.stream_) {
            self.response_.bytes.append(header_text(data, size));
        }
        return 0;
    }

    // It is also called when the connection is about to end, for streams that the server will not
    // process.
    static int on_close(nghttp2_session*, std::int32_t stream, std::uint32_t, void* user) {
        auto& self = *static_cast<Http2Client*>(user);
        if (stream == self.stream_) {
            self.response_.is_broken = !self.response_.is_whole;
        }
        return 0;
    }

    static ssize_t read_body(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t room,
                             std::uint32_t* flags, nghttp2_data_source* source, void*) {
        auto& self = *static_cast<Http2Client*>(source->ptr);
        const std::size_t size = std::min(room, self.waiting());
        if (size == 0 && !self.is_ended_) {
            return NGHTTP2_ERR_DEFERRED;
        }
        self.body_.copy(reinterpret_cast<char*>(into), size, self.taken_);
        self.taken_ += size;
        self.sent_ += size;
        if (self.waiting() == 0 || self.taken_ >= kKept) {
            self.body_.erase(0, std::exchange(self.taken_, 0));
        }
        if (self.is_ended_ && self.waiting() == 0) {
            *flags |= NGHTTP2_DATA_FLAG_EOF;
        }
        return static_cast<ssize_t>(size);
    }
};

void Http2Client::Free::operator()(nghttp2_session* session) const {
    nghttp2_session_del(session);
}

Http2Client::Http2Client(std::string authority) : authority_(std::move(authority)) {
    nghttp2_session_callbacks* calls = nullptr;
    CHECK(nghttp2_session_callbacks_new(&calls) == 0);
    nghttp2_session_callbacks_set_on_header_callback(calls, Calls::on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, Calls::on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, Calls::on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, Calls::on_close);
    nghttp2_session* session = nullptr;
    CHECK(nghttp2_session_client_new(&session, calls, this) == 0);
    nghttp2_session_callbacks_del(calls);
    session_.reset(session);
    const nghttp2_settings_entry no_push{NGHTTP2_SETTINGS_ENABLE_PUSH, 0};
    CHECK(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &no_push, 1) == 0);
}

Http2Client::~Http2Client() = default;

void Http2Client::request(std::string_view method, std::string_view path, bool has_body) {
    const std::array fields{field(":method", method), field(":scheme", "http"),
                            field(":authority", authority_), field(":path", path),
                            field("user-agent", "tailrender")};
    nghttp2_data_provider body{.source = {.ptr = this}, .read_callback = Calls::read_body};
    response_ = {};
    body_.clear();
    taken_ = 0;
    sent_ = 0;
    is_ended_ = false;
    stream_ = nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(),
                                     has_body ? &body : nullptr, nullptr);
    response_.is_broken = stream_ < 0;
}

// Some violations are detected only when the error is to be sent to the server.
bool Http2Client::receive(std::string_view bytes) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    is_failed_ |= nghttp2_session_mem_recv(session_.get(), data, bytes.size()) < 0;
    pump();
    is_failed_ |= nghttp2_session_want_read(session_.get()) == 0;
    return !is_failed_;
}

std::string Http2Client::take() {
    pump();
    return std::exchange(out_, {});
}

void Http2Client::pump() {
    if (is_failed_) {
        return;
    }
    nghttp2_session_resume_data(session_.get(), stream_);  // no effect unless it was deferred
    const std::uint8_t* piece = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(session_.get(), &piece)) > 0) {
        out_.append(header_text(piece, static_cast<std::size_t>(size)));
    }
    is_failed_ = size < 0;
}

}  // namespace runtime::api_proxy
