#include "renderer/core/secret_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

namespace renderer {
namespace {

std::string texts(const Value& secret) {
    std::string all;
    for (const ClearValue& value : clear_values(secret)) {
        all += fmt::format("{}={};", value.member->name(), value.text);
    }
    return all;
}

Value secret(std::string_view field, Value values) {
    return Value::map({{"kind", "Secret"}, {field, std::move(values)}});
}

TEST(SecretValues, DecodesData) {
    EXPECT_EQ(texts(secret("data", Value::map({{"a", "aHVudGVyMg=="}, {"b", "not base64"}}))),
              "a=hunter2;b=not base64;");
    EXPECT_EQ(texts(secret("stringData", Value::map({{"a", "aHVudGVyMg=="}}))), "a=aHVudGVyMg==;");
}

TEST(SecretValues, LeavesOutWhatSomethingElseFillsIn) {
    EXPECT_EQ(texts(secret("stringData", Value::map({{"a", ""},
                                                     {"b", "${DB_PASSWORD}"},
                                                     {"c", "<path:kv/data/db#password>"},
                                                     {"d", "vault:secret/data/db#password"},
                                                     {"e", "ref+awsssm://db/password"},
                                                     {"f", "ENC[AES256_GCM,data:abc]"}}))),
              "");
    EXPECT_EQ(texts(secret("data", Value::map({{"a", "${DB_PASSWORD}"}, {"b", "dmF1bHQ6eA=="}}))),
              "");
    Value sops = secret("stringData", Value::map({{"user_unencrypted", "bob"}}));
    sops.put("sops", Value::map({{"mac", "ENC[x]"}}));
    EXPECT_EQ(texts(sops), "");
}

TEST(SecretValues, TakesNothingThatOnlyLooksLikeAReference) {
    EXPECT_EQ(texts(secret("stringData", Value::map({{"a", "${x}y"},
                                                     {"b", "${x}${y}"},
                                                     {"c", "<hunter2>"},
                                                     {"d", "a vault:x"}}))),
              "a=${x}y;b=${x}${y};c=<hunter2>;d=a vault:x;");
}

TEST(SecretValues, TakesOddShapes) {
    EXPECT_EQ(texts(secret("data", "text")), "");
    EXPECT_EQ(texts(secret("data", Value::map({{"a", Value::map()}}))), "");
    EXPECT_EQ(texts(secret("stringData", Value::map({{"pin", Value::number("1234")}}))),
              "pin=1234;");
}

}  // namespace
}  // namespace renderer
