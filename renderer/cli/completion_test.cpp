// Loads the scripts into real shells and checks what they offer.
#include "renderer/cli/completion.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "renderer/base/temporary_folder_testing.h"

namespace renderer::cli {
namespace {

namespace fs = std::filesystem;

class Completion : public testing::Test {
protected:
    void SetUp() override {
        for (const std::string shell : {"bash", "zsh", "fish"}) {
            std::ofstream(dir_ + "/script." + shell) << completion_script(shell, command_table());
        }
        fs::create_directory(dir_ + "/tree");
        std::ofstream(dir_ + "/tree.yaml") << "x\n";
    }

    std::string shell(const std::string& program, const std::string& commands) const {
        std::ofstream(dir_ + "/commands") << commands;
        const std::string line = "cd '" + dir_ + "' && " + program + " commands 2>&1";
        FILE* pipe = ::popen(line.c_str(), "r");
        std::string out;
        std::array<char, 4096> buffer{};
        while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
            out += buffer.data();
        }
        ::pclose(pipe);
        return out;
    }

    // Returns what bash offers while the last of these words is being typed.
    std::string bash(const std::string& words) const {
        return shell("bash",
                     "source script.bash\nCOMP_WORDS=(tailrender " + words +
                         ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tailrender\n"
                         "printf '%s\\n' \"${COMPREPLY[@]}\" | LC_ALL=C sort | tr '\\n' ' '\n");
    }

    const TemporaryFolder folder_;
    const std::string dir_ = folder_.path();
};

TEST_F(Completion, BashRegistersItself) {
    EXPECT_EQ(shell("bash", "source script.bash; complete -p tailrender"),
              "complete -o filenames -F _tailrender tailrender\n");
}

TEST_F(Completion, BashOffersVerbsFlagsAndFiles) {
    EXPECT_EQ(bash("re"), "render ");
    EXPECT_EQ(bash("''"),
              "--help --version access check cmp commit completion devices diff explain fix "
              "gitops-snippets graph images "
              "init install krm lint "
              "post-render render roots schema tailnet-policy ");
    EXPECT_EQ(bash("render --clu"), "--cluster ");
    EXPECT_EQ(bash("post-render --rel"), "--release ");
    EXPECT_EQ(bash("render --rel"), " ");
    EXPECT_EQ(bash("render tr"), "tree tree.yaml ");
    EXPECT_EQ(bash("render -o tr"), "tree ");
    EXPECT_EQ(bash("render --values tree."), "tree.yaml ");
    EXPECT_EQ(bash("render --color a"), "always auto ");
    EXPECT_EQ(bash("completion f"), "fish ");
}

TEST_F(Completion, FishOffersVerbsFlagsAndFiles) {
    if (std::system("command -v fish >/dev/null") != 0) {
        FAIL() << "fish is missing: scripts/deps installs it";
    }
    const auto fish = [this](const std::string& line) {
        return shell("fish", "source script.fish\ncomplete -C 'tailrender " + line + "' | cut -f1");
    };
    EXPECT_EQ(fish("re"), "render\n");
    EXPECT_EQ(fish("render --clu"), "--cluster\n");
    EXPECT_EQ(fish("render --color al"), "always\n");
    EXPECT_EQ(fish("completion f"), "fish\n");
    EXPECT_EQ(fish("render -o tr"), "tree/\n");
    EXPECT_NE(fish("render tr").find("tree.yaml"), std::string::npos);
}

TEST_F(Completion, ZshLoadsAndOffersVerbsAndFlags) {
    if (std::system("command -v zsh >/dev/null") != 0) {
        FAIL() << "zsh is missing: scripts/deps installs it";
    }
    // Completion widgets need a line editor, so the test replaces them with functions that print.
    const std::string fake =
        "compdef() { :; }\n"
        "_describe() { print -l ${(P)2} }\n"
        "_arguments() { print -l -- \"$@\" }\n"
        "source script.zsh\n";
    const std::string verbs =
        shell("zsh -f", fake + "words=(tailrender ''); CURRENT=2; _tailrender");
    EXPECT_TRUE(verbs.starts_with("render:render a tree to standard output or a directory\ncheck:"))
        << verbs;
    const std::string flags =
        shell("zsh -f", fake + "words=(tailrender render ''); CURRENT=3; _tailrender");
    EXPECT_NE(flags.find("\n*--context[directory whose documents are read but never output "
                         "(repeatable)]:value:_files -/\n"),
              std::string::npos)
        << flags;
    EXPECT_TRUE(flags.ends_with("\n*:argument:_files\n")) << flags;
    EXPECT_EQ(shell("zsh -f",
                    "autoload -U compinit; compinit -D; source script.zsh; "
                    "print $_comps[tailrender]"),
              "_tailrender\n");
}

}  // namespace
}  // namespace renderer::cli
