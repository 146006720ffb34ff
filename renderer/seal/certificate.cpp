#include "renderer/seal/certificate.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>

#include "renderer/base/check.h"

namespace renderer::seal {
namespace {

struct Free {
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

constexpr std::size_t kSessionKeyBytes = 32;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
using SessionKey = std::array<unsigned char, kSessionKeyBytes>;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

std::string encrypt_key(EVP_PKEY* rsa, const SessionKey& session, std::string_view label) {
    const Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new(rsa, nullptr));
    CHECK(context != nullptr && EVP_PKEY_encrypt_init(context.get()) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_OAEP_PADDING) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_oaep_md(context.get(), EVP_sha256()) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_mgf1_md(context.get(), EVP_sha256()) == 1);
    if (!label.empty()) {
        void* copy = OPENSSL_memdup(label.data(), label.size());  // owned by the context
        CHECK(copy != nullptr);
        CHECK(EVP_PKEY_CTX_set0_rsa_oaep_label(context.get(), copy,
                                               static_cast<int>(label.size())) == 1);
    }
    std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(rsa));
    std::string sealed(size, '\0');
    CHECK(EVP_PKEY_encrypt(context.get(), bytes_of(sealed), &size, session.data(),
                           session.size()) == 1);
    sealed.resize(size);
    return sealed;
}

// The nonce is zero, since every key is used only once.
std::string encrypt_text(const SessionKey& session, std::string_view plaintext) {
    const std::array<unsigned char, kNonceBytes> nonce{};
    const Owned<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
    CHECK(context != nullptr);
    CHECK(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, session.data(),
                             nonce.data()) == 1);
    std::string sealed(plaintext.size() + kTagBytes, '\0');
    int size = 0;
    CHECK(EVP_EncryptUpdate(context.get(), bytes_of(sealed), &size, bytes_of(plaintext),
                            static_cast<int>(plaintext.size())) == 1);
    int rest = 0;
    CHECK(EVP_EncryptFinal_ex(context.get(), bytes_of(sealed) + size, &rest) == 1);
    CHECK(static_cast<std::size_t>(size + rest) == plaintext.size());
    CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagBytes),
                              bytes_of(sealed) + plaintext.size()) == 1);
    return sealed;
}

Error refusal(const std::string& path, std::string message, std::string found) {
    return {.diagnostic = {.rule = "sealing-certificate",
                           .where = path,
                           .message = std::move(message),
                           .found = std::move(found),
                           .expected = "the certificate of the sealed-secrets controller, in PEM",
                           .hint = "fetch it once: kubeseal --fetch-cert > sealing.pem"}};
}

std::string end_of(const X509& certificate) {
    const Owned<BIO> text(BIO_new(BIO_s_mem()));
    CHECK(text != nullptr && ASN1_TIME_print(text.get(), X509_get0_notAfter(&certificate)) == 1);
    const char* begin = nullptr;
    const long size = BIO_get_mem_data(text.get(), &begin);
    return {begin, static_cast<std::size_t>(size)};
}

}  // namespace

struct SealingCertificate::Key {
    Owned<EVP_PKEY> rsa;
};

SealingCertificate::SealingCertificate(std::unique_ptr<Key> key) : key_(std::move(key)) {}
SealingCertificate::SealingCertificate(SealingCertificate&& other) noexcept = default;
SealingCertificate::~SealingCertificate() = default;

Result<SealingCertificate> SealingCertificate::parse(std::string_view pem,
                                                     const std::string& path) {
    const Owned<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    CHECK(text != nullptr);
    const Owned<X509> certificate(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (certificate == nullptr) {
        const bool is_private = pem.find("PRIVATE KEY") != std::string_view::npos;
        return refusal(path, "cannot read the certificate",
                       is_private ? "a private key, which only the controller should have"
                                  : "no PEM block \"CERTIFICATE\"");
    }
    if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) {
        return refusal(path, "the certificate has expired",
                       fmt::format("valid until {}", end_of(*certificate)));
    }
    auto key = std::make_unique<Key>();
    key->rsa.reset(X509_get_pubkey(certificate.get()));
    if (key->rsa == nullptr || EVP_PKEY_get_base_id(key->rsa.get()) != EVP_PKEY_RSA) {
        return refusal(path, "the certificate's key is not RSA", "a key of another kind");
    }
    return SealingCertificate(std::move(key));
}

std::string SealingCertificate::seal(std::string_view plaintext, std::string_view label) const {
    SessionKey session{};
    CHECK(RAND_bytes(session.data(), static_cast<int>(session.size())) == 1);
    const std::string key = encrypt_key(key_->rsa.get(), session, label);
    std::string sealed;
    sealed += static_cast<char>(key.size() >> 8U);
    sealed += static_cast<char>(key.size() & 0xffU);
    sealed += key;
    sealed += encrypt_text(session, plaintext);
    OPENSSL_cleanse(session.data(), session.size());
    return sealed;
}

}  // namespace renderer::seal
