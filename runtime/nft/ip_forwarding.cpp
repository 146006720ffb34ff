#include "runtime/nft/ip_forwarding.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/file.h"

namespace runtime::nft {

namespace {

constexpr std::string_view kForward4 = "net/ipv4/ip_forward";
constexpr std::string_view kForward6 = "net/ipv6/conf/all/forwarding";

std::string path_of(const std::string& root, std::string_view sysctl) {
    return fmt::format("{}/proc/sys/{}", root, sysctl);
}

int write_one(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return errno;
    }
    const int code = ::write(file, "1\n", 2) == 2 ? 0 : errno;
    ::close(file);
    return code;
}

renderer::Result<renderer::Unit> enable(const std::string& root, std::string_view sysctl) {
    const std::string path = path_of(root, sysctl);
    if (TRY(read_trimmed(path)) == "1") {
        return renderer::Unit{};
    }
    if (const int code = write_one(path)) {
        return renderer::Error{renderer::Diagnostic{
            .rule = "ip-forwarding",
            .where = path,
            .message = fmt::format("cannot set \"{}\" to 1: {}", path, std::strerror(code)),
            .hint = "set it in a privileged init container, as rendered pods do"}};
    }
    return renderer::Unit{};
}

}  // namespace

Families families_of(const std::vector<IpAddress>& addresses) {
    Families families;
    for (const IpAddress& address : addresses) {
        (address.is_v6() ? families.v6 : families.v4) = true;
    }
    return families;
}

renderer::Result<renderer::Unit> enable_forwarding(const std::string& root, Families families) {
    if (families.v4) {
        TRY(enable(root, kForward4));
    }
    if (families.v6) {
        TRY(enable(root, kForward6));
    }
    return renderer::Unit{};
}

bool has_ipv6(const std::string& root) {
    const auto disabled = read_trimmed(path_of(root, "net/ipv6/conf/all/disable_ipv6"));
    return disabled && *disabled == "0";
}

}  // namespace runtime::nft
