#include "renderer/core/plain_scalar.h"

#include <gtest/gtest.h>

namespace renderer::inline core {
namespace {

struct ScalarRow {
    Value::Kind want;
    std::vector<const char*> texts;
};

// The results of sigs.k8s.io/yaml v1.6.0 (its goyaml.v2 resolve.go).
TEST(PlainScalar, ResolvesAsKubernetesDoes) {
    const ScalarRow rows[] = {
        {Value::Kind::Null, {"", "~", "null", "Null", "NULL"}},
        {Value::Kind::Bool,
         {"y", "Y", "yes", "Yes", "YES", "true",  "True",  "TRUE",  "on",  "On",  "ON",
          "n", "N", "no",  "No",  "NO",  "false", "False", "FALSE", "off", "Off", "OFF"}},
        {Value::Kind::Number, {"0",       "80",
                               "-1",      "+1",
                               "0644",    "08",
                               "0x1F",    "0X1f",
                               "-0x1",    "0o17",
                               "0b101",   "1_000",
                               "1__0_",   "0x_1f",
                               "0_x1f",   "-_1",
                               "1.0",     "1.",
                               "+1.5",    ".5",
                               "1e3",     "1E+3",
                               "-1.5e-3", "1_000.5",
                               ".5_0",    "18446744073709551616",
                               ".inf",    "-.Inf",
                               "+.INF",   ".nan",
                               ".NaN"}},
        {Value::Kind::String,
         {"yEs",        "nULL", "truee", "tru", "oN",    "_1",      "._5",   ".5_",
          "0x",         "0xg",  "0b2",   "0o8", "1e",    "e3",      "1.2.3", "12:30",
          "2001-01-01", "+",    "-",     ".",   "+.nan", "-.nan",   ".Nan",  ".infx",
          "--1",        "1-",   "=",     "<<",  "v1",    "\xC3\xA9"}},
    };
    for (const ScalarRow& row : rows) {
        for (const char* text : row.texts) {
            SCOPED_TRACE(text);
            EXPECT_EQ(plain_kind(text), row.want);
            EXPECT_EQ(resolve_plain(text).kind(), row.want);
        }
    }
}

TEST(PlainScalar, KeepsWhatWasWritten) {
    EXPECT_TRUE(resolve_plain("on").as_bool());
    EXPECT_FALSE(resolve_plain("N").as_bool());
    EXPECT_EQ(resolve_plain("0644").text(), "0644");
    EXPECT_EQ(resolve_plain("12:30").text(), "12:30");
}

}  // namespace
}  // namespace renderer::inline core
