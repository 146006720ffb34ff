#include <fmt/format.h>

#include "renderer/cli/init/new_files.h"
#include "renderer/repo/paths.h"

// The assembler puts the plug-ins for CI into the binary.
// NOLINTBEGIN(hicpp-no-assembler)
#define TAILRENDER_EMBED(name, path)                                                            \
    asm(".section .rodata\n.global tailrender_" #name "_begin\n.global tailrender_" #name       \
        "_end\ntailrender_" #name "_begin:\n.incbin \"" path "\"\ntailrender_" #name            \
        "_end:\n.byte 0\n.previous\n");                                                         \
    extern "C" const char tailrender_##name##_begin[];                                          \
    extern "C" const char tailrender_##name##_end[];                                            \
    std::string_view name() {                                                                   \
        return {tailrender_##name##_begin,                                                      \
                static_cast<std::size_t>(tailrender_##name##_end - tailrender_##name##_begin)}; \
    }

namespace renderer::cli {
namespace {

TAILRENDER_EMBED(action, CI_FOLDER "/github/action.yml")
TAILRENDER_EMBED(diff_comment, CI_FOLDER "/github/diff_comment")
TAILRENDER_EMBED(get_program, CI_FOLDER "/github/get_program")
TAILRENDER_EMBED(workflow, CI_FOLDER "/github/workflow.yml")
TAILRENDER_EMBED(gitlab_job, CI_FOLDER "/gitlab/tailrender.gitlab-ci.yml")
// NOLINTEND(hicpp-no-assembler)

constexpr std::string_view kAction = ".github/actions/tailrender-diff";
constexpr std::string_view kGitLabJob = ".gitlab/tailrender.gitlab-ci.yml";

void add_github(Additions& additions) {
    additions.files.push_back({fmt::format("{}/action.yml", kAction), std::string(action())});
    additions.files.push_back(
        {fmt::format("{}/diff_comment", kAction), std::string(diff_comment()), true});
    additions.files.push_back(
        {fmt::format("{}/get_program", kAction), std::string(get_program()), true});
    std::string text(workflow());  // ends with the inputs of the action
    if (!additions.render.empty()) {
        text += fmt::format("          arguments: {}\n", additions.render);
    }
    text += fmt::format("      - run: tailrender check . {}\n", additions.check);
    additions.files.push_back({".github/workflows/tailrender.yml", std::move(text)});
    additions.by_hand.push_back(
        "say in .github/workflows/tailrender.yml where the files of the release are");
}

void add_gitlab(const repo::SourceTree& tree, const std::string& top, Additions& additions) {
    std::string include = fmt::format("include:\n  - local: {}\n", kGitLabJob);
    if (!additions.render.empty()) {
        include += fmt::format("    inputs: {{arguments: \"{}\"}}\n", additions.render);
    }
    additions.files.push_back({std::string(kGitLabJob), std::string(gitlab_job())});
    const std::string pipeline = ".gitlab-ci.yml";
    if (tree.kind(repo::join_path(top, pipeline)) == repo::EntryKind::Missing) {
        additions.files.push_back(
            {pipeline, fmt::format("{}\ntailrender-check:\n  stage: test\n  script: tailrender "
                                   "check . {}\n",
                                   include, additions.check)});
        return;
    }
    additions.by_hand.push_back(fmt::format(
        "include {} in {}{}", kGitLabJob, pipeline,
        additions.render.empty() ? "" : ", with the input arguments: " + additions.render));
}

}  // namespace

void add_ci(Ci ci, const repo::SourceTree& tree, const std::string& top, Additions& additions) {
    if (ci == Ci::GitHub) {
        add_github(additions);
    } else if (ci == Ci::GitLab) {
        add_gitlab(tree, top, additions);
    }
}

}  // namespace renderer::cli
