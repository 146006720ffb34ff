#include "runtime/base/file.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

TEST(FolderOf, IsTheRootOrTheWorkingDirectoryWhereThePathNamesNoOther) {
    EXPECT_EQ(folder_of("/etc/tsauth/key"), "/etc/tsauth");
    EXPECT_EQ(folder_of("/key"), "/");
    EXPECT_EQ(folder_of("key"), ".");
}

}  // namespace
}  // namespace runtime::inline base
