#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "renderer/base/temporary_folder_testing.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/tree/changes.h"
#include "renderer/emit/tree/files.h"
#include "renderer/emit/tree/packed_tree.h"

namespace renderer::emit {
namespace {

namespace fs = std::filesystem;

Result<std::vector<WriteReport>> write_each(std::span<const RenderedTree> trees) {
    std::vector<PackedTree> packed;
    packed.reserve(trees.size());
    for (const RenderedTree& tree : trees) {
        packed.emplace_back(
            tree, packed.empty() ? PackedTree::Packing::None : PackedTree::Packing::Deflate);
    }
    std::vector<WriteReport> reports;
    TRY(write_trees(packed, 2, [&](const WriteReport& report) { reports.push_back(report); }));
    return reports;
}

class WriteTrees : public testing::Test {
protected:
    void put(const std::string& path, const std::string& content) const {
        fs::create_directories(fs::path(dir_ + "/" + path).parent_path());
        std::ofstream(dir_ + "/" + path) << content;
    }

    // Returns every file below the directory as "path=content "; for an inventory its files.
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
            if (path.ends_with(repo::kInventoryFile)) {
                const auto listed = repo::read_inventory(path, content);
                content = listed ? fmt::format("{}", fmt::join(listed->files, ",")) : "?";
            }
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

    std::string said(const Error& error) const {
        Diagnostics diagnostics;
        diagnostics.add(error.diagnostic);
        std::string text = diagnostics.print(SourceMap(), false);
        for (auto at = text.find(root_); at != std::string::npos; at = text.find(root_)) {
            text.replace(at, root_.size(), "ROOT");
        }
        return text;
    }

    std::string write(const std::vector<OutputFile>& files) const {
        auto reports = write_each(std::array{RenderedTree{dir_, files}});
        if (!reports) {
            return said(reports.error());
        }
        std::string out;
        for (const auto& path : reports->front().created) {
            out += "+" + path + " ";
        }
        for (const auto& path : reports->front().changed) {
            out += "~" + path + " ";
        }
        for (const auto& path : reports->front().removed) {
            out += "-" + path + " ";
        }
        return out + std::to_string(reports->front().unchanged);
    }

    const TemporaryFolder folder_;
    const std::string root_ = folder_.path();
    const std::string dir_ = root_ + "/out";
};

TEST_F(WriteTrees, WritesFilesAndTheInventory) {
    EXPECT_EQ(write({{"a.yaml", "1"}, {"b/c.yaml", "2"}}), "+a.yaml +b/c.yaml 0");
    EXPECT_EQ(dump(), ".tailrender-inventory=a.yaml,b/c.yaml a.yaml=1 b/ b/c.yaml=2 ");
}

TEST_F(WriteTrees, IsIdempotent) {
    const std::vector<OutputFile> files = {{"a.yaml", "1"}, {"b/c.yaml", "2"}};
    write(files);
    const std::string before = dump();
    EXPECT_EQ(write(files), "2");
    EXPECT_EQ(dump(), before);
}

TEST_F(WriteTrees, ChangesAndRemovesOnlyItsOwnFiles) {
    write({{"a.yaml", "1"}, {"b/c.yaml", "2"}, {"d/e/f.yaml", "3"}, {"g/h.yaml", "4"}});
    put("d/e/user.txt", "mine");
    EXPECT_EQ(write({{"a.yaml", "new"}}), "~a.yaml -b/c.yaml -d/e/f.yaml -g/h.yaml 0");
    EXPECT_EQ(dump(), ".tailrender-inventory=a.yaml a.yaml=new d/ d/e/ d/e/user.txt=mine ");
}

TEST_F(WriteTrees, RefusesToOverwriteWhatItDidNotWrite) {
    put("a.yaml", "mine");
    put("b/c.yaml", "mine too");
    const std::string before = dump();
    EXPECT_EQ(write({{"a.yaml", "1"}, {"b/c.yaml", "2"}, {"d.yaml", "3"}}),
              "ROOT/out/a.yaml: error: the output path has a file that tailrender did not write "
              "[not-ours]\n"
              "  expected: nothing, or a file listed in \"ROOT/out/.tailrender-inventory\"\n"
              "  hint: move it away, or choose another directory with -o\n"
              "note: so does \"ROOT/out/b/c.yaml\"\n");
    EXPECT_EQ(dump(), before);
}

TEST_F(WriteTrees, AdoptsAnIdenticalFile) {
    put("a.yaml", "1");
    EXPECT_EQ(write({{"a.yaml", "1"}}), "1");
    EXPECT_EQ(dump(), ".tailrender-inventory=a.yaml a.yaml=1 ");
}

TEST_F(WriteTrees, RefusesSymbolicLinks) {
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

TEST_F(WriteTrees, FollowsNoLinkInThePathOfTheOutput) {
    fs::create_directories(root_ + "/elsewhere/lab");
    fs::create_directory_symlink(root_ + "/elsewhere", root_ + "/link");
    const std::string said_of_it =
        "ROOT/link: error: a symbolic link in the path of the output directory [output-link]\n"
        "  expected: directories: a link would move the output elsewhere\n"
        "  hint: write to the directory that it points to, or remove the link\n";
    const std::vector<OutputFile> files = {{"a", "1"}};
    auto is_link = write_each(std::array{RenderedTree{root_ + "/link", files}});
    ASSERT_FALSE(is_link);
    EXPECT_EQ(said(is_link.error()), said_of_it);
    EXPECT_FALSE(compare_tree({root_ + "/link", files}));
    // Above the work tree a link belongs to the machine; inside it may have been committed.
    ASSERT_TRUE(write_each(std::array{RenderedTree{root_ + "/link/lab", files}}));
    EXPECT_TRUE(fs::exists(root_ + "/elsewhere/lab/a"));
    fs::create_directories(root_ + "/.git");
    auto leads = write_each(std::array{RenderedTree{root_ + "/link/home", files}});
    ASSERT_FALSE(leads);
    EXPECT_EQ(said(leads.error()), said_of_it);
    EXPECT_FALSE(fs::exists(root_ + "/elsewhere/home"));
}

TEST_F(WriteTrees, RefusesAnInventoryThatPointsOutside) {
    for (const std::string line : {"../x", "/etc/passwd", "a/../../x", "a//b", ""}) {
        put(".tailrender-inventory", "a.yaml\n" + line + "\n");
        EXPECT_EQ(write({{"a.yaml", "1"}}),
                  "ROOT/out/.tailrender-inventory:2: error: an inventory must list paths in its "
                  "directory [bad-inventory]\n"
                  "  found: \"" +
                      line +
                      "\"\n"
                      "  hint: restore the file from version control, or move the directory away "
                      "and render again\n");
    }
}

TEST_F(WriteTrees, TurnsAFileIntoADirectoryAndBack) {
    write({{"a", "1"}});
    EXPECT_EQ(write({{"a/b", "2"}}), "+a/b -a 0");
    EXPECT_EQ(dump(), ".tailrender-inventory=a/b a/ a/b=2 ");
    EXPECT_EQ(write({{"a", "3"}}), "+a -a/b 0");
    EXPECT_EQ(dump(), ".tailrender-inventory=a a=3 ");
}

TEST_F(WriteTrees, SaysWhenAnotherRunHoldsTheDirectory) {
    fs::create_directories(dir_);
    const auto lock = DirectoryLock::take(dir_);
    ASSERT_TRUE(lock);
    EXPECT_EQ(write({{"a", "1"}}),
              "ROOT/out: error: another process is writing to this directory [output-busy]\n"
              "  hint: wait for it to finish, then run again\n");
}

TEST_F(WriteTrees, NamesThePathThatCannotBeCreated) {
    std::ofstream(dir_) << "a file";
    EXPECT_EQ(write({{"a", "1"}}),
              "ROOT/out: error: cannot create the directory: Not a directory [write-failed]\n");
}

// A file size limit simulates a full disk: both make write() fail half way.
TEST_F(WriteTrees, CompletesARunThatRanOutOfSpace) {
    const std::vector<OutputFile> files = {{"a", "1"}, {"b", std::string(9000, 'x')}, {"c", "3"}};
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4096, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const std::string failed = write(files);
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(failed, "ROOT/out/b: error: cannot write the file: File too large [write-failed]\n");
    EXPECT_EQ(dump(), ".tailrender-inventory=a,b,c a=1 ");
    EXPECT_EQ(write(files), "+b +c 1");
}

TEST_F(WriteTrees, ReportsTheTreesBesideOneThatFailed) {
    const std::vector<RenderedTree> trees = {{dir_ + "/a", {{"x", "1"}}},
                                             {dir_ + "/b", {{"x", std::string(9000, 'x')}}},
                                             {dir_ + "/c", {{"x", "3"}}}};
    std::vector<PackedTree> packed;
    packed.reserve(trees.size());
    for (const RenderedTree& tree : trees) {
        packed.emplace_back(tree, PackedTree::Packing::Deflate);
    }
    std::size_t reports = 0;
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4096, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    auto failed = write_trees(packed, 2, [&](const WriteReport&) { ++reports; });
    ::setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().diagnostic.where, dir_ + "/b/x");
    EXPECT_EQ(reports, 2U);
}

// Checks what write_trees.cpp promises, at arbitrary instants: whatever a killed run leaves, the
// next one ends with exactly the wanted files, and the user's file still exists.
TEST_F(WriteTrees, CompletesAKilledRun) {
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
            (void)write_each(std::array{RenderedTree{dir_, second}});
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

TEST_F(WriteTrees, RemovesTemporaryFilesOfAKilledRun) {
    const std::vector<OutputFile> files = {{"a", "1"}, {"dir/b", "2"}};
    write(files);
    const std::string want = dump();
    put("dir/.tailrender-temporary", "2");
    put(".tailrender-temporary", "1");
    EXPECT_EQ(write(files), "2");
    EXPECT_EQ(dump(), want);
    fs::create_symlink("b", dir_ + "/dir/.tailrender-temporary");  // not a file of ours
    EXPECT_EQ(write({{"a", "1"}, {"dir/b", "3"}}), "~dir/b 1");
    EXPECT_EQ(write(files), "~dir/b 1");
    EXPECT_EQ(dump(), want);
}

TEST_F(WriteTrees, RefusesAllBeforeItTouchesOne) {
    const std::vector<RenderedTree> old = {{dir_ + "/home", {{"a", "1"}}}, {dir_ + "/lab", {}}};
    ASSERT_TRUE(write_each(old));
    put("lab/b", "of the user");
    const std::string before = dump();
    const std::vector<RenderedTree> trees = {{dir_ + "/home", {{"a", "2"}}},
                                             {dir_ + "/house", {{"a", "2"}}},
                                             {dir_ + "/lab", {{"b", "2"}}}};
    auto refused = write_each(trees);
    ASSERT_FALSE(refused);
    EXPECT_EQ(said(refused.error()).substr(0, 22), "ROOT/out/lab/b: error:");
    EXPECT_EQ(dump(), before);
    auto comes_late = write_each(std::array{RenderedTree{dir_ + "/home", {{"a", "3"}}},
                                            RenderedTree{dir_ + "/lab/b/x", {{"c", "3"}}}});
    ASSERT_FALSE(comes_late);
    EXPECT_EQ(dump(), before);
}

TEST_F(WriteTrees, TakesAwayWhatAClusterLeft) {
    const std::vector<RenderedTree> trees = {{dir_ + "/home", {{"a", "1\n"}}},
                                             {dir_ + "/lab", {{"b/c", "2\n"}}},
                                             {dir_ + "/old", {{"d", "3\n"}}}};
    ASSERT_TRUE(write_each(trees));
    put("old/note", "of the user");
    put("other/x", "of the user");
    fs::create_directory_symlink(dir_ + "/lab", dir_ + "/link");
    const std::vector<std::string> clusters = {"home"};
    auto gone = find_gone_trees(dir_, clusters);
    ASSERT_TRUE(gone);
    ASSERT_EQ(gone->size(), 2U);
    EXPECT_EQ(gone->front().dir, dir_ + "/lab");
    EXPECT_EQ(*compare_tree(gone->back()),
              "--- " + dir_ + "/old/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-3\n" +  //
                  "--- " + dir_ +
                  "/old/.tailrender-inventory\n+++ /dev/null\n@@ -1,7 +0,0 @@\n-{\n-  \"version\": "
                  "1,\n-  \"files\": [\n-    \"d\"\n-  ],\n-  \"devices\": []\n-}\n");
    auto reports = write_each(*gone);
    ASSERT_TRUE(reports);
    EXPECT_EQ(reports->front().removed, std::vector<std::string>{"b/c"});
    EXPECT_EQ(reports->back().removed, std::vector<std::string>{"d"});
    EXPECT_EQ(dump(),
              "home/ home/.tailrender-inventory=a home/a=1, link/ old/ old/note=of the user other/ "
              "other/x=of the user ");
    EXPECT_TRUE(find_gone_trees(dir_, clusters)->empty());
    EXPECT_TRUE(find_gone_trees(dir_ + "/none", clusters)->empty());
}

TEST_F(WriteTrees, AGoneTreeLeavesTheTreesInIt) {
    ASSERT_TRUE(write_each(std::array{RenderedTree{dir_, {{"home/x", "1"}, {"old", "2"}}}}));
    const std::vector<std::string> clusters = {"home"};
    auto gone = find_gone_trees(dir_, clusters);
    ASSERT_TRUE(gone);
    std::vector<RenderedTree> trees = {{dir_ + "/home", {{"x", "1"}}}};
    trees.insert(trees.end(), gone->begin(), gone->end());
    ASSERT_TRUE(write_each(trees));
    EXPECT_EQ(dump(), "home/ home/.tailrender-inventory=x home/x=1 ");
}

TEST_F(WriteTrees, AnEmptyInventoryGoesToo) {
    put("lab/.tailrender-inventory", "");
    auto gone = find_gone_trees(dir_, {});
    ASSERT_TRUE(gone);
    ASSERT_EQ(gone->size(), 1U);
    const std::string inventory = dir_ + "/lab/.tailrender-inventory";
    EXPECT_EQ(*compare_tree(gone->front()),
              "diff --git " + inventory + " " + inventory +
                  "\ndeleted file mode 100644\nindex e69de29..0000000\n");
    ASSERT_TRUE(write_each(*gone));
    EXPECT_FALSE(fs::exists(dir_ + "/lab"));
}

TEST_F(WriteTrees, ComparesLikeItWrites) {
    write({{"a", "1\n"}, {"b", "2\n"}});
    EXPECT_EQ(*compare_tree({dir_, {{"a", "1\n"}, {"b", "2\n"}}}), "");
    const std::string before = dump();
    EXPECT_EQ(*compare_tree({dir_, {{"b", "3\n"}, {"c", "4\n"}}}),
              "--- " + dir_ + "/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n" +  //
                  "--- " + dir_ + "/b\n+++ " + dir_ + "/b\n@@ -1 +1 @@\n-2\n+3\n" +
                  "--- /dev/null\n+++ " + dir_ + "/c\n@@ -0,0 +1 @@\n+4\n" +  //
                  "--- " + dir_ + "/.tailrender-inventory\n+++ " + dir_ +
                  "/.tailrender-inventory\n@@ -1,8 +1,8 @@\n {\n   \"version\": 1,\n   \"files\": "
                  "[\n-    "
                  "\"a\",\n-    \"b\"\n+    \"b\",\n+    \"c\"\n   ],\n   \"devices\": []\n }\n");
    EXPECT_EQ(dump(), before);
    fs::remove(dir_ + "/.tailrender-inventory");
    EXPECT_NE(*compare_tree({dir_, {{"a", "1\n"}, {"b", "2\n"}}}), "");
}

TEST_F(WriteTrees, ComparesWithoutShowingSecrets) {
    write({{"s", "kind: Secret\nstringData: {password: hunter2}\n"}});
    const std::string diff =
        *compare_tree({dir_, {{"s", "kind: Secret\nstringData: {password: swordfish}\n"}}});
    EXPECT_EQ(diff,
              "--- " + dir_ + "/s\n+++ " + dir_ + "/s\n# holds a Secret: contents not shown\n");
}

}  // namespace
}  // namespace renderer::emit
