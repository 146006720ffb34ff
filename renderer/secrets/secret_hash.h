// Replaces a secret value in a report: a keyed hash. Equal values have equal hashes within a
// report, so a reader sees that a value changed or moved. Without the key the value cannot be
// guessed by trying. The key is random, or given by a user who wants to compare reports.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace renderer::secrets {

class SecretHash {
public:
    explicit SecretHash(std::string key) : key_(std::move(key)) {}

    // Returns "(secret hmac:0123456789abcdef)".
    [[nodiscard]] std::string operator()(std::string_view secret) const;

private:
    std::string key_;
};

// Returns 32 random bytes from the system.
std::string random_key();

}  // namespace renderer::secrets
