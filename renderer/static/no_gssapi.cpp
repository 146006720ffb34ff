// GSSAPI (RFC 2744) for a program that is linked statically: Debian has no archive of it. libgit2
// refers to it in its HTTP transport, which tailrender does not use. Every call fails.
#include <cstdint>

namespace {
constexpr std::uint32_t kUnavailable = 16U << 16U;  // GSS_S_UNAVAILABLE
}

extern "C" {
const void* GSS_C_NT_HOSTBASED_SERVICE = nullptr;

std::uint32_t gss_delete_sec_context() {
    return kUnavailable;
}
std::uint32_t gss_display_status() {
    return kUnavailable;
}
std::uint32_t gss_import_name() {
    return kUnavailable;
}
std::uint32_t gss_indicate_mechs() {
    return kUnavailable;
}
std::uint32_t gss_init_sec_context() {
    return kUnavailable;
}
std::uint32_t gss_release_buffer() {
    return kUnavailable;
}
std::uint32_t gss_release_name() {
    return kUnavailable;
}
std::uint32_t gss_release_oid_set() {
    return kUnavailable;
}
}
