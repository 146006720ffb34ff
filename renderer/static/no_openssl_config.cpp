// Keeps OpenSSL of a program that is linked statically from reading the machine's openssl.cnf. That
// may name a module, whose shared libraries are of another OpenSSL and another glibc.
#include <openssl/crypto.h>

namespace {

[[maybe_unused]] const int kIsInitialized =
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);

}  // namespace
