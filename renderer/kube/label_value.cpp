#include "renderer/kube/label_value.h"

#include <fmt/format.h>

#include "renderer/base/sha256.h"
#include "renderer/kube/name_grammar.h"

namespace renderer::inline kube {

std::string shortened_label(std::string_view value) {
    constexpr std::size_t kDigits = 8;
    if (value.size() <= kMaxLabel) {
        return std::string(value);
    }
    return fmt::format("{}-{}", value.substr(0, kMaxLabel - kDigits - 1),
                       sha256_hex(value).substr(0, kDigits));
}

}  // namespace renderer::inline kube
