#include "renderer/contract/auth_secret.h"

#include <fmt/format.h>

namespace renderer::inline contract {

std::string auth_secret_name(std::string_view pod) {
    return fmt::format("{}{}", pod, kAuthSuffix);
}

std::string auth_key_file(std::string_view pod) {
    return fmt::format("{}/{}/{}", kAuthFolder, pod, kAuthDatum);
}

}  // namespace renderer::inline contract
