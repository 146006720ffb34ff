#include "renderer/repo/private_copy.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "renderer/base/temporary_folder_testing.h"

namespace renderer::repo {
namespace {

namespace fs = std::filesystem;

class PrivateCopyTest : public testing::Test {
protected:
    PrivateCopyTest() { ::setenv("TMPDIR", dir_.c_str(), 1); }
    ~PrivateCopyTest() override { ::unsetenv("TMPDIR"); }

    const TemporaryFolder folder_;
    const std::string dir_ = folder_.path();
};

TEST_F(PrivateCopyTest, HoldsWhatIsWrittenUntilItsEnd) {
    {
        const PrivateFolder folder;
        EXPECT_EQ(fs::status(folder.path()).permissions(), fs::perms::owner_all);
        {
            const PrivateCopy copy(folder);
            EXPECT_TRUE(copy.write("a/b.yaml", "text"));
            std::ostringstream text;
            text << std::ifstream(copy.path() + "/a/b.yaml").rdbuf();
            EXPECT_EQ(text.str(), "text");
            const PrivateCopy other(folder);
            EXPECT_TRUE(fs::is_empty(other.path()));
            EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
        }
        EXPECT_TRUE(fs::is_empty(folder.path()));
    }
    EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(PrivateCopyTest, IsNotLeft) {
    const PrivateFolder folder;
    const PrivateCopy copy(folder);
    for (const std::string& path :
         {std::string("../x"), std::string("a/../../x"), std::string("a/.."), dir_ + "/x"}) {
        EXPECT_FALSE(copy.write(path, "text")) << path;
    }
    EXPECT_TRUE(fs::is_empty(copy.path()));
}

TEST_F(PrivateCopyTest, HasLinksWithinItself) {
    const PrivateFolder folder;
    const PrivateCopy copy(folder);
    EXPECT_TRUE(copy.link("a/link", "b/file"));
    EXPECT_FALSE(copy.has("b/file"));
    EXPECT_TRUE(copy.write("b/file", "text"));
    EXPECT_TRUE(copy.has("b/file"));
    EXPECT_EQ(fs::canonical(copy.path() + "/a/link"), copy.path() + "/b/file");
    EXPECT_FALSE(copy.link("a/link", "b/file"));
    EXPECT_FALSE(copy.link("a/other", "../x"));
    EXPECT_FALSE(copy.link("../x", "b/file"));
    EXPECT_FALSE(copy.link("a/other", "/etc/passwd"));
}

TEST_F(PrivateCopyTest, ReplacesNothing) {
    const PrivateFolder folder;
    const PrivateCopy copy(folder);
    EXPECT_TRUE(copy.write("a", "text"));
    EXPECT_FALSE(copy.write("a", "text"));
    EXPECT_FALSE(copy.write("a/b", "text"));
}

TEST_F(PrivateCopyTest, IsDeletedHoweverTheProcessEnds) {
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
        const pid_t child = ::fork();
        if (child == 0) {
            // A shell makes processes in the background ignore SIGINT.
            ::signal(signal, SIG_DFL);
            const PrivateFolder folder;
            const PrivateCopy copy(folder);
            ::kill(::getpid(), copy.write("a/b.yaml", "text") ? signal : SIGABRT);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(WTERMSIG(status), signal);
        EXPECT_GT(::wait(nullptr), 0);  // the process that removes it
        EXPECT_TRUE(fs::is_empty(dir_)) << signal;
    }
}

TEST_F(PrivateCopyTest, HasNoPathWithoutADirectory) {
    ::setenv("TMPDIR", (dir_ + "/absent").c_str(), 1);
    const PrivateFolder folder;
    const PrivateCopy copy(folder);
    EXPECT_EQ(copy.path(), "");
    EXPECT_FALSE(copy.write("a", ""));
}

}  // namespace
}  // namespace renderer::repo
