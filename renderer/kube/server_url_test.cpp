#include "renderer/kube/server_url.h"

#include <gtest/gtest.h>

namespace renderer::inline kube {
namespace {

TEST(ServerUrl, NamesAServer) {
    for (const std::string_view text :
         {"https://login.example.com", "http://hs.lan:8080/", "http://127.0.0.1:8001",
          "https://[fd00::1]/x/y", "https://[fd00::1]:6443",
          "https://rancher.example.com/k8s/clusters/c-1/"}) {
        EXPECT_TRUE(is_server_url(text)) << text;
    }
}

TEST(ServerUrl, IsNoOtherText) {
    for (const std::string_view text : {"",
                                        "/",
                                        "foo",
                                        "login.example.com",
                                        "127.0.0.1:8001",
                                        "ftp://a",
                                        "HTTPS://a",
                                        "https:/a",
                                        "https://",
                                        "https:///",
                                        "http:///x",
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
                                        "https://x/me@y",
                                        "https://x?y",
                                        "https://x/#y",
                                        "https://a b",
                                        "https://a/b\n",
                                        "https://a/\x7f",
                                        "https://käse"}) {
        EXPECT_FALSE(is_server_url(text)) << text;
    }
}

}  // namespace
}  // namespace renderer::inline kube
