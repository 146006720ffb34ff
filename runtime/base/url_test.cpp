#include "runtime/base/url.h"

#include <gtest/gtest.h>

#include <utility>

namespace runtime::inline base {
namespace {

TEST(Url, OfAServerHasNoSlashAtItsEnd) {
    const std::pair<const char*, const char*> cases[] = {
        {"http://127.0.0.1:8001/", "http://127.0.0.1:8001"},
        {"https://login.example.com//", "https://login.example.com"},
        {"https://[fd00::1]:6443", "https://[fd00::1]:6443"},
        {"https://[fd00::1]", "https://[fd00::1]"},
        {"https://rancher.example.com/k8s/clusters/c-1/",
         "https://rancher.example.com/k8s/clusters/c-1"}};
    for (const auto& [text, url] : cases) {
        EXPECT_EQ(server_url(text), url) << text;
    }
}

TEST(Url, OfAServerNamesOne) {
    for (const char* text : {"", "/", "https:///", "login.example.com", "https://x:0"}) {
        EXPECT_EQ(server_url(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace runtime::inline base
