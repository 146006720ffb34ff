#include "renderer/emit/tree/packed_text.h"

#include <zlib.h>

#include "renderer/base/check.h"

namespace renderer::emit {
namespace {

const Bytef* bytes_of(const std::string& text) {
    return reinterpret_cast<const Bytef*>(text.data());
}

}  // namespace

PackedText::PackedText(const std::string& text) : size_(text.size()) {
    uLongf size = ::compressBound(text.size());
    std::string packed(size, '\0');
    CHECK(::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, bytes_of(text), text.size(),
                      Z_BEST_SPEED) == Z_OK);
    bytes_ = packed.substr(0, size);  // with no room for more
}

std::string PackedText::unpack() const {
    std::string text(size_, '\0');
    uLongf got = size_;
    CHECK(::uncompress(reinterpret_cast<Bytef*>(text.data()), &got, bytes_of(bytes_),
                       bytes_.size()) == Z_OK &&
          got == size_);
    return text;
}

}  // namespace renderer::emit
