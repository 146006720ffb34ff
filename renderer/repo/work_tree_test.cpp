#include "renderer/repo/work_tree.h"

#include "renderer/git/git_testing.h"

namespace renderer::repo {
namespace {

class WorkTreeTest : public git::GitSandbox {
protected:
    // Returns "clean", or the paths that differ.
    std::string state(const std::string& path = "apps") const {
        Result<Unit> clean = check_clean(repo_ + "/" + path);
        if (clean) {
            return "clean";
        }
        const Diagnostic& diagnostic = clean.error().diagnostic;
        EXPECT_EQ(diagnostic.rule, "dirty-tree") << diagnostic.message;
        std::string text;
        for (const Note& note : diagnostic.notes) {
            text += note.text + " ";
        }
        return text;
    }
};

TEST_F(WorkTreeTest, TrackedChangesAnywhereNewFilesBelowThePath) {
    put("apps/a.yaml", "a");
    put("base/b.yaml", "b");
    put(".gitignore", "*.env\n");
    commit_all();
    put("apps/secret.env", "ignored");
    put("notes", "new elsewhere");
    put("apps-2/x", "new elsewhere");
    EXPECT_EQ(state(), "clean");
    EXPECT_EQ(state("."), "new: \"apps-2/\" new: \"notes\" ");
    put("apps/new.yaml", "x");
    EXPECT_EQ(state(), "new: \"apps/new.yaml\" ");
    shell("rm apps/new.yaml");
    put("base/b.yaml", "changed");
    EXPECT_EQ(state(), "changed: \"base/b.yaml\" ");
    git("add base");
    EXPECT_EQ(state(), "changed: \"base/b.yaml\" ");
    git("reset -q --hard");
    shell("rm apps/a.yaml");
    EXPECT_EQ(state(), "changed: \"apps/a.yaml\" ");
}

TEST_F(WorkTreeTest, APathThatIsNewIsDirty) {
    commit_all();
    put("new/deep/a.yaml", "a");
    EXPECT_EQ(state("new/deep"), "new: \"new/\" ");
}

TEST_F(WorkTreeTest, LooksWithoutTouching) {
    put("apps/a.yaml", "a\n");
    commit_all();
    const std::string index = file_text(repo_ + "/.git/index");
    shell("touch -d '2001-01-01' apps/a.yaml");
    EXPECT_EQ(state(), "clean");
    EXPECT_EQ(file_text(repo_ + "/.git/index"), index);
    git("config core.autocrlf true");
    shell("rm apps/a.yaml && git checkout -q apps/a.yaml");
    EXPECT_EQ(file_text(repo_ + "/apps/a.yaml"), "a\r\n");
    EXPECT_EQ(state(), "clean");
}

TEST_F(WorkTreeTest, BareRepositoriesAreClean) {
    commit_all();
    git("clone -q --bare . " + dir_ + "/bare.git");
    repo_ = dir_ + "/bare.git";
    EXPECT_EQ(state("."), "clean");
}

TEST_F(WorkTreeTest, ReportsTenAtMost) {
    commit_all();
    for (int i = 0; i < 30; ++i) {
        put("f" + std::to_string(i), "x");
    }
    Result<Unit> clean = check_clean(repo_);
    ASSERT_FALSE(clean);
    EXPECT_EQ(clean.error().diagnostic.notes.size(), 10U);
}

}  // namespace
}  // namespace renderer::repo
