#include "renderer/repo/user_program.h"

#include <gtest/gtest.h>

namespace renderer::repo {
namespace {

TEST(UserProgram, ShowsTheMessageInALineOfKubectlsLog) {
    EXPECT_EQ(without_log_prefix("E1129 00:40:47.103077   15966 run.go:72] \"command failed\" "
                                 "err=\"no resource matches \\\"Ingress.v1\\\"\\n\\tat app\"\n"),
              "no resource matches \"Ingress.v1\"\n\tat app");
    for (const char* text :
         {"", "Error: no such file\n", "E1129 is all of it", "Error: a] \"command failed\" b"}) {
        EXPECT_EQ(without_log_prefix(text), text);
    }
}

}  // namespace
}  // namespace renderer::repo
