#include "runtime/controller/keys/account.h"

#include <gtest/gtest.h>

#include "renderer/base/base64.h"

namespace runtime::controller {
namespace {

std::string token_with(std::string_view claims) {
    std::string body = renderer::encode_base64(claims);
    body.erase(body.find_last_not_of('=') + 1);
    for (char& c : body) {
        c = c == '+' ? '-' : c == '/' ? '_' : c;
    }
    return "eyJhbGciOiJSUzI1NiJ9." + body + ".c2lnbmF0dXJl";
}

TEST(Account, IsTheOneThatTheTokenNames) {
    const auto account = account_of_token(
        token_with(R"({"aud":["https://kubernetes.default.svc","k3s"],"note":"??>>~~",)"
                   R"("sub":"system:serviceaccount:tailscale:operator"})"));
    ASSERT_TRUE(account);
    EXPECT_EQ(account->ns, "tailscale");
    EXPECT_EQ(account->name, "operator");
    EXPECT_EQ(account->audiences,
              (std::vector<std::string>{"https://kubernetes.default.svc", "k3s"}));
    const auto single =
        account_of_token(token_with(R"({"aud":"one","sub":"system:serviceaccount:a:b"})"));
    ASSERT_TRUE(single);
    EXPECT_EQ(single->audiences, std::vector<std::string>{"one"});
}

TEST(Account, IsNotGuessed) {
    for (const std::string& token :
         {std::string(), std::string("opaque"), std::string("a.b"), std::string("a.!!.c"),
          token_with("[]"), token_with("{}"), token_with(R"({"sub":"alice"})"),
          token_with(R"({"sub":"system:serviceaccount:tailscale"})")}) {
        auto account = account_of_token(token);
        ASSERT_FALSE(account) << token;
        EXPECT_EQ(account.error().diagnostic.message,
                  "the pod's token does not name its ServiceAccount");
    }
    EXPECT_FALSE(account_of_token_file("/nonexistent/token"));
}

}  // namespace
}  // namespace runtime::controller
