#include "runtime/recording/acks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace runtime::recording {

namespace {

constexpr std::size_t kLongestError = 200;

}  // namespace

Problem AckReader::take(std::string_view bytes, std::uint64_t sent) {
    if (is_malformed_ || !json_.take(bytes) || is_malformed_) {
        is_malformed_ = true;
        return "its acknowledgements are malformed";
    }
    if (!error_.empty()) {
        return fmt::format("it says \"{}\"", error_);
    }
    if (acknowledged_ > sent) {
        return fmt::format("it acknowledges {} bytes of {}", acknowledged_, sent);
    }
    return std::nullopt;
}

void AckReader::on_begin(bool is_object) {
    is_malformed_ |= depth_ == 0 && !is_object;
    ++depth_;
    if (depth_ == 1) {
        key_.clear();
        count_ = 0;
        said_.clear();
    }
}

void AckReader::on_key(std::string_view key) {
    if (depth_ == 1) {
        key_ = key;
    }
}

void AckReader::on_text(std::string_view text) {
    is_malformed_ |= depth_ == 0 || (depth_ == 1 && key_ == "ack");
    if (depth_ == 1 && key_ == "error") {
        said_ = text.substr(0, kLongestError);
    }
}

void AckReader::on_scalar(std::string_view spelling) {
    is_malformed_ |= depth_ == 0 || (depth_ == 1 && key_ == "error" && spelling != "null");
    if (depth_ == 1 && key_ == "ack" && spelling != "null") {
        const char* end = spelling.data() + spelling.size();
        const auto [at, fault] = std::from_chars(spelling.data(), end, count_);
        is_malformed_ |= at != end || fault != std::errc();
    }
}

// A recorder may repeat a number, also when it has received nothing new.
void AckReader::on_document() {
    if (is_malformed_) {
        return;
    }
    ++frames_;
    if (error_.empty()) {
        error_ = said_;
    }
    acknowledged_ = std::max(acknowledged_, count_);
}

}  // namespace runtime::recording
