#include "renderer/core/server_url.h"

#include <gtest/gtest.h>

#include <utility>

namespace renderer {
namespace {

TEST(ServerUrl, NamesTheServer) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"https://login.example.com", "login.example.com"},
        {"http://hs.lan:8080/", "hs.lan:8080"},
        {"https://[fd00::1]/x/y", "[fd00::1]"},
        {"", ""},
        {"login.example.com", ""},
        {"ftp://a", ""},
        {"HTTPS://a", ""},
        {"https:/a", ""},
        {"https://", ""},
        {"http:///x", ""},
        {"https://a b", ""},
        {"https://a/b\n", ""},
        {"https://a/\x7f", ""},
        {"https://käse", ""},
    };
    for (const auto& [text, server] : rows) {
        EXPECT_EQ(server_of_url(text), server) << text;
    }
}

}  // namespace
}  // namespace renderer
