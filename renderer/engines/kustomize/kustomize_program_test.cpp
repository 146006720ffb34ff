#include "renderer/engines/kustomize/kustomize_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "renderer/base/confinement.h"
#include "renderer/base/temporary_folder_testing.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

namespace fs = std::filesystem;

class KustomizeProgramTest : public testing::Test {
protected:
    std::string program(const std::string& name, const std::string& script) const {
        std::ofstream(dir_ + "/" + name) << "#!/bin/sh\n" << script;
        fs::permissions(dir_ + "/" + name, fs::perms::owner_all);
        return dir_ + "/" + name;
    }

    // Returns the output of the build, or why it fails.
    std::string built(const std::string& path, const std::map<std::string, std::string>& files,
                      const std::map<std::string, std::string>& links = {}) {
        repo::MemoryTree tree(files);
        for (const auto& [link, target] : links) {
            tree.link(link, target);
        }
        SourceMap sources;
        KustomizationReader reader(tree, sources);
        const KustomizeProgram program = kustomize_at(path);
        const KustomizeJob job{tree, reader, find_build_files(tree, reader, ".", "app"),
                               ".",  "app",  loads_any_};
        if (is_ahead_) {
            Steps steps;
            run_kustomize_ahead(program, {job}, 2, steps);
            fs::remove(path);
        }
        Result<KustomizeBuild> build = run_kustomize(program, job);
        if (!build) {
            return build.error().diagnostic.message + ": " + build.error().diagnostic.found;
        }
        left_out_.clear();
        for (const LeftOut& what : build->left_out) {
            left_out_ += what.what + "\n";
        }
        return build->stream;
    }

    const TemporaryFolder folder_;
    const std::string dir_ = folder_.path();
    std::string left_out_;
    bool loads_any_ = false;
    bool is_ahead_ = false;
};

const std::map<std::string, std::string> kProgramFiles = {
    {"app/kustomization.yaml", "namePrefix: a-\nresources: [x.yaml]\n"},
    {"app/x.yaml", "kind: ConfigMap\n"}};

// Returns the path, or the error.
std::string program_found(const std::string& choice, const std::string& search_path) {
    Result<std::string> path = find_kustomize(choice, search_path);
    if (path) {
        return *path;
    }
    const Diagnostic& diagnostic = path.error().diagnostic;
    return diagnostic.where + ": " + diagnostic.message + ": " + diagnostic.found;
}

TEST_F(KustomizeProgramTest, IsFoundOnTheSearchPath) {
    const std::string kubectl = program("kubectl", "");
    EXPECT_EQ(program_found("", "relative:/nonexistent:" + dir_), kubectl);
    const std::string kustomize = program("kustomize", "");
    EXPECT_EQ(program_found("", dir_), kustomize);
    EXPECT_EQ(program_found("kubectl", dir_), kubectl);
    EXPECT_EQ(program_found(kubectl, ""), kubectl);
    EXPECT_EQ(program_found("", ""), "none");
    EXPECT_EQ(program_found("none", dir_), "none");
    fs::create_directories(dir_ + "/folder/kustomize");
    EXPECT_EQ(program_found("", dir_ + "/folder"), "none");
}

TEST_F(KustomizeProgramTest, IsNamedWhenItCannotBeExecuted) {
    EXPECT_EQ(program_found("typo", dir_),
              "--kustomize: there is no such program: \"typo\", in no directory of PATH");
    std::ofstream(dir_ + "/file") << "text";
    for (const std::string& path : {dir_ + "/absent", dir_ + "/file", dir_}) {
        EXPECT_EQ(program_found(path, dir_),
                  "--kustomize: there is no such program: \"" + path + "\"");
    }
}

TEST_F(KustomizeProgramTest, IsAskedForNothingButAPlainBuild) {
    const std::string script = "echo \"$1 $2 $3 $HOME $KUBERC\"; exec cat \"$4/x.yaml\"\n";
    const std::string options = " --load-restrictor=LoadRestrictionsRootOnly --enable-helm=false ";
    const std::string rest = options + "/nonexistent off\nkind: ConfigMap\n";
    EXPECT_EQ(built(program("kustomize", script), kProgramFiles), "build" + rest);
    EXPECT_EQ(built(program("kubectl", script), kProgramFiles), "kustomize" + rest);
}

TEST_F(KustomizeProgramTest, MayNameAnyFileWhereTheKernelGuardsTheRest) {
    loads_any_ = true;
    EXPECT_EQ(built(program("kustomize", "echo $2\n"), kProgramFiles),
              keeps_files_apart() ? "--load-restrictor=LoadRestrictionsNone\n"
                                  : "--load-restrictor=LoadRestrictionsRootOnly\n");
}

TEST_F(KustomizeProgramTest, IsNotGivenWhatItWouldFetchOrRun) {
    auto files = kProgramFiles;
    files["app/kustomization.yaml"] =
        "resources: [x.yaml, https://example.com/a.yaml]\ngenerators: [p.yaml, "
        "https://example.com/b.yaml]\ntransformers: [q.yaml]\n"
        "validators: ['{apiVersion: x/v1, kind: Check}']\nhelmCharts: [{name: c}]\n";
    files["app/p.yaml"] = "apiVersion: x/v1\nkind: Run\n# apiVersion: builtin\n";
    files["app/q.yaml"] = "apiVersion: builtin\nkind: PrefixTransformer\nprefix: a-\n";
    const std::string copy =
        built(program("kustomize", "exec cat \"$4/kustomization.yaml\"\n"), files);
    EXPECT_EQ(left_out_,
              "chart c\nhttps://example.com/a.yaml\nhttps://example.com/b.yaml\n"
              "plug-in app/p.yaml\nplug-in Check\n");
    EXPECT_EQ(copy.find("example.com"), std::string::npos);
    EXPECT_EQ(copy.find("p.yaml"), std::string::npos);
    EXPECT_NE(copy.find("q.yaml"), std::string::npos);
}

TEST_F(KustomizeProgramTest, IsNotGivenWhatGitMustNotHave) {
    auto files = kProgramFiles;
    files["app/kustomization.yaml"] = "resources: [x.yaml, db-Secret.yaml, secrets]\n";
    const std::string copy =
        built(program("kustomize", "exec cat \"$4/kustomization.yaml\"\n"), files);
    EXPECT_EQ(left_out_, "db-Secret.yaml\n");
    EXPECT_EQ(copy.find("db-Secret"), std::string::npos);
    EXPECT_NE(copy.find("- secrets"), std::string::npos);
}

TEST_F(KustomizeProgramTest, IsQuotedUnlessItMayShowASecret) {
    const std::string path = program("kustomize", "echo \"no $4\" >&2; exit 1\n");
    EXPECT_EQ(built(path, kProgramFiles), "kustomize cannot build this directory: no ./app");
    const std::string hidden =
        "kustomize cannot build this directory: a message that may hold values of a Secret";
    for (const char* text : {"kind: Secret\n", "{\"kind\":\"Secret\"}", "kind: 'SecretList'\n",
                             "kind: Secret\n\tbad"}) {
        auto files = kProgramFiles;
        files["app/x.yaml"] = text;
        EXPECT_EQ(built(path, files), hidden) << text;
    }
    auto files = kProgramFiles;
    files["app/x.yaml"] = "kind: ExternalSecret\n";
    EXPECT_EQ(built(path, files), "kustomize cannot build this directory: no ./app");
    files["app/kustomization.yaml"] += "secretGenerator: [{name: s}]\n";
    EXPECT_EQ(built(path, files), hidden);
}

TEST_F(KustomizeProgramTest, IsQuotedWithoutItsTraces) {
    for (const char* trace : {"runtime stack:", "goroutine 1 [running]:"}) {
        const std::string script = std::string("printf 'fatal error: out of memory\\n\\n") + trace +
                                   "\\nmain.go\\n' >&2; exit 2\n";
        EXPECT_EQ(built(program("kustomize", script), kProgramFiles),
                  "kustomize cannot build this directory: fatal error: out of memory");
    }
}

// This lets kustomize refuse a link that leaves the directory of its kustomization.
TEST_F(KustomizeProgramTest, IsGivenLinksAsLinks) {
    auto files = kProgramFiles;
    files["app/kustomization.yaml"] = "namePrefix: a-\nresources: [x.yaml, a.yaml, y.yaml]\n";
    files["app/a.yaml"] = files["app/y.yaml"] = "kind: ConfigMap\n";
    files["other/y.yaml"] = "kind: ConfigMap\n";
    const std::string copy =
        built(program("kustomize", "cd $4; exec /bin/ls -o *.yaml ../other\n"), files,
              {{"app/a.yaml", "app/x.yaml"}, {"app/y.yaml", "other/y.yaml"}});
    EXPECT_NE(copy.find("/app/x.yaml\n"), std::string::npos) << copy;
    EXPECT_NE(copy.find("/other/y.yaml\n"), std::string::npos) << copy;
}

TEST_F(KustomizeProgramTest, IsRunAheadOnlyOnce) {
    is_ahead_ = true;
    EXPECT_EQ(built(program("kustomize", "echo 'kind: ConfigMap'\n"), kProgramFiles),
              "kind: ConfigMap\n");
    EXPECT_EQ(built(program("kustomize", "echo no >&2; exit 1\n"), kProgramFiles),
              "kustomize cannot build this directory: no");
}

TEST_F(KustomizeProgramTest, IsRunAheadForManyDirectories) {
    std::map<std::string, std::string> files;
    std::vector<std::string> dirs;
    for (int i = 0; i < 50; ++i) {
        dirs.push_back("app-" + std::to_string(i));
        files[dirs.back() + "/kustomization.yaml"] = "namePrefix: a-\nresources: [x.yaml]\n";
        files[dirs.back() + "/x.yaml"] = "kind: ConfigMap\n";
    }
    repo::MemoryTree tree(files);
    SourceMap sources;
    KustomizationReader reader(tree, sources);
    const KustomizeProgram kustomize =
        kustomize_at(program("kustomize", "echo \"dir: ${4##*/}\"\n"));
    std::vector<KustomizeJob> jobs;
    jobs.reserve(dirs.size());
    for (const std::string& dir : dirs) {
        jobs.push_back({tree, reader, find_build_files(tree, reader, ".", dir), ".", dir});
    }
    Steps steps;
    run_kustomize_ahead(kustomize, jobs, 4, steps);
    EXPECT_EQ(steps.text(), fmt::format("building kustomizations, {0} of {0}", jobs.size()));
    for (const KustomizeJob& job : jobs) {
        Result<KustomizeBuild> build = run_kustomize(kustomize, job);
        ASSERT_TRUE(build) << job.dir;
        EXPECT_EQ(build->stream, "dir: " + job.dir + "\n");
    }
    EXPECT_TRUE(fs::is_empty(kustomize.copies->path()));
}

TEST_F(KustomizeProgramTest, IsRunOnceMoreWhereItDoesNotKnowOrigins) {
    const std::string script =
        "while read -r line; do case $line in buildMetadata*)\n"
        "  echo 'json: unknown field \"buildMetadata\"' >&2; exit 1 ;;\n"
        "esac; done <\"$4/kustomization.yaml\"; echo 'kind: ConfigMap'\n";
    EXPECT_EQ(built(program("kustomize", script), kProgramFiles), "kind: ConfigMap\n");
}

TEST_F(KustomizeProgramTest, NeedsSpaceForTheCopy) {
    const std::string path = program("kustomize", "");
    ::setenv("TMPDIR", (dir_ + "/absent").c_str(), 1);
    EXPECT_EQ(built(path, kProgramFiles),
              "cannot copy the files of this kustomization: no temporary directory");
    ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace renderer::engines
