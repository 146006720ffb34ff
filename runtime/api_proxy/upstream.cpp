#include "runtime/api_proxy/upstream.h"

#include <fmt/format.h>

#include "runtime/api_proxy/head.h"
#include "runtime/base/file.h"

namespace runtime::api_proxy {

namespace {

constexpr Duration kLooksEach = std::chrono::seconds(1);

bool is_same(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
           a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

renderer::Result<bool> Upstream::refresh(const std::string& path, WatchedFile& file) const {
    if (file.is_read && loop_.uptime() - file.looked < kLooksEach) {
        return false;
    }
    struct stat now = {};
    const bool is_there = ::stat(path.c_str(), &now) == 0;
    if (file.is_read && is_there && is_same(now, file.as_read)) {
        file.looked = loop_.uptime();
        return false;
    }
    std::string text = TRY(read_trimmed(path));
    const bool is_new = !file.is_read || text != file.text;
    file = {std::move(text), loop_.uptime(), now, true};
    return is_new;
}

renderer::Result<const TlsClient*> Upstream::tls() {
    if (TRY(refresh(place_.ca_file, ca_)) || !tls_) {
        tls_.reset();
        tls_ = TRY(TlsClient::create(ca_.text, place_.host));
    }
    return &*tls_;
}

renderer::Result<std::string_view> Upstream::token() {
    static_cast<void>(TRY(refresh(place_.token_file, token_)));
    if (!is_field_value(token_.text)) {
        return renderer::Error{
            {.rule = "no-token",
             .where = place_.token_file,
             .message = fmt::format("there is no token in \"{}\"", place_.token_file)}};
    }
    return std::string_view(token_.text);
}

void Upstream::find_addresses(std::function<void(std::vector<AddressPort>)> done) {
    if (const auto address = IpAddress::parse(place_.host)) {
        return done({AddressPort{*address, place_.port}});
    }
    resolver_.resolve(place_.host,
                      [port = place_.port, done = std::move(done)](const Resolution& found) {
                          std::vector<AddressPort> out;
                          for (const std::string& text : found.addresses) {
                              if (const auto address = IpAddress::parse(text)) {
                                  out.push_back({*address, port});
                              }
                          }
                          done(std::move(out));
                      });
}

}  // namespace runtime::api_proxy
