// A directory with real repositories for tests, made by the git program without the user's
// configuration.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "renderer/base/temporary_folder_testing.h"

namespace renderer::git {

class GitSandbox : public testing::Test {
protected:
    void SetUp() override {
        ::setenv("HOME", dir_.c_str(), 1);
        ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
        ::setenv("GIT_CONFIG_GLOBAL", (dir_ + "/.gitconfig").c_str(), 1);
        constexpr const char* kUser = "[user]\nname = Tester\nemail = tester@example.com\n";
        std::ofstream(dir_ + "/.gitconfig")
            << kUser
            << "[init]\ndefaultBranch = main\n"
               "[protocol \"file\"]\nallow = always\n[gc]\nauto = 0\n";
        git("init -q repo");
        repo_ = dir_ + "/repo";
        // libgit2 looks for .gitconfig in the HOME of the process's first call, so set the user
        // here.
        std::ofstream(repo_ + "/.git/config", std::ios::app) << kUser;
    }

    // Runs `git …` in a directory, after SetUp by default the repository, and returns its output.
    std::string git(const std::string& arguments, const std::string& dir = "") const {
        return shell("git " + arguments, dir);
    }
    std::string shell(const std::string& command, const std::string& dir = "") const {
        const std::string place = dir.empty() ? (repo_.empty() ? dir_ : repo_) : dir;
        std::FILE* pipe = ::popen(("cd '" + place + "' && " + command + " 2>&1").c_str(), "r");
        EXPECT_NE(pipe, nullptr);
        std::string text;
        std::array<char, 4096> part{};
        for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
            text.append(part.data(), got);
        }
        EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << text;
        while (text.ends_with('\n')) {
            text.pop_back();
        }
        return text;
    }
    void put(const std::string& path, const std::string& text) const {
        const std::filesystem::path file = repo_ + "/" + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }
    // Commits everything and returns the new commit's id.
    std::string commit_all(const std::string& message = "Change") const {
        git("add -A && git commit -q --allow-empty -m '" + message + "'");
        return git("rev-parse HEAD");
    }
    static std::string file_text(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    const TemporaryFolder folder_;
    const std::string dir_ = folder_.path();
    std::string repo_;
};

}  // namespace renderer::git
