#include "renderer/repo/git_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "renderer/base/sha256.h"
#include "renderer/git/git_testing.h"
#include "renderer/repo/disk_tree.h"

namespace renderer::repo {
namespace {

class GitTreeTest : public git::GitSandbox {
protected:
    std::shared_ptr<const GitTree> open(const std::string& revision,
                                        const std::string& path = "") const {
        auto tree = GitTree::open(path.empty() ? repo_ : path, revision);
        EXPECT_TRUE(tree) << tree.error().diagnostic.message;
        return tree ? *tree : nullptr;
    }
    std::string error_of(const std::string& revision, const std::string& path = "") const {
        auto tree = GitTree::open(path.empty() ? repo_ : path, revision);
        return tree ? "none" : said(tree.error());
    }
    // Returns "where: message [rule]; hint".
    std::string said(Error& error) const {
        const Diagnostic& d = error.diagnostic;
        return without_dir(fmt::format("{}: {} [{}]; {}", d.where, d.message, d.rule, d.hint));
    }
    std::string without_dir(std::string text) const {
        for (auto at = text.find(dir_); at != std::string::npos; at = text.find(dir_)) {
            text.replace(at, dir_.size(), "DIR");
        }
        return text;
    }
    template <typename T>
    std::string refusal(Result<T> result) const {
        return result ? "none" : said(result.error());
    }
    // Returns every file and directory that can be reached, with its bytes.
    static std::string dump(const SourceTree& tree, const std::string& dir) {
        Result<std::vector<Entry>> entries = tree.list(dir);
        EXPECT_TRUE(entries) << dir;
        std::string text;
        for (const Entry& entry : *entries) {
            if (entry.name == ".git") {
                continue;
            }
            const std::string path = dir + "/" + entry.name;
            text += fmt::format("{} {} {} {}\n", path, static_cast<int>(entry.kind), entry.is_link,
                                tree.real_path(path));
            EXPECT_EQ(tree.kind(path), entry.kind) << path;
            if (entry.kind == EntryKind::Directory && !entry.is_link) {
                text += dump(tree, path);
            } else if (entry.kind == EntryKind::File) {
                text += *tree.read(path) + "\n";
            }
        }
        return text;
    }
};

TEST_F(GitTreeTest, IsWhatACheckoutHolds) {
    put("a.yaml", "a: 1\n");
    put("apps/b.yaml", "b: 1\r\nc: \xc3\xa9\n");
    put("apps-2/z", "");
    put("apps/deep/er/c.yaml", std::string(300, 'x'));
    shell(
        "ln -s apps/b.yaml link && ln -s ../a.yaml apps/up && ln -s deep apps/dir && "
        "ln -s nowhere dangling && ln -s self self && ln -s dir/er apps/twice && chmod +x a.yaml");
    shell(fmt::format("ln -s {}/a.yaml absolute", repo_));
    commit_all();
    EXPECT_EQ(dump(*open("HEAD"), repo_), dump(DiskTree(), repo_));
    EXPECT_EQ(*open("HEAD")->read(repo_ + "/apps/twice/c.yaml"), std::string(300, 'x'));
    EXPECT_EQ(open("HEAD")->real_path(repo_ + "/apps/dir/no/such"), repo_ + "/apps/deep/no/such");
    EXPECT_EQ(open("HEAD")->kind(repo_ + "/self"), EntryKind::Missing);
}

TEST_F(GitTreeTest, ReadsTheRevisionAndNotTheWorkTree) {
    put("apps/a.yaml", "old");
    const std::string first = commit_all();
    git("tag -a -m x v1");
    put("apps/a.yaml", "new");
    put("apps/b.yaml", "b");
    commit_all();
    shell("rm -r apps && touch staged && git add staged");
    const std::string apps = repo_ + "/apps";
    for (const std::string& revision : {std::string("v1"), first, first.substr(0, 9),
                                        std::string("HEAD~1"), std::string("main^")}) {
        EXPECT_EQ(*open(revision, apps)->read(apps + "/a.yaml"), "old") << revision;
        EXPECT_EQ(open(revision)->commit(), first);
    }
    EXPECT_EQ(*open("main", apps)->read(apps + "/a.yaml"), "new");
    EXPECT_EQ(open("v1")->kind(apps + "/b.yaml"), EntryKind::Missing);
    EXPECT_EQ(open("HEAD")->kind(repo_ + "/staged"), EntryKind::Missing);
    EXPECT_EQ(refusal(open("v1")->read(apps + "/b.yaml")),
              "DIR/repo/apps/b.yaml: cannot read: no such file in the revision [unreadable]; ");
    EXPECT_EQ(refusal(open("v1")->read(apps)),
              "DIR/repo/apps: cannot read: Is a directory [unreadable]; ");
    EXPECT_EQ(refusal(open("v1")->list(apps + "/a.yaml")),
              "DIR/repo/apps/a.yaml: cannot read: no such file in the revision [unreadable]; ");
    EXPECT_EQ(git("status --porcelain"), " D apps/a.yaml\n D apps/b.yaml\nA  staged");
}

TEST_F(GitTreeTest, PathsMeanWhatTheyMeanOnTheDisk) {
    put("apps/a.yaml", "a");
    put("values.yaml", "v");
    commit_all();
    std::ofstream(dir_ + "/outside.yaml") << "on the disk";
    shell("ln -s repo " + dir_ + "/alias && ln -s repo/apps " + dir_ + "/inner");
    EXPECT_EQ(*open("HEAD", dir_ + "/alias")->read(dir_ + "/alias/apps/a.yaml"), "a");
    EXPECT_EQ(*open("HEAD", dir_ + "/inner")->read(dir_ + "/inner/a.yaml"), "a");
    EXPECT_EQ(open("HEAD")->real_path(dir_ + "/inner/a.yaml"), repo_ + "/apps/a.yaml");
    EXPECT_EQ(open("HEAD")->path_in_repository(dir_ + "/inner"), "apps");
    const auto named = GitTree::open(repo_, "HEAD", {dir_ + "/outside.yaml"});
    ASSERT_TRUE(named);
    EXPECT_EQ(*(*named)->read(dir_ + "/outside.yaml"), "on the disk");
    EXPECT_EQ(open("HEAD")->read(dir_ + "/outside.yaml").error().diagnostic.rule, "outside-tree");
    EXPECT_EQ(open("HEAD")->real_path(dir_ + "/outside.yaml"), dir_ + "/outside.yaml");
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(repo_ + "/apps");
    EXPECT_EQ(*open("HEAD", ".")->read("a.yaml"), "a");
    EXPECT_EQ(*open("HEAD", ".")->read("../values.yaml"), "v");
    EXPECT_EQ(open("HEAD", ".")->path_in_repository(".."), "");
    std::filesystem::current_path(before);
}

TEST_F(GitTreeTest, LineEndsAreThoseOfTheRevisionsAttributes) {
    git("config core.autocrlf false");
    put("unmixed", "a\nb\n");
    put("mixed", "a\r\nb\n");
    put("binary", std::string("a\0b\n", 4));
    put("none", "a\nb\n");
    put("sub/old", "a\nb\n");
    commit_all();
    const std::string plain = dump(*open("HEAD"), repo_);
    put(".gitattributes",
        "* text eol=crlf\n*ixed text=auto\nbinary text=auto\nnone -text\nsub/* -text crlf\n");
    put("sub/.gitattributes", "old text eol=crlf\n");
    git("add .gitattributes sub/.gitattributes && git commit -q -m attributes");
    git("rm -rq --cached . && git reset -q --hard");
    EXPECT_EQ(dump(*open("HEAD"), repo_), dump(DiskTree(), repo_));
    EXPECT_EQ(*open("HEAD")->read(repo_ + "/unmixed"), "a\r\nb\r\n");
    EXPECT_EQ(*open("HEAD")->read(repo_ + "/mixed"), "a\r\nb\n");
    EXPECT_EQ(*open("HEAD")->read(repo_ + "/sub/old"), "a\r\nb\r\n");
    EXPECT_EQ(*open("HEAD")->read(repo_ + "/none"), "a\nb\n");
    EXPECT_EQ(*open("HEAD~1")->read(repo_ + "/unmixed"), "a\nb\n");
    // The attributes of the work tree and the index, and the user's configuration, do not matter.
    put(".gitattributes", "* text eol=lf\n");
    git("add .gitattributes && git config core.autocrlf true");
    EXPECT_EQ(*open("HEAD")->read(repo_ + "/unmixed"), "a\r\nb\r\n");
    EXPECT_EQ(*open("HEAD~1")->read(repo_ + "/unmixed"), "a\nb\n");
}

TEST_F(GitTreeTest, RefusesByName) {
    put("lib/x", "x");
    commit_all();
    git("init -q " + dir_ + "/other && git -C " + dir_ + "/other commit -q --allow-empty -m x");
    git("submodule --quiet add " + dir_ + "/other mod");
    put("encoded", "x");
    put("smudged", "x");
    put("ident", "# $Id$\n");
    put("harmless", "x");
    put(".gitattributes",
        "encoded working-tree-encoding=ISO-8859-1\nsmudged filter=crypt\nident ident\nharmless "
        "ident\n");
    shell("ln -s ../outside out && ln -s /etc/hostname far");
    git("-c filter.crypt.clean=cat add . && git commit -q -m x");
    const auto tree = open("HEAD");
    const std::string submodule =
        "submodules are not read: their files are in another repository [git-submodule]; check the "
        "revision out with \"git submodule update --init\" and render the directory";
    EXPECT_EQ(refusal(tree->list(repo_ + "/mod")), "DIR/repo/mod: " + submodule);
    EXPECT_EQ(refusal(tree->read(repo_ + "/mod/a/b.yaml")), "DIR/repo/mod/a/b.yaml: " + submodule);
    const std::string link =
        ": symbolic link to a path outside the repository [symbolic-link]; replace the link by the "
        "file, or remove it";
    EXPECT_EQ(refusal(tree->read(repo_ + "/out")), "DIR/repo/out" + link);
    EXPECT_EQ(refusal(tree->read(repo_ + "/far")), "DIR/repo/far" + link);
    EXPECT_EQ(tree->real_path(repo_ + "/out/x"), dir_ + "/outside/x");
    const std::string changed =
        ": unsupported attribute: a checkout would change this file [git-attribute]; check "
        "the revision out and render the directory";
    EXPECT_EQ(refusal(tree->read(repo_ + "/encoded")), "DIR/repo/encoded" + changed);
    EXPECT_EQ(refusal(tree->read(repo_ + "/smudged")), "DIR/repo/smudged" + changed);
    EXPECT_EQ(refusal(tree->read(repo_ + "/ident")), "DIR/repo/ident" + changed);
    EXPECT_EQ(*tree->read(repo_ + "/harmless"), "x");
}

TEST_F(GitTreeTest, LfsFilesAreReadWhereTheyAreAtHand) {
    const std::string text = "kind: Service\n";
    const std::string id = sha256_hex(text);
    put("big.yaml", fmt::format("version https://git-lfs.github.com/spec/v1\noid sha256:{}\n"
                                "size {}\n",
                                id, text.size()));
    put(".gitattributes", "*.yaml filter=lfs diff=lfs merge=lfs -text\n");
    const std::string commit = commit_all();
    EXPECT_EQ(refusal(open("HEAD")->read(repo_ + "/big.yaml")),
              "DIR/repo/big.yaml: the file is in Git LFS, and only its pointer is here "
              "[lfs-pointer]; git lfs fetch origin " +
                  commit);
    const std::string object =
        fmt::format(".git/lfs/objects/{}/{}/{}", id.substr(0, 2), id.substr(2, 2), id);
    put(object, "damaged");
    EXPECT_FALSE(open("HEAD")->read(repo_ + "/big.yaml"));
    put(object, text);
    EXPECT_EQ(*open("HEAD")->read(repo_ + "/big.yaml"), text);
}

TEST_F(GitTreeTest, WorktreesBareAndShallowRepositories) {
    put("apps/a.yaml", "1");
    const std::string first = commit_all();
    put("apps/a.yaml", "2");
    commit_all();
    git("worktree add -q --detach " + dir_ + "/linked " + first);
    const std::string linked = dir_ + "/linked/apps/a.yaml";
    EXPECT_EQ(*open("HEAD", linked)->read(linked), "1");
    EXPECT_EQ(*open("main", linked)->read(linked), "2");
    git("clone -q --bare . " + dir_ + "/bare.git");
    const std::string bare = dir_ + "/bare.git";
    EXPECT_EQ(*open("HEAD", bare)->read(bare + "/apps/a.yaml"), "2");
    EXPECT_EQ(*open("main~1", bare + "/apps")->read(bare + "/apps/a.yaml"), "1");
    EXPECT_EQ(open("HEAD", bare)->list(bare)->size(), 1U);
    git("clone -q --depth 1 file://" + repo_ + " " + dir_ + "/shallow");
    const std::string shallow = dir_ + "/shallow";
    EXPECT_EQ(*open("HEAD", shallow)->read(shallow + "/apps/a.yaml"), "2");
    EXPECT_EQ(error_of(first, shallow),
              "--rev: unknown revision [unknown-revision]; this is a shallow clone: run \"git "
              "fetch --unshallow\"");
}

TEST_F(GitTreeTest, WhatCannotBeOpenedIsNamed) {
    EXPECT_EQ(error_of("HEAD"), "--rev: unknown revision [unknown-revision]; ");
    put("a", "x");
    commit_all();
    EXPECT_EQ(error_of("nowhere"), "--rev: unknown revision [unknown-revision]; ");
    EXPECT_EQ(error_of("HEAD:a"), "--rev: the revision is not a commit [unknown-revision]; ");
    EXPECT_EQ(error_of("HEAD", "/proc/self"),
              "/proc/self: this path is not in a Git repository [no-repository]; ");
    git("init -q --object-format=sha256 " + dir_ + "/long");
    EXPECT_EQ(
        error_of("HEAD", dir_ + "/long"),
        "DIR/long: Git repositories with SHA-256 object names are not supported [git-sha256]; "
        "check the revision out and render the directory");
    git("config core.repositoryformatversion 1 && git config extensions.partialClone origin");
    EXPECT_EQ(error_of("HEAD"), "none");
    git("config extensions.unheardOf 1");
    EXPECT_EQ(error_of("HEAD"),
              "DIR/repo: the Git repository uses unsupported features: unsupported extension name "
              "extensions.unheardof [git-extension]; check the revision out and render the "
              "directory");
    shell("sed -i /unheardOf/d .git/config");
    shell("rm -r .git/objects/??");
    EXPECT_EQ(error_of("HEAD").substr(0, 6), "--rev:");
}

TEST_F(GitTreeTest, ManyThreadsReadOneTree) {
    for (int i = 0; i < 50; ++i) {
        put(fmt::format("d{}/f{}", i % 5, i), std::to_string(i));
    }
    commit_all();
    const auto tree = open("HEAD");
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                EXPECT_EQ(*tree->read(fmt::format("{}/d{}/f{}", repo_, i % 5, i)),
                          std::to_string(i));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace renderer::repo
