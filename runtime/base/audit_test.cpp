#include "runtime/base/audit.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

TEST(Audit, FieldsAreAsTheyAreAndOneLine) {
    const Time at =
        std::chrono::sys_days(std::chrono::year(2026) / 1 / 2) + std::chrono::milliseconds(3004);
    EXPECT_EQ(
        audit_line(at, "request",
                   {{"path", "/api/v1/namespaces/tskey-a/pods/eyJ"}, {"user", "a\"\n\x1b[2J"}}),
        R"({"time":"2026-01-02T00:00:03.004Z","level":"info","message":"request",)"
        R"("path":"/api/v1/namespaces/tskey-a/pods/eyJ","user":"a\"\n\u001b[2J"})");
}

}  // namespace
}  // namespace runtime::inline base
