#include "runtime/api_proxy/chunks.h"

#include <algorithm>

namespace runtime::api_proxy {

namespace {

constexpr int kMostSizeDigits = 8;
constexpr std::size_t kLongestTrailer = std::size_t{8} * 1024;

int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

ChunkReader::Taken ChunkReader::take(std::string_view bytes, std::string* data) {
    std::size_t at = 0;
    while (at < bytes.size() && state_ != State::Done) {
        if (state_ == State::Data) {
            const std::size_t count = std::min<std::uint64_t>(left_, bytes.size() - at);
            if (data != nullptr) {
                data->append(bytes, at, count);
            }
            left_ -= count;
            at += count;
            state_ = left_ == 0 ? State::DataCr : State::Data;
            continue;
        }
        if (const auto fault = step(bytes[at++])) {
            return {.fault = fault};
        }
    }
    return {.size = at};
}

std::optional<Fault> ChunkReader::step(char c) {
    const auto expect = [&](char wanted, State next) {
        state_ = next;
        return c == wanted ? std::nullopt : std::optional(Fault::Chunk);
    };
    switch (state_) {
        case State::Size:
            return step_size(c);
        case State::SizeEnd:
            digits_ = 0;
            return expect('\n', left_ == 0 ? State::TrailerStart : State::Data);
        case State::DataCr:
            return expect('\r', State::DataLf);
        case State::DataLf:
            return expect('\n', State::Size);
        case State::LastLf:
            return expect('\n', State::Done);
        case State::TrailerStart:
        case State::Trailer:
        case State::TrailerLf:
            return step_trailer(c);
        case State::Data:
        case State::Done:
            break;
    }
    return Fault::Chunk;
}

std::optional<Fault> ChunkReader::step_size(char c) {
    if (c == '\r' && digits_ > 0) {
        state_ = State::SizeEnd;
        return std::nullopt;
    }
    const int value = hex_value(c);
    if (value < 0 || digits_ == kMostSizeDigits) {
        return Fault::Chunk;
    }
    left_ = left_ * 16 + static_cast<std::uint64_t>(value);
    ++digits_;
    return std::nullopt;
}

std::optional<Fault> ChunkReader::step_trailer(char c) {
    if (state_ == State::TrailerLf) {
        state_ = State::TrailerStart;
        return c == '\n' ? std::nullopt : std::optional(Fault::Trailer);
    }
    if (state_ == State::TrailerStart && c == '\r') {
        state_ = State::LastLf;
        return std::nullopt;
    }
    if (trailers_ == Trailers::Refused || c == '\n' || c == '\0' || ++trailer_ > kLongestTrailer) {
        return Fault::Trailer;
    }
    state_ = c == '\r' ? State::TrailerLf : State::Trailer;
    return std::nullopt;
}

}  // namespace runtime::api_proxy
