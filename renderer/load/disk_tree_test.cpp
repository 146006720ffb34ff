#include "renderer/repo/disk_tree.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "renderer/base/temporary_folder_testing.h"
#include "renderer/load/load.h"

namespace renderer::load {
namespace {

class DiskTreeTest : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = dir_ + "/" + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
    }

    const TemporaryFolder folder_;
    const std::string dir_ = folder_.path();
};

TEST_F(DiskTreeTest, ReadsBytes) {
    const std::string text = std::string("a\0b\r\n", 5) + std::string(100000, 'x');
    write("f", text);
    write("empty", "");
    EXPECT_EQ(*repo::DiskTree().read(dir_ + "/f"), text);
    EXPECT_EQ(*repo::DiskTree().read(dir_ + "/empty"), "");
}

TEST_F(DiskTreeTest, ReadErrorNamesTheFile) {
    Result<std::string> missing = repo::DiskTree().read(dir_ + "/x");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().diagnostic.where, dir_ + "/x");
    EXPECT_EQ(missing.error().diagnostic.message, "cannot read: No such file or directory");
    Result<std::string> directory = repo::DiskTree().read(dir_);
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().diagnostic.message, "cannot read: Is a directory");
}

TEST_F(DiskTreeTest, RefusesThePointersOfGitLfs) {
    const std::string start = "version https://git-lfs.github.com/spec/v1\n";
    const std::string id = "oid sha256:" + std::string(64, 'a') + "\n";
    write("pointer", start + id + "size 12\n");
    Result<std::string> pointer = repo::DiskTree().read(dir_ + "/pointer");
    ASSERT_FALSE(pointer);
    EXPECT_EQ(pointer.error().diagnostic.rule, "lfs-pointer");
    EXPECT_EQ(pointer.error().diagnostic.where, dir_ + "/pointer");
    EXPECT_EQ(pointer.error().diagnostic.hint, "git lfs pull");
    for (const std::string& other :
         {start + id, start + "size 12\n", id + "size 12\n", start + "oid sha256:short\nsize 12\n",
          start + id + "size 12\n" + std::string(1024, 'x')}) {
        write("other", other);
        EXPECT_EQ(*repo::DiskTree().read(dir_ + "/other"), other);
    }
}

TEST_F(DiskTreeTest, ListsSorted) {
    write("b", "");
    write("a/x", "");
    write("B", "");
    std::filesystem::create_symlink("a", dir_ + "/link");
    std::filesystem::create_symlink("nowhere", dir_ + "/dangling");
    std::filesystem::create_symlink("circle", dir_ + "/circle");
    std::string text;
    const Result<std::vector<repo::Entry>> entries = repo::DiskTree().list(dir_);
    ASSERT_TRUE(entries);
    for (const repo::Entry& entry : *entries) {
        text += entry.name + (entry.kind == repo::EntryKind::Directory ? "/" : "") +
                (entry.kind == repo::EntryKind::Missing ? "?" : "") + (entry.is_link ? "@ " : " ");
    }
    EXPECT_EQ(text, "B a/ b circle?@ dangling?@ link/@ ");
    EXPECT_FALSE(repo::DiskTree().list(dir_ + "/nowhere"));
}

TEST_F(DiskTreeTest, ListsNothingThatCannotBeLookedAt) {
    std::filesystem::create_symlink(std::string(300, 'x'), dir_ + "/link");
    Result<std::vector<repo::Entry>> entries = repo::DiskTree().list(dir_);
    ASSERT_FALSE(entries);
    EXPECT_EQ(entries.error().diagnostic.rule, "unreadable");
    EXPECT_EQ(entries.error().diagnostic.where, dir_ + "/link");
    EXPECT_EQ(entries.error().diagnostic.message, "cannot read: File name too long");
}

TEST_F(DiskTreeTest, WaitsForNoPipeOfATree) {
    const std::string pipe = dir_ + "/a.yaml";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::filesystem::create_symlink("a.yaml", dir_ + "/b.yaml");
    std::filesystem::create_symlink("/dev/zero", dir_ + "/c.yaml");
    for (const char* name : {"a.yaml", "b.yaml", "c.yaml"}) {
        const std::string path = dir_ + "/" + name;
        EXPECT_EQ(repo::DiskTree().kind(path), repo::EntryKind::Other);
        Result<std::string> text = repo::DiskTree().read(path);
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().diagnostic.rule, "unreadable");
        EXPECT_EQ(text.error().diagnostic.where, path);
        EXPECT_EQ(text.error().diagnostic.message, "cannot read: neither a file nor a directory");
    }
    std::filesystem::remove(dir_ + "/c.yaml");
    write("d.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    repo::LoadOptions options;
    options.path = dir_;
    Diagnostics diagnostics;
    EXPECT_EQ(load(options, diagnostics).documents.size(), 1U);
    EXPECT_TRUE(diagnostics.empty());
}

TEST_F(DiskTreeTest, FollowsNoLinkOutOfTheTree) {
    const std::string root = dir_ + "/repository/apps/home";
    write("secret", "s");
    write("elsewhere/x", "e");
    write("repository/apps/home/own/x", "o");
    write("repository/apps/base/x", "b");
    std::filesystem::create_symlink(dir_ + "/secret", root + "/secret");
    std::filesystem::create_symlink(dir_ + "/elsewhere", root + "/elsewhere");
    std::filesystem::create_symlink("own", root + "/link");
    std::filesystem::create_symlink("../base", root + "/above");
    std::filesystem::create_symlink(dir_ + "/repository", dir_ + "/typed");
    for (const std::string& typed : {root, dir_ + "/typed/apps/home"}) {
        SCOPED_TRACE(typed);
        const repo::DiskTree tree({typed + "/secret"}, {typed});
        EXPECT_EQ(*tree.read(typed + "/secret"), "s");
        EXPECT_EQ(*tree.read(typed + "/own/x") + *tree.read(typed + "/link/x"), "oo");
        EXPECT_EQ(*tree.read(typed.substr(0, typed.size() - 4) + "base/x"), "b");
        for (const char* path : {"/elsewhere/x", "/above/x"}) {
            Result<std::string> text = tree.read(typed + path);
            ASSERT_FALSE(text) << path;
            EXPECT_EQ(text.error().diagnostic.rule, "symbolic-link");
            EXPECT_EQ(text.error().diagnostic.where, typed + path);
            EXPECT_EQ(text.error().diagnostic.message, "symbolic link to a path outside the tree");
        }
        EXPECT_FALSE(repo::DiskTree({}, {typed}).read(typed + "/secret"));
    }
    write("repository/.git/HEAD", "");
    EXPECT_EQ(*repo::DiskTree({}, {root}).read(root + "/above/x"), "b");
    EXPECT_FALSE(repo::DiskTree({}, {root}).read(root + "/elsewhere/x"));
    EXPECT_EQ(*repo::DiskTree().read(root + "/elsewhere/x"), "e");
    EXPECT_FALSE(repo::DiskTree({}, {""}).read(root + "/elsewhere/x"));
}

TEST_F(DiskTreeTest, LeavesTheWorkTreeByNoPath) {
    write("other/secret", "x");
    write("repo/app/file", "x");
    write("repo/base/file", "x");
    const auto rule = [](auto result) {
        return result ? std::string() : result.error().diagnostic.rule;
    };
    const auto tree = [&](const std::string& top) {
        return std::make_unique<repo::DiskTree>(std::vector<std::string>{},
                                                std::vector<std::string>{dir_ + "/repo/app"}, top);
    };
    EXPECT_EQ(rule(tree("")->read(dir_ + "/repo/app/file")), "");
    EXPECT_EQ(rule(tree("")->read(dir_ + "/repo/base/file")), "");
    EXPECT_EQ(rule(tree("")->read("/etc/passwd")), "outside-tree");
    EXPECT_EQ(rule(tree(dir_ + "/repo")->read(dir_ + "/repo/app/../base/file")), "");
    EXPECT_EQ(rule(tree(dir_ + "/repo")->read(dir_ + "/repo/app/../../other/secret")),
              "outside-tree");
    EXPECT_EQ(rule(tree(dir_ + "/repo")->list(dir_ + "/other")), "outside-tree");
    std::filesystem::create_directories(dir_ + "/repo/.git");
    EXPECT_EQ(rule(tree("")->read(dir_ + "/repo/base/file")), "");
    EXPECT_EQ(rule(tree("")->read("/etc/passwd")), "outside-tree");
    const repo::DiskTree here({}, {"."});
    EXPECT_EQ(rule(here.read("/etc/passwd")), "outside-tree");
    const repo::DiskTree named({dir_ + "/other/secret"}, {dir_ + "/repo/app"});
    EXPECT_EQ(rule(named.read(dir_ + "/other/secret")), "");
}

TEST_F(DiskTreeTest, ReadsThePipesThatTheUserNames) {
    const std::string pipe = dir_ + "/a.yaml";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const repo::DiskTree tree({dir_ + "/./a.yaml"});
    EXPECT_EQ(tree.kind(pipe), repo::EntryKind::File);
    std::thread writer([&] { std::ofstream(pipe) << "a: b\n"; });
    EXPECT_EQ(*tree.read(pipe), "a: b\n");
    writer.join();
}

TEST_F(DiskTreeTest, KindAndRealPath) {
    write("a/x", "");
    std::filesystem::create_symlink("a", dir_ + "/link");
    EXPECT_EQ(repo::DiskTree().kind(dir_ + "/link/x"), repo::EntryKind::File);
    EXPECT_EQ(repo::DiskTree().kind(dir_ + "/link"), repo::EntryKind::Directory);
    EXPECT_EQ(repo::DiskTree().kind(dir_ + "/nowhere"), repo::EntryKind::Missing);
    EXPECT_EQ(repo::DiskTree().real_path(dir_ + "/link/../link/x"), dir_ + "/a/x");
    EXPECT_EQ(repo::DiskTree().real_path(dir_ + "/nowhere/y"), dir_ + "/nowhere/y");
}

TEST_F(DiskTreeTest, LoadsTheSameOnAnyNumberOfThreads) {
    for (int i = 0; i < 300; ++i) {
        write("d" + std::to_string(i % 7) + "/s" + std::to_string(i) + ".yaml",
              "apiVersion: v1\nkind: Service\nmetadata:\n  name: s" + std::to_string(i) +
                  "\nspec: {ports: [{port: 80}]}\n");
    }
    const auto names = [&](unsigned threads) {
        repo::LoadOptions options;
        options.path = dir_;
        options.threads = threads;
        options.default_namespace = "shop";
        Diagnostics diagnostics;
        const Loaded loaded = load(options, diagnostics);
        std::string text =
            std::to_string(loaded.edits.size()) + diagnostics.print(loaded.sources, false);
        for (const Document& document : loaded.documents) {
            text += " " + document.object_name();
        }
        return text;
    };
    const std::string one = names(1);
    EXPECT_TRUE(one.starts_with("300 Service/shop/s0 Service/shop/s105")) << one.substr(0, 200);
    EXPECT_EQ(names(4), one);
    EXPECT_EQ(names(17), one);
}

}  // namespace
}  // namespace renderer::load
