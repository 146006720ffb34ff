#include "renderer/secrets/userinfo.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace renderer::secrets {
namespace {

struct UserinfoRow {
    std::string_view text, want;
};

TEST(Userinfo, EndsAtTheLastAt) {
    for (const UserinfoRow& row :
         std::vector<UserinfoRow>{{"postgres://bob:hunter2@db:5432/shop", "bob:hunter2"},
                                  {"a https://h/b, https://token@h/x", "token"},
                                  {"http://bob:hun@ter@h", "bob:hun@ter"},
                                  {"amqp://bob:hun/ter@2@mq/v", "bob:hun/ter@2"},
                                  {"http://bob:/hunter@h/x", "bob:/hunter"},
                                  {"http://bob:hun?t#er@h/x", "bob:hun?t#er"},
                                  {"http://bob:hun<ter>@h/x", "bob:hun<ter>"},
                                  {"http://bob:123456/7@h/x", "bob:123456/7"},
                                  {"http://bob:[x]@[::1]:80/x", "bob:[x]"},
                                  {"http://[bob:hun/ter@h", "[bob:hun/ter"}}) {
        EXPECT_EQ(find_userinfo(row.text), row.want) << row.text;
    }
}

TEST(Userinfo, IsNoPath) {
    for (const std::string_view text :
         {"", "://", "http://", "http://h", "bob@h", "bob:x@h", "http://@h", "http://h/x@y",
          "http://h:80/x@y", "http://127.0.0.1:1/team/repo@v2.git", "http://[::1]/x@y",
          "http://[::1]:80/x@y", "http://h:80 a@b", "http://h:x a@b", "\"http://h:x\",\"a@b\"",
          "http://h:80?a=b@c"}) {
        EXPECT_EQ(find_userinfo(text), "") << text;
    }
}

TEST(Userinfo, IsTakenOutOfTexts) {
    EXPECT_EQ(
        without_url_credentials(
            "Get \"https://me:t0ken@a.example/x?sig=t0ken#t0ken\": https://b.example/y?t0ken, end"),
        "Get \"https://a.example/x\": https://b.example/y end");
    EXPECT_EQ(without_url_credentials("https://me:t0/k?en@a.example/x"), "https://a.example/x");
    EXPECT_EQ(without_url_credentials("why? because: a://"), "why? because: a://");
    EXPECT_EQ(without_url_credentials(""), "");
}

TEST(Userinfo, IsTakenOutOfAddresses) {
    EXPECT_EQ(shown_address("me:t0ken@h.example/charts"), "h.example/charts");
    EXPECT_EQ(shown_address("https://me:t0ken@h.example/charts"), "https://h.example/charts");
    EXPECT_EQ(shown_address("h.example/charts"), "h.example/charts");
}

TEST(Userinfo, IsNotAllThatUrlsMayShow) {
    for (const std::string_view text :
         {"repo: https://me:t0ken@h/x", "a 'https://h/x?token=t0ken'",
          "https://h/x?ref=v1&sig=t0ken", "https://h/x?t0ken", "https://h, https://h/?a",
          "{repoURL: me:t0ken@charts.example.com/x}", "\"me:t0ken@localhost:5000/x\""}) {
        EXPECT_TRUE(may_show_url_credentials(text)) << text;
    }
    for (const std::string_view text :
         {"", "://", "https://h/x", "https://h/x?ref=v1&timeout=2m", "https://h/x? why?",
          "why? https://h/x", "oci://h/x@sha256:0a", "https://h/x # a?b", "h/x:1.2@sha256:0a",
          "x:1.2@sha256:0a", "git@example.com:x/y", "mail: bob@example.com"}) {
        EXPECT_FALSE(may_show_url_credentials(text)) << text;
    }
}

TEST(Userinfo, OddTextTakesNoTime) {
    for (const std::string_view part : {"://", "://a:b", "://@a:b", "a://b:1/@", "://["}) {
        std::string text;
        for (int i = 0; i < 200'000; ++i) {
            text += part;
        }
        find_userinfo(text);
        without_url_credentials(text);
        may_show_url_credentials(text);
    }
}

}  // namespace
}  // namespace renderer::secrets
