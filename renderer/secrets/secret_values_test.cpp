#include "renderer/secrets/secret_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

namespace renderer::secrets {
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
}

std::string sops_texts(Value stanza) {
    Value sops = secret("stringData", Value::map({{"a", "ENC[AES256_GCM,data:abc]"},
                                                  {"b", ""},
                                                  {"password", "hunter2"},
                                                  {"user_unencrypted", "bob"},
                                                  {"host_plain", "db"}}));
    sops.put("sops", std::move(stanza));
    return texts(sops);
}

TEST(SecretValues, LeavesOutWhatSopsLeavesAlone) {
    struct Row {
        std::string_view rule, text, want;
    };
    for (const Row& row : std::vector<Row>{
             {"mac", "ENC[x]", "password=hunter2;host_plain=db;"},
             {"unencrypted_suffix", "_plain", "password=hunter2;user_unencrypted=bob;"},
             {"encrypted_suffix", "word", "password=hunter2;"},
             {"unencrypted_regex", "^(user|host)", "password=hunter2;"},
             {"unencrypted_regex", "(?i)^(USER|host)", "password=hunter2;"},
             {"encrypted_regex", "^(password|token)$", "password=hunter2;"},
             {"encrypted_regex", "^(p\\w+|token)$", "password=hunter2;"},
             {"encrypted_regex", "^(data|stringData)$",
              "password=hunter2;user_unencrypted=bob;host_plain=db;"}}) {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(sops_texts(Value::map({{row.rule, row.text}})), row.want);
    }
    EXPECT_EQ(sops_texts("no stanza"), "password=hunter2;host_plain=db;");
}

TEST(SecretValues, BelievesSopsWhoseRuleIsNotUnderstood) {
    for (const auto& [rule, text] : std::vector<std::pair<std::string_view, std::string_view>>{
             {"encrypted_comment_regex", "sops:enc"},
             {"unencrypted_comment_regex", "plain"},
             {"unencrypted_regex", "^(user"},
             {"encrypted_regex", "^pass(?=word)"}}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(sops_texts(Value::map({{rule, text}})), "");
    }
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
}  // namespace renderer::secrets
