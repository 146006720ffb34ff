#include "runtime/proxy/proxy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "renderer/base/temporary_folder_testing.h"
namespace runtime::proxy {
namespace {

namespace fs = std::filesystem;

class LinkSocket : public testing::Test {
protected:
    LinkSocket() {
        environment.root = folder.path();
        environment.socket = "/tmp/tailscaled.sock";
        link = root / "var/run/tailscale/tailscaled.sock";
    }

    const renderer::TemporaryFolder folder;
    const fs::path root = folder.path();
    fs::path link;
    Environment environment;
    Log log{Log::Form::Text, LogLevel::Error};
};

TEST_F(LinkSocket, IsMade) {
    fs::create_directories(root / "var/run");
    link_socket(environment, log);
    EXPECT_EQ(fs::read_symlink(link), environment.socket);
}

TEST_F(LinkSocket, ReplacesAnother) {
    fs::create_directories(link.parent_path());
    fs::create_symlink("/elsewhere", link);
    link_socket(environment, log);
    EXPECT_EQ(fs::read_symlink(link), environment.socket);
}

TEST_F(LinkSocket, IsLeftAloneWhereTheImageHasIt) {
    fs::create_directories(link.parent_path());
    fs::create_symlink(environment.socket, link);
    struct stat before {
    }, after{};
    ASSERT_EQ(lstat(link.c_str(), &before), 0);
    link_socket(environment, log);
    ASSERT_EQ(lstat(link.c_str(), &after), 0);
    EXPECT_EQ(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
    EXPECT_EQ(before.st_ino, after.st_ino);
}

}  // namespace
}  // namespace runtime::proxy
