#include "runtime/base/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace runtime::inline base {

namespace {

struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

renderer::Error failure(const std::string& path, int code) {
    return {renderer::Diagnostic{
        .rule = "cannot-read",
        .where = path,
        .message = fmt::format("cannot read \"{}\": {}", path, std::strerror(code))}};
}

}  // namespace

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

renderer::Result<std::string> read_trimmed(const std::string& path) {
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "re"));
    if (file == nullptr) {
        return failure(path, errno);
    }
    std::string text;
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
        text.append(buffer, count);
    }
    if (std::ferror(file.get()) != 0) {
        return failure(path, errno);
    }
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpace);
    return first == std::string::npos
               ? std::string()
               : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace runtime::inline base
