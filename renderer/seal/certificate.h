// The public key of a sealed-secrets controller, and the encryption that only its private key can
// undo: a new AES-256-GCM key for every value, itself encrypted by RSA-OAEP with SHA-256 and a
// label. Source: sealed-secrets v0.27.1 pkg/crypto/crypto.go.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "renderer/core/result.h"

namespace renderer::seal {

class SealingCertificate {
public:
    // Reads the first certificate of a PEM file, as `kubeseal --fetch-cert` prints it. Refuses an
    // expired certificate and one whose key is not RSA. `path` is for messages.
    static Result<SealingCertificate> parse(std::string_view pem, const std::string& path);
    SealingCertificate(SealingCertificate&& other) noexcept;
    SealingCertificate& operator=(SealingCertificate&&) = delete;
    ~SealingCertificate();

    // The result differs between calls. Decryption needs the same label.
    [[nodiscard]] std::string seal(std::string_view plaintext, std::string_view label) const;

private:
    struct Key;
    explicit SealingCertificate(std::unique_ptr<Key> key);
    std::unique_ptr<Key> key_;
};

}  // namespace renderer::seal
