// A self-signed certificate for servers in tests.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <string>

namespace runtime {

// A self-signed certificate for 127.0.0.1, and its key.
struct SelfSigned {
    SelfSigned() {
        EVP_PKEY* pair = EVP_EC_gen("P-256");
        X509* made = X509_new();
        X509_set_version(made, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
        X509_gmtime_adj(X509_getm_notBefore(made), -60);
        X509_gmtime_adj(X509_getm_notAfter(made), 3600);
        X509_set_pubkey(made, pair);
        X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
        X509_set_issuer_name(made, X509_get_subject_name(made));
        X509_EXTENSION* names =
            X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
        X509_add_ext(made, names, -1);
        X509_EXTENSION_free(names);
        X509_sign(made, pair, EVP_sha256());
        BIO* text = BIO_new(BIO_s_mem());
        PEM_write_bio_X509(text, made);
        certificate = take(text);
        PEM_write_bio_PrivateKey(text, pair, nullptr, nullptr, 0, nullptr, nullptr);
        key = take(text);
        BIO_free(text);
        X509_free(made);
        EVP_PKEY_free(pair);
    }
    std::string certificate, key;

private:
    static std::string take(BIO* text) {
        char* start = nullptr;
        const auto size = static_cast<std::size_t>(BIO_get_mem_data(text, &start));
        std::string taken(start, size);
        BIO_reset(text);
        return taken;
    }
};

}  // namespace runtime
