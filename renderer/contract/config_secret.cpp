#include "renderer/contract/config_secret.h"

#include <fmt/format.h>

#include <charconv>

namespace renderer::inline contract {

namespace {

constexpr std::string_view kDatumPrefix = "cap-";

}  // namespace

std::string config_secret_name(std::string_view pod) {
    return fmt::format("{}{}", pod, kConfigSuffix);
}

std::string config_datum(int capability) {
    return fmt::format("{}{}{}", kDatumPrefix, capability, kHujson);
}

std::optional<int> config_capability(std::string_view datum) {
    if (!datum.starts_with(kDatumPrefix) || !datum.ends_with(kHujson) ||
        datum.size() < kDatumPrefix.size() + kHujson.size()) {
        return std::nullopt;
    }
    datum.remove_prefix(kDatumPrefix.size());
    datum.remove_suffix(kHujson.size());
    int capability = 0;
    const auto [stop, error] =
        std::from_chars(datum.data(), datum.data() + datum.size(), capability);
    return error == std::errc() && stop == datum.data() + datum.size() && datum[0] != '-'
               ? std::optional(capability)
               : std::nullopt;
}

}  // namespace renderer::inline contract
