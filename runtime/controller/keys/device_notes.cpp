#include "runtime/controller/keys/device_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/base/sha256.h"

namespace runtime::controller {

namespace {

constexpr std::size_t kDigest = 16;

// A recorder's pod reports its name only in tailscaled's profile.
std::string_view said_name(const StateSecret& state) {
    return without_dot(state.device_id.empty() ? state.login_name : state.device_fqdn);
}

}  // namespace

std::string_view without_dot(std::string_view name) {
    return name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
}

std::string digest_of_words(const StateSecret& state) {
    return renderer::sha256_hex(fmt::format("{}\n{}", said_name(state), state.addresses))
        .substr(0, kDigest);
}

bool contradicts(const StateSecret& state, const DeviceNotes& notes) {
    const std::string name = renderer::lower_case(said_name(state));
    if (!name.empty() && name != renderer::lower_case(notes.name)) {
        return true;
    }
    if (state.addresses == notes.addresses) {
        return false;
    }
    const auto noted = split_list(notes.addresses);
    return !std::ranges::all_of(split_list(state.addresses), [&noted](const std::string& address) {
        return std::ranges::find(noted, address) != noted.end();
    });
}

bool has_new_words(const StateSecret& state, const AuthSecret& auth) {
    return auth.device_words.empty() ||
           (contradicts(state, {.name = auth.device_name, .addresses = auth.device_addresses}) &&
            auth.device_words != digest_of_words(state));
}

}  // namespace runtime::controller
