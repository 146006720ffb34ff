#include "renderer/emit/diff.h"

#include <fmt/format.h>

#include "renderer/core/result.h"
#include "renderer/git/git.h"

namespace renderer::emit {

namespace {

std::string range_text(int first, int count) {
    return count == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, count);
}

// Leaves out the line of context that git adds after the range.
std::string hunk_header(const git_diff_hunk& hunk) {
    return fmt::format("@@ -{} +{} @@\n", range_text(hunk.old_start, hunk.old_lines),
                       range_text(hunk.new_start, hunk.new_lines));
}

int print_line(const git_diff_delta*, const git_diff_hunk* hunk, const git_diff_line* line,
               void* payload) {
    std::string& out = *static_cast<std::string*>(payload);
    switch (line->origin) {
        case GIT_DIFF_LINE_HUNK_HDR:
            out += hunk_header(*hunk);
            break;
        case GIT_DIFF_LINE_CONTEXT:
        case GIT_DIFF_LINE_ADDITION:
        case GIT_DIFF_LINE_DELETION:
            out += line->origin;
            [[fallthrough]];
        case GIT_DIFF_LINE_CONTEXT_EOFNL:
        case GIT_DIFF_LINE_ADD_EOFNL:
        case GIT_DIFF_LINE_DEL_EOFNL:
            out.append(line->content, line->content_len);
            break;
        default:
            break;
    }
    return 0;
}

}  // namespace

std::string unified_diff(std::string_view old_name, std::string_view new_name,
                         std::string_view old_text, std::string_view new_text) {
    if (old_text == new_text) {
        return {};
    }
    git::start_git();
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_FORCE_TEXT;
    git_patch* made = nullptr;
    const int failed = git_patch_from_buffers(&made, old_text.data(), old_text.size(), nullptr,
                                              new_text.data(), new_text.size(), nullptr, &options);
    const git::GitPatch patch(made);
    CHECK(failed == 0);
    std::string out = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
    CHECK(git_patch_print(patch.get(), print_line, &out) == 0);
    return out;
}

}  // namespace renderer::emit
