#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "renderer/emit/changes.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/files.h"

namespace renderer {
namespace {

namespace fs = std::filesystem;

class WriteTree : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "write_tree_XXXXXX";
        root_ = ::mkdtemp(pattern.data());
        dir_ = root_ + "/out";
    }
    void TearDown() override { fs::remove_all(root_); }

    void put(const std::string& path, const std::string& content) const {
        fs::create_directories(fs::path(dir_ + "/" + path).parent_path());
        std::ofstream(dir_ + "/" + path) << content;
    }

    // Every file below the directory as "path=content ", the inventory with blanks for newlines.
    std::string dump() const {
        std::vector<std::string> lines;
        for (const auto& entry : fs::recursive_directory_iterator(dir_)) {
            const std::string path = entry.path().string().substr(dir_.size() + 1);
            if (!entry.is_regular_file()) {
                lines.push_back(path + "/");
                continue;
            }
            std::ifstream file(entry.path());
            std::string content{std::istreambuf_iterator<char>(file), {}};
            std::replace(content.begin(), content.end(), '\n', ',');
            lines.push_back(fmt::format("{}={}", path, content));
        }
        std::sort(lines.begin(), lines.end());
        std::string out;
        for (const std::string& line : lines) {
            out += line + " ";
        }
        return out;
    }

    std::string write(const std::vector<OutputFile>& files) const {
        auto report = write_tree(dir_, files);
        if (!report) {
            Diagnostics diagnostics;
            diagnostics.add(report.error().diagnostic);
            std::string text = diagnostics.print(SourceMap(), false);
            for (auto at = text.find(root_); at != std::string::npos; at = text.find(root_)) {
                text.replace(at, root_.size(), "ROOT");
            }
            return text;
        }
        std::string out;
        for (const auto& path : report->created) {
            out += "+" + path + " ";
        }
        for (const auto& path : report->changed) {
            out += "~" + path + " ";
        }
        for (const auto& path : report->removed) {
            out += "-" + path + " ";
        }
        return out + std::to_string(report->unchanged);
    }

    std::string root_, dir_;
};

TEST_F(WriteTree, WritesFilesAndTheInventory) {
    EXPECT_EQ(write({{"a.yaml", "1"}, {"b/c.yaml", "2"}}), "+a.yaml +b/c.yaml 0");
    EXPECT_EQ(dump(), ".tailrender-inventory=a.yaml,b/c.yaml, a.yaml=1 b/ b/c.yaml=2 ");
}

TEST_F(WriteTree, IsIdempotent) {
    const std::vector<OutputFile> files = {{"a.yaml", "1"}, {"b/c.yaml", "2"}};
    write(files);
    const std::string before = dump();
    EXPECT_EQ(write(files), "2");
    EXPECT_EQ(dump(), before);
}

TEST_F(WriteTree, ChangesAndRemovesOnlyItsOwnFiles) {
    write({{"a.yaml", "1"}, {"b/c.yaml", "2"}, {"d/e/f.yaml", "3"}, {"g/h.yaml", "4"}});
    put("d/e/user.txt", "mine");
    EXPECT_EQ(write({{"a.yaml", "new"}}), "~a.yaml -b/c.yaml -d/e/f.yaml -g/h.yaml 0");
    EXPECT_EQ(dump(), ".tailrender-inventory=a.yaml, a.yaml=new d/ d/e/ d/e/user.txt=mine ");
}

TEST_F(WriteTree, RefusesToOverwriteWhatItDidNotWrite) {
    put("a.yaml", "mine");
    put("b/c.yaml", "mine too");
    const std::string before = dump();
    EXPECT_EQ(write({{"a.yaml", "1"}, {"b/c.yaml", "2"}, {"d.yaml", "3"}}),
              "ROOT/out/a.yaml: error: the output path holds something that tailrender did not "
              "write [not-ours]\n"
              "  expected: nothing, or a file listed in \"ROOT/out/.tailrender-inventory\"\n"
              "  hint: move it away, or choose another directory with -o\n"
              "note: so does \"ROOT/out/b/c.yaml\"\n");
    EXPECT_EQ(dump(), before);
}

TEST_F(WriteTree, AdoptsAnIdenticalFile) {
    put("a.yaml", "1");
    EXPECT_EQ(write({{"a.yaml", "1"}}), "1");
    EXPECT_EQ(dump(), ".tailrender-inventory=a.yaml, a.yaml=1 ");
}

TEST_F(WriteTree, RefusesSymbolicLinks) {
    fs::create_directories(dir_);
    fs::create_directories(root_ + "/elsewhere");
    fs::create_symlink(root_ + "/elsewhere", dir_ + "/b");
    EXPECT_TRUE(write({{"b/c.yaml", "2"}}).find("[not-ours]") != std::string::npos);
    EXPECT_TRUE(fs::is_empty(root_ + "/elsewhere"));
    put(".tailrender-inventory", "b/c.yaml\n");
    std::ofstream(root_ + "/elsewhere/c.yaml") << "mine";
    EXPECT_EQ(write({{"a.yaml", "1"}}), "+a.yaml 0");
    EXPECT_TRUE(fs::exists(root_ + "/elsewhere/c.yaml"));
}

TEST_F(WriteTree, RefusesAnInventoryThatPointsOutside) {
    for (const std::string line : {"../x", "/etc/passwd", "a/../../x", "a//b", ""}) {
        put(".tailrender-inventory", "a.yaml\n" + line + "\n");
        EXPECT_EQ(write({{"a.yaml", "1"}}),
                  "ROOT/out/.tailrender-inventory:2: error: an inventory line must be a path "
                  "inside of its directory [bad-inventory]\n"
                  "  found: \"" +
                      line +
                      "\"\n"
                      "  hint: restore the file from version control; it lists what tailrender "
                      "may delete\n");
    }
}

TEST_F(WriteTree, TurnsAFileIntoADirectoryAndBack) {
    write({{"a", "1"}});
    EXPECT_EQ(write({{"a/b", "2"}}), "+a/b -a 0");
    EXPECT_EQ(dump(), ".tailrender-inventory=a/b, a/ a/b=2 ");
    EXPECT_EQ(write({{"a", "3"}}), "+a -a/b 0");
    EXPECT_EQ(dump(), ".tailrender-inventory=a, a=3 ");
}

TEST_F(WriteTree, SaysWhenAnotherRunHoldsTheDirectory) {
    fs::create_directories(dir_);
    const auto lock = DirectoryLock::take(dir_);
    ASSERT_TRUE(lock);
    EXPECT_EQ(write({{"a", "1"}}),
              "ROOT/out: error: another run is writing this directory [output-busy]\n"
              "  hint: wait for it to end, then run again\n");
}

TEST_F(WriteTree, NamesThePathThatCannotBeCreated) {
    std::ofstream(dir_) << "a file";
    EXPECT_EQ(write({{"a", "1"}}),
              "ROOT/out: error: cannot create the directory: Not a directory [write-failed]\n");
}

// A file size limit stands in for a full disk: both make write() fail half way.
TEST_F(WriteTree, CompletesARunThatRanOutOfSpace) {
    const std::vector<OutputFile> files = {{"a", "1"}, {"b", std::string(9000, 'x')}, {"c", "3"}};
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4096, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const std::string failed = write(files);
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(failed, "ROOT/out/b: error: cannot write the file: File too large [write-failed]\n");
    EXPECT_EQ(dump(), ".tailrender-inventory=a,b,c, a=1 ");
    EXPECT_EQ(write(files), "+b +c 1");
}

// The promise of write_tree.cpp, at instants that the kernel chooses: whatever a killed run leaves,
// the next one ends with exactly the wanted files, and the user's file is still there.
TEST_F(WriteTree, CompletesAKilledRun) {
    std::vector<OutputFile> first;
    std::vector<OutputFile> second;
    for (int i = 100; i < 400; ++i) {
        const std::string name = std::to_string(i);
        first.push_back({"dir" + name.substr(0, 2) + "/" + name, "old " + name});
        if (i % 3 != 0) {
            second.push_back(
                {"dir" + name.substr(0, 2) + "/" + name, i % 2 == 0 ? "new" : "old " + name});
        }
        second.push_back({"other/" + name, "new " + name});
    }
    const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
    std::sort(second.begin(), second.end(), by_path);
    write(second);
    const std::string want = dump();
    fs::remove_all(dir_);
    int interrupted = 0;
    for (int round = 0; round < 15; ++round) {
        ASSERT_EQ(write(first).find("error"), std::string::npos);
        const pid_t child = ::fork();
        if (child == 0) {
            (void)write_tree(dir_, second);
            ::_exit(0);
        }
        ::usleep(static_cast<useconds_t>(200 + 800 * round));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        interrupted += WIFSIGNALED(status) ? 1 : 0;
        ASSERT_EQ(write(second).find("error"), std::string::npos);
        ASSERT_EQ(dump(), want) << "after round " << round;
    }
    EXPECT_GT(interrupted, 0);
}

TEST_F(WriteTree, ComparesLikeItWrites) {
    write({{"a", "1\n"}, {"b", "2\n"}});
    EXPECT_EQ(*compare_tree(dir_, {{"a", "1\n"}, {"b", "2\n"}}), "");
    const std::string before = dump();
    EXPECT_EQ(*compare_tree(dir_, {{"b", "3\n"}, {"c", "4\n"}}),
              "--- " + dir_ + "/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n" +  //
                  "--- " + dir_ + "/b\n+++ " + dir_ + "/b\n@@ -1 +1 @@\n-2\n+3\n" +
                  "--- /dev/null\n+++ " + dir_ + "/c\n@@ -0,0 +1 @@\n+4\n");
    EXPECT_EQ(dump(), before);
    fs::remove(dir_ + "/.tailrender-inventory");
    EXPECT_NE(*compare_tree(dir_, {{"a", "1\n"}, {"b", "2\n"}}), "");
}

TEST_F(WriteTree, ComparesWithoutShowingSecrets) {
    write({{"s", "kind: Secret\nstringData: {password: hunter2}\n"}});
    const std::string diff =
        *compare_tree(dir_, {{"s", "kind: Secret\nstringData: {password: swordfish}\n"}});
    EXPECT_EQ(diff,
              "--- " + dir_ + "/s\n+++ " + dir_ + "/s\n# holds a Secret: contents not shown\n");
}

}  // namespace
}  // namespace renderer
