#include "runtime/proxy/config_copy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/proxy/config_file.h"
#include "runtime/testing/fake_loop.h"

namespace runtime::proxy {
namespace {

namespace fs = std::filesystem;

class CopiedConfig : public testing::Test {
protected:
    void write(std::string_view name, std::string_view text) const {
        std::ofstream(root / name) << text;
    }
    [[nodiscard]] std::string read(std::string_view name) const {
        return *read_whole((root / "own" / name).string());
    }
    std::string problem() {
        auto written = copy.write();
        return written ? "" : written.error().diagnostic.message;
    }

    const renderer::TemporaryFolder folder;
    const fs::path root = folder.path();
    FakeLoop loop;
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    FollowedFiles files{loop, log, random};
    ConfigCopy copy{files, (root / "own").string(), (root / "cap-107.hujson").string()};
};

TEST_F(CopiedConfig, NamesTheKeyWhereItIs) {
    write("key", "k\n");
    write("cap-107.hujson",
          R"({"version": "alpha0", /* none */ "AUTHKEY": "file:)" + (root / "key").string() +
              R"(", "AdvertiseRoutes": ["10.0.0.0/8"], "RelayServerPort": 41641,})");
    EXPECT_EQ(problem(), "");
    EXPECT_EQ(read("authkey"), "k\n");
    EXPECT_EQ(read("cap-107.hujson"),
              R"({"version":"alpha0","AUTHKEY":"file:)" + (root / "own/authkey").string() +
                  R"(","AdvertiseRoutes":["10.0.0.0/8"],"RelayServerPort":41641})");
}

TEST_F(CopiedConfig, IsTheSameTextWithoutAKeyFile) {
    const std::string text = R"({"version": "alpha0", "AuthKey": "tskey-a"} // none)";
    write("cap-107.hujson", text);
    EXPECT_EQ(problem(), "");
    EXPECT_EQ(read("cap-107.hujson"), text);
    EXPECT_FALSE(fs::exists(root / "own/authkey"));
}

TEST_F(CopiedConfig, IsNotReplacedByAnInvalidConfiguration) {
    write("cap-107.hujson", R"({"version":"alpha0"})");
    EXPECT_EQ(problem(), "");
    write("cap-107.hujson", "{");
    EXPECT_EQ(problem(), "error parsing config file " + (root / "cap-107.hujson").string() +
                             ": not a JSON object");
    EXPECT_EQ(read("cap-107.hujson"), R"({"version":"alpha0"})");
    EXPECT_EQ(copy.original_text(), R"({"version":"alpha0"})");
}

TEST_F(CopiedConfig, IsNotWrittenWhereOthersCouldReadIt) {
    write("cap-107.hujson", R"({"version":"alpha0"})");
    fs::create_directory(root / "own");
    fs::permissions(root / "own", fs::perms::group_read, fs::perm_options::add);
    EXPECT_EQ(problem(), "cannot write a copy of tailscaled's configuration to " +
                             (root / "own").string() + ": others have access to it");
    fs::remove(root / "own");
    fs::create_directory(root / "theirs");
    fs::create_directory_symlink(root / "theirs", root / "own");
    EXPECT_EQ(problem(), "cannot write a copy of tailscaled's configuration to " +
                             (root / "own").string() + ": Not a directory");
    EXPECT_TRUE(fs::is_empty(root / "theirs"));
}

}  // namespace
}  // namespace runtime::proxy
