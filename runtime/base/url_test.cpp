#include "runtime/base/url.h"

#include <gtest/gtest.h>

#include <utility>

namespace runtime {
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
    for (const char* text : {"",
                             "/",
                             "https://",
                             "https:///",
                             "login.example.com",
                             "127.0.0.1:8001",
                             "ftp://x",
                             "https://:443",
                             "https://x:",
                             "https://x:0",
                             "https://x:65536",
                             "https://x:80:80",
                             "https://fd00::1",
                             "https://[fd00::1",
                             "https://[]",
                             "https://[fd00::1]6443",
                             "https://me@x",
                             "https://x?y",
                             "https://x#y",
                             "https://a b",
                             "https://x\n"}) {
        EXPECT_EQ(server_url(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace runtime
