// Tests that every check is tested and documented, and what is too large for golden cases.
#include "renderer/lint/lint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "renderer/lint/git_ignores.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::lint {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(TESTDATA) / "lint";
const fs::path kSources = fs::path(TESTDATA).parent_path() / "renderer" / "lint";

std::string read_file(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string lint_text(std::map<std::string, std::string> files) {
    const repo::MemoryTree tree(std::move(files));
    repo::LoadOptions options;
    options.path = ".";
    load::Loaded loaded;
    Diagnostics diagnostics;
    const classify::Inventory inventory = {};
    const plan::Plan plan = {};
    lint({tree, options, inventory, plan}, loaded, diagnostics);
    return diagnostics.print(loaded.sources, false);
}

TEST(LintChecks, AreSortedAndHaveOneLineEach) {
    const auto checks = lint_checks();
    EXPECT_TRUE(std::ranges::is_sorted(checks, {}, &LintCheck::id));
    for (const LintCheck& check : checks) {
        EXPECT_LE(check.explanation.size(), 75U) << check.id;
        EXPECT_EQ(check.explanation.find('\n'), std::string_view::npos) << check.id;
    }
}

// Each check has one case with its message, and one of good input without any.
TEST(LintChecks, EachHasItsGoldenCases) {
    for (const LintCheck& check : lint_checks()) {
        const std::string id(check.id);
        if (id == "fleet-bundle-size") {
            continue;  // needs a megabyte: tested below
        }
        const std::string bad = read_file(kCases / (id + ".case"));
        EXPECT_NE(bad.find("[" + id + "]"), std::string::npos) << id;
        const fs::path good = kCases / (id + "-good.case");
        EXPECT_TRUE(fs::exists(good)) << id;
        EXPECT_EQ(read_file(good).find("want:err"), std::string::npos) << id;
    }
}

TEST(LintChecks, AreThoseThatTheSourcesSpell) {
    const std::regex id(R"re(\b(?:error|warning|say)\((?:severity,)?\s*"([a-z-]+)")re");
    std::set<std::string> spelled = {"policy-funnel", "policy-tag-owner"};  // of renderer/policy
    for (const fs::directory_entry& entry : fs::directory_iterator(kSources)) {
        if (entry.path().filename() == "lint_test.cpp") {
            continue;
        }
        const std::string text = read_file(entry.path());
        for (std::sregex_iterator said(text.begin(), text.end(), id), end; said != end; ++said) {
            spelled.insert((*said)[1]);
        }
    }
    std::set<std::string> known;
    for (const LintCheck& check : lint_checks()) {
        known.emplace(check.id);
    }
    EXPECT_EQ(spelled, known);
}

TEST(LintChecks, AreDocumented) {
    const std::string text = read_file(kSources / "CHECKS.md");
    std::size_t lines = 0;
    for (const LintCheck& check : lint_checks()) {
        const std::string line =
            "\n| `" + std::string(check.id) + "` | " + std::string(check.explanation) + " |";
        EXPECT_NE(text.find(line), std::string::npos) << check.id;
        ++lines;
    }
    std::size_t found = 0;
    for (std::size_t at = text.find("\n| `"); at != std::string::npos;
         at = text.find("\n| `", at + 1)) {
        ++found;
    }
    EXPECT_EQ(found, lines);
}

TEST(FleetBundleSize, CountsWhatFleetTakes) {
    const std::string large(std::size_t{600} << 10U, 'x');
    const std::string first = "web/a.txt";
    const std::map<std::string, std::string> files = {
        {"web/fleet.yaml", "name: web\nlabels: {for: tailscale}\n"},
        {first, large},
        {"web/b.txt", large}};
    const std::string found = lint_text(files);
    EXPECT_NE(found.find("web/fleet.yaml:1:1: warning: "), std::string::npos) << found;
    EXPECT_NE(found.find("1228800 bytes in 3 files, \"a.txt\" alone has 614400"), std::string::npos)
        << found;
    for (const auto& [path, text] : std::map<std::string, std::string>{
             {"web/.fleetignore", "b.txt\n"},
             {"web/fleet.yaml",
              "name: web\nlabels: {for: tailscale}\nhelm:\n  valuesFiles: [b.txt]\n"},
             {"web/b.txt", "small"}}) {
        std::map<std::string, std::string> good = files;
        good[path] = text;
        EXPECT_EQ(lint_text(good), "") << path;
    }
}

TEST(GitIgnores, ReadsLinesAsGitDoes) {
    const repo::MemoryTree tree(
        {{"repo/.git/HEAD", ""}, {"repo/.gitignore", "\xEF\xBB\xBF*.env\nfoo\\\n!a.env\nend\\"}});
    const GitIgnores git(tree, "repo");
    EXPECT_TRUE(git.ignores("b.env"));
    EXPECT_FALSE(git.ignores("a.env"));
    EXPECT_FALSE(git.ignores("foo"));
    EXPECT_FALSE(git.ignores("end"));
}

TEST(GitIgnores, IgnoresWhatGitignoreNames) {
    const repo::MemoryTree tree(
        {{"repo/.git/HEAD", ""},
         {"repo/.gitignore",
          "*.env\n/top\nbuild/\nsub/*.key\n!keep.env\n# no\n**/x/*.pem\n\\#a\nb\\ \n"},
         {"repo/sub/.gitignore", "local\n!a.env\n"},
         {"repo/sub/build/.gitignore", "!out.yaml\n"},
         {"repo/sub/x/.gitignore", "y/**\n!y/\n!y/b.txt\n"}});
    const GitIgnores git(tree, "repo/sub");
    EXPECT_TRUE(git.is_work_tree());
    EXPECT_EQ(git.prefix(), "sub");
    EXPECT_TRUE(git.ignores(".oauth.env"));
    EXPECT_TRUE(git.ignores("deep/x.env"));
    EXPECT_TRUE(git.ignores("deep/local"));
    EXPECT_TRUE(git.ignores("build/out.yaml"));
    EXPECT_TRUE(git.ignores("a.key"));
    EXPECT_TRUE(git.ignores("x/a.pem"));
    EXPECT_TRUE(git.ignores("deep/x/a.pem"));
    EXPECT_TRUE(git.ignores("#a"));
    EXPECT_TRUE(git.ignores("b "));
    EXPECT_TRUE(git.ignores("x/y/a.txt"));
    EXPECT_FALSE(git.ignores("x/y/b.txt"));
    EXPECT_FALSE(git.ignores("x/deep/a.pem"));
    EXPECT_FALSE(git.ignores("a.pem"));
    EXPECT_FALSE(git.ignores("b"));
    EXPECT_FALSE(git.ignores("keep.env"));
    EXPECT_FALSE(git.ignores("a.env"));
    EXPECT_FALSE(git.ignores("top"));
    EXPECT_FALSE(git.ignores("build"));
    EXPECT_FALSE(git.ignores("deep/a.key"));
    EXPECT_FALSE(git.ignores("web.yaml"));
    const repo::MemoryTree plain(std::map<std::string, std::string>{{"a.yaml", ""}});
    EXPECT_FALSE(GitIgnores(plain, ".").is_work_tree());
}

std::string lint_flux(const std::string& kustomization, const std::string& patch = "") {
    return lint_text({{"flux-system/kustomization.yaml", kustomization},
                      {"flux-system/patch.yaml", patch},
                      {"app.yaml",
                       "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
                       "metadata: {name: app}\n"
                       "spec: {path: ./app, sourceRef: {kind: GitRepository, name: a}}\n"},
                      {"app/secret.yaml",
                       "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nsops: {mac: a}\n"}});
}

TEST(Lint, PatchesOfAKustomizationThatBuildsFluxsOwn) {
    const std::string merge =
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: app}\nspec: {decryption: {provider: sops}}\n";
    const std::string other = "apiVersion: v1\nkind: Service\nspec: {decryption: {}}\n";
    const std::string target = "target: {kind: Kustomization, name: ap+}";
    const std::string set = "patch: '[{op: add, path: /spec/decryption, value: {}}]'";
    const std::string unset = "patch: '[{op: remove, path: /spec/decryption}]'";
    EXPECT_EQ(lint_flux("patchesStrategicMerge: [patch.yaml]\n", merge), "");
    EXPECT_EQ(lint_flux("patches: [{path: patch.yaml}]\n", merge), "");
    EXPECT_EQ(lint_flux("patchesJson6902: [{" + set + ", " + target + "}]\n"), "");
    EXPECT_NE(lint_flux("patches: [{path: patch.yaml}]\n", other), "");
    EXPECT_NE(lint_flux("patches: [{path: nowhere.yaml}]\n"), "");
    EXPECT_NE(lint_flux("patches: [{" + unset + ", " + target + "}]\n"), "");
    EXPECT_NE(lint_flux("patches: [{" + set + ", target: {kind: Service}}]\n"), "");
}

}  // namespace
}  // namespace renderer::lint
