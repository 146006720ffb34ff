#include "renderer/emit/git/git_commit.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "renderer/base/sha256.h"
#include "renderer/emit/git/git_branch.h"
#include "renderer/git/git_testing.h"

namespace renderer::emit {
namespace {

class GitCommitTest : public git::GitSandbox {
protected:
    void SetUp() override {
        git::GitSandbox::SetUp();
        put("source", "x");
        source_ = commit_all("source");
    }
    // Returns the error, or one letter per file and the number of unchanged ones ('.': no commit).
    std::string commit(const std::vector<OutputFile>& files, const std::string& dir = "",
                       const std::string& branch = "out") const {
        Result<std::string> done = try_commit(files, dir, branch);
        return done ? *done : said(done.error());
    }
    Result<std::string> try_commit(const std::vector<OutputFile>& files, const std::string& dir,
                                   const std::string& branch) const {
        const git::FoundRepository found = TRY(git::find_repository(repo_));
        git_repository* repository = found.handle.get();
        CommitRequest request{.branch = branch, .path = "apps"};
        git_oid_fromstr(&request.source, source_.c_str());
        request.tip = TRY(branch_tip(repository, branch));
        request.base = request.tip ? request.tip : tracked_tip(repository, branch);
        const std::vector<RenderedTree> trees = {{dir, files}};
        const CommitReport report = TRY(commit_trees(repository, request, trees));
        std::string text;
        for (const std::string& path : report.trees[0].created) {
            text += "+" + path + " ";
        }
        for (const std::string& path : report.trees[0].changed) {
            text += "~" + path + " ";
        }
        for (const std::string& path : report.trees[0].removed) {
            text += "-" + path + " ";
        }
        return fmt::format("{}{}{}", text, report.trees[0].unchanged, report.commit ? "" : ".");
    }
    std::string said(Error& error) const {
        const Diagnostic& d = error.diagnostic;
        std::string text = fmt::format("{}: {} [{}] {}", d.where, d.message, d.rule, d.found);
        for (auto at = text.find(dir_); at != std::string::npos; at = text.find(dir_)) {
            text.replace(at, dir_.size(), "DIR");
        }
        return text;
    }
    // Returns "path=content " for all files of a revision.
    std::string tree(const std::string& revision, const std::string& dir = "") const {
        const std::string files_of_inventory =
            "sed -n 's/^    \"\\(.*\\)\",*$/\\1/p; t; /^[^ {}]/p'";
        return shell("for f in $(git ls-tree -r --name-only " + revision +
                         "); do echo $f=$(git show " + revision + ":$f | " + files_of_inventory +
                         " | tr '\\n' ,); done | tr '\\n' ' '",
                     dir);
    }
    std::string count(const std::string& revision) const {
        return git("rev-list --count " + revision);
    }

    std::string source_;
};

TEST_F(GitCommitTest, CommitsFilesWithProvenanceAndOnlyThat) {
    put("untracked", "u");
    put("source", "changed");
    git("add source");
    put("source", "changed again");
    const std::string status = git("status --porcelain");
    EXPECT_EQ(commit({{"a", "1\n"}, {"b/c", "2\n"}}), "+a +b/c 0");
    EXPECT_EQ(tree("out"), ".tailrender-inventory=a,b/c, a=1, b/c=2, ");
    EXPECT_EQ(git("log -1 --format=%B out"),
              fmt::format("Render apps at {}\n\nTailrender-Source: {}\nTailrender-Path: apps\n"
                          "Tailrender-Tree: {}\nTailrender-Version: " TAILRENDER_VERSION,
                          source_.substr(0, 12), source_, git("rev-parse out^{tree}")));
    EXPECT_EQ(git("log -1 --format='%(trailers:key=Tailrender-Source,valueonly)' out"), source_);
    EXPECT_EQ(git("log -1 --format='%an %ae %ad %P' out"),
              git("log -1 --format='%an %ae %ad ' main"));
    EXPECT_EQ(git("status --porcelain"), status);
    EXPECT_EQ(git("symbolic-ref HEAD"), "refs/heads/main");
    EXPECT_EQ(git("fsck --strict --no-progress"), "");
    EXPECT_EQ(git("reflog show --format=%gs out"), "commit: render " + source_);
}

TEST_F(GitCommitTest, TakesAwayWhatAClusterLeft) {
    commit({{"a", "1\n"}}, "clusters/home");
    commit({{"b", "2\n"}}, "clusters/lab");
    const auto gone = [&](const std::string& root) -> Result<std::size_t> {
        const git::FoundRepository found = TRY(git::find_repository(repo_));
        git_repository* repository = found.handle.get();
        CommitRequest request{.branch = "out", .path = "apps"};
        git_oid_fromstr(&request.source, source_.c_str());
        request.tip = TRY(branch_tip(repository, "out"));
        request.base = request.tip;
        const std::vector<std::string> clusters = {"home"};
        const std::vector<RenderedTree> trees =
            TRY(find_gone_trees(repository, request, root, clusters));
        if (!trees.empty()) {
            TRY(commit_trees(repository, request, trees));
        }
        return trees.size();
    };
    EXPECT_EQ(*gone(""), 0U);
    EXPECT_EQ(*gone("none"), 0U);
    EXPECT_EQ(*gone("clusters"), 1U);
    EXPECT_EQ(tree("out"), "clusters/home/.tailrender-inventory=a, clusters/home/a=1, ");
    EXPECT_EQ(*gone("clusters"), 0U);
}

TEST_F(GitCommitTest, WritesOnlyWhatChanged) {
    commit({{"a", "1\n"}, {"b/c", "2\n"}, {"d", "3\n"}});
    const std::string first = git("rev-parse out");
    const std::string objects = git("count-objects");
    EXPECT_EQ(commit({{"a", "1\n"}, {"b/c", "2\n"}, {"d", "3\n"}}), "3.");
    EXPECT_EQ(git("rev-parse out"), first);
    EXPECT_EQ(git("count-objects"), objects);
    EXPECT_EQ(commit({{"a", "1\n"}, {"d", "new\n"}, {"e", "5\n"}}), "+e ~d -b/c 1");
    EXPECT_EQ(tree("out"), ".tailrender-inventory=a,d,e, a=1, d=new, e=5, ");
    EXPECT_EQ(git("rev-parse out~1"), first);
    EXPECT_EQ(git("ls-tree out").find("\tb"), std::string::npos);  // empty directories are removed
    EXPECT_EQ(commit({{"a/b", "1\n"}, {"d", "new\n"}, {"e", "5\n"}}), "+a/b -a 2");
    EXPECT_EQ(git("fsck --strict --no-progress"), "");
}

TEST_F(GitCommitTest, FoldersOfABranchAreApart) {
    commit({{"a", "1\n"}}, "home");
    EXPECT_EQ(commit({{"a", "2\n"}}, "work/lab"), "+a 0");
    EXPECT_EQ(commit({{"b", "3\n"}}, "home"), "+b -a 0");
    EXPECT_EQ(tree("out"),
              "home/.tailrender-inventory=b, home/b=3, work/lab/.tailrender-inventory=a, "
              "work/lab/a=2, ");
    EXPECT_EQ(commit({{"home", "x"}}),
              "out:/home: the output path has a file that tailrender did not write [not-ours] ");
    EXPECT_EQ(commit({{"lab/a", "x"}}, "work"),
              "out:work/lab/a: the output path has a file that tailrender did not write "
              "[not-ours] ");
    const auto folder = [](const std::string& name) {
        Result<std::string> got = branch_folder(name);
        return got ? *got : got.error().diagnostic.rule;
    };
    EXPECT_EQ(folder("") + folder(".") + folder("./"), "");
    EXPECT_EQ(folder("a/./b//"), "a/b");
    EXPECT_EQ(folder("a/../.."), "usage");
    EXPECT_EQ(folder("/a"), "usage");
    EXPECT_EQ(folder("a/.git/b"), "usage");
}

TEST_F(GitCommitTest, RefusesABranchThatIsNotOurs) {
    const std::string said =
        "--branch: the last commit of the branch was not made by tailrender [foreign-branch] "
        "\"{}\" "
        "at {}, {}";
    const auto expect_foreign = [&](const std::string& branch, const std::string& why) {
        const std::string before = git("rev-parse " + branch);
        EXPECT_EQ(commit({{"a", "2\n"}}, "", branch),
                  fmt::format(fmt::runtime(said), branch, before.substr(0, 12), why));
        EXPECT_EQ(git("rev-parse " + branch), before);
    };
    git("branch other");
    expect_foreign("other", "without the trailers of a rendered commit");
    commit({{"a", "1\n"}});
    git("worktree add -q " + dir_ + "/w out");
    EXPECT_EQ(commit({{"a", "2\n"}}),
              "--branch: the branch is checked out in a work tree, which a commit would make stale "
              "[branch-checked-out] \"out\"");
    shell("echo mine > a && git commit -q -a --amend --no-edit && git switch -q --detach",
          dir_ + "/w");
    expect_foreign("out", "whose tree is not the one in its message");
    shell("git switch -q out && git commit -q --allow-empty -m mine && git switch -q --detach",
          dir_ + "/w");
    expect_foreign("out", "without the trailers of a rendered commit");
}

TEST_F(GitCommitTest, NamesOfBranches) {
    EXPECT_EQ(commit({{"a", "1"}}, "", "main"),
              "--branch: the branch is checked out in a work tree, which a commit would make stale "
              "[branch-checked-out] \"main\"");
    EXPECT_EQ(commit({{"a", "1"}}, "", "a..b"),
              "--branch: invalid branch name [branch-name] \"a..b\"");
    EXPECT_EQ(commit({{"a", "1"}}, "", "deep/er/out"), "+a 0");
    git("pack-refs --all");
    EXPECT_EQ(commit({{"a", "1"}}, "", "deep/er"),
              "--branch: the branch \"deep/er/out\" conflicts with it [branch-name] \"deep/er\"");
    EXPECT_EQ(
        commit({{"a", "1"}}, "", "deep/er/out/x"),
        "--branch: the branch \"deep/er/out\" conflicts with it [branch-name] \"deep/er/out/x\"");
    EXPECT_EQ(commit({{"a", "2"}}, "", "deep/er/out"), "~a 0");  // packed before, loose now
    git("branch -D deep/er/out");
    shell("mkdir -p .git/refs/heads/deep/er/empty");
    EXPECT_EQ(commit({{"a", "1"}}, "", "deep/er"), "+a 0");
    git("symbolic-ref refs/heads/alias refs/heads/deep/er");
    EXPECT_EQ(commit({{"a", "2"}}, "", "alias"),
              "--branch: the branch is a symbolic reference [branch-name] \"alias\"");
    git("checkout -q --orphan fresh");
    EXPECT_EQ(commit({{"a", "1"}}, "", "fresh").substr(0, 44),
              "--branch: the branch is checked out in a wor");
}

TEST_F(GitCommitTest, WorktreesAndBareRepositories) {
    git("worktree add -q --detach " + dir_ + "/w");
    const std::string main = repo_;
    repo_ = dir_ + "/w";
    EXPECT_EQ(commit({{"a", "1\n"}}), "+a 0");
    repo_ = main;
    EXPECT_EQ(tree("out"), ".tailrender-inventory=a, a=1, ");
    git("clone -q --bare . " + dir_ + "/bare.git");
    repo_ = dir_ + "/bare.git";
    EXPECT_EQ(commit({{"a", "2\n"}}), "~a 0");
    EXPECT_EQ(commit({{"a", "2\n"}}), "1.");
    EXPECT_EQ(git("fsck --strict --no-progress"), "");
}

TEST_F(GitCommitTest, WithoutAnIdentityItIsTailrender) {
    shell("rm ~/.gitconfig; git config --remove-section user");
    commit({{"a", "1\n"}});
    EXPECT_EQ(git("log -1 --format='%an %cn <%ce>' out"),
              "tailrender tailrender <tailrender@localhost>");
}

TEST_F(GitCommitTest, TheLockOfADeadRunGoesAndThatOfALivingOneStays) {
    commit({{"a", "1\n"}});
    const std::string own = ".git/tailrender-" + sha256_hex("refs/heads/out").substr(0, 16);
    shell("echo half > " + own + " && ln " + own + " .git/refs/heads/out.lock");
    EXPECT_EQ(commit({{"a", "2\n"}}), "~a 0");
    shell("test ! -e " + own + " -a ! -e .git/refs/heads/out.lock");
    shell("ln .git/refs/heads/out " + own);  // killed after everything but this
    EXPECT_EQ(commit({{"a", "3\n"}}), "~a 0");
    EXPECT_EQ(count("out"), "3");
    shell("echo half > " + own);  // killed before it had the lock
    EXPECT_EQ(commit({{"a", "4\n"}}), "~a 0");
    shell("echo x > .git/refs/heads/out.lock");
    EXPECT_EQ(commit({{"a", "5\n"}}),
              "--branch: cannot lock the branch: File exists [branch-locked] \"out\"");
    EXPECT_EQ(count("out"), "4");
    shell("rm .git/refs/heads/out.lock && test ! -e " + own);
}

TEST_F(GitCommitTest, SwapsOnlyWhatItSaw) {
    commit({{"a", "1\n"}});
    const std::string seen = git("rev-parse out");
    commit({{"a", "2\n"}});
    const std::string now = git("rev-parse out");
    const git::FoundRepository found = std::move(*git::find_repository(repo_));
    BranchMove move{.branch = "out", .reason = "x"};
    git_oid old{};
    git_oid_fromstr(&old, seen.c_str());
    git_oid_fromstr(&move.to, source_.c_str());
    const git::GitSignature who = std::move(*committer(found.handle.get()));
    move.from = old;
    EXPECT_FALSE(move_branch(found.handle.get(), who.get(), move));
    move.from.reset();
    Result<Unit> moved = move_branch(found.handle.get(), who.get(), move);
    ASSERT_FALSE(moved);
    EXPECT_EQ(said(moved.error()),
              "--branch: another process moved the branch meanwhile [branch-moved] \"out\"");
    EXPECT_EQ(git("rev-parse out"), now);
}

// A child commits one version after another until it is killed; then another run completes.
TEST_F(GitCommitTest, SurvivesAKillAtAnyPoint) {
    std::minstd_rand random(20260101);
    std::string last = "0";
    int killed = 0;
    for (int round = 0; round < 120; ++round) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            for (int i = 0;; ++i) {
                commit({{"a", fmt::format("{}.{}\n", round, i)}, {"b", "same\n"}});
            }
        }
        ::usleep(static_cast<useconds_t>(2000 + random() % 12000));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        killed += WIFSIGNALED(status) ? 1 : 0;
        const std::string done = commit({{"a", fmt::format("{}.done\n", round)}, {"b", "same\n"}});
        ASSERT_TRUE(done == "~a 1" || done == "+a +b 0") << done;
    }
    EXPECT_EQ(killed, 120);
    EXPECT_EQ(tree("out"), ".tailrender-inventory=a,b, a=119.done, b=same, ");
    EXPECT_EQ(git("fsck --strict --no-progress --no-dangling"), "");
    // Every commit has one parent: history was not rewritten.
    EXPECT_EQ(git("log --format=%P out | tail -n +1 | awk 'NF > 1' | wc -l"), "0");
    EXPECT_GE(std::stoi(count("out")), 120);
}

TEST_F(GitCommitTest, StartsFromATrackingBranch) {
    const std::string remote = dir_ + "/remote.git";
    git("init -q --bare " + remote);
    git("remote add origin " + remote);
    commit({{"a", "1\n"}});
    git("push -q origin main out");
    git("clone -q --no-local --depth 1 --no-single-branch file://" + remote + " " + dir_ +
        "/second");
    repo_ = dir_ + "/second";
    EXPECT_EQ(commit({{"a", "2\n"}}), "~a 0");
    EXPECT_EQ(git("rev-parse out~1"), git("rev-parse origin/out"));
    git("push -q origin out");
    EXPECT_EQ(git("rev-list --count out", remote), "2");
    EXPECT_EQ(git("fsck --strict --no-progress", remote), "");
}

}  // namespace
}  // namespace renderer::emit
