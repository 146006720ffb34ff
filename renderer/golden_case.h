// A golden case: one file with an input tree and the expected output of the real binary, in
// sections that begin with a line `-- name --` (as in Go's txtar). Text before the first section is
// a comment.
//   -- apps/web.yaml --   a file of the input tree, byte for byte. ` (no final newline)` after the
//                         path removes the last newline; ` (link)` makes a symbolic link, whose
//                         target is the first line
//   -- flags --           the command line, default `render .`; words, or 'quoted words'. --quiet
//                         is added, so that only diagnostics are printed
//   -- report --          empty; --quiet is not added
//   -- no-images --       empty; the case names the images of this project itself, or none. Else
//                         they are set with --set for verbs that read settings
//   -- stdin --           standard input, default empty
//   -- want:out --        standard output, default empty. Here and in files below, JSON of a Secret
//                         is decoded: `key: (base64) {…}`
//   -- want:err --        standard error, default empty
//   -- want:exit --       default 1 when want:err has `error:`, else 0
//   -- want:out/PATH --   a file of the output directory `out` after the run; `-- want:tree --`
//                         (empty) compares the directory if no file is expected
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace renderer {

struct Section {
    std::string name;
    std::string text;
};

struct GoldenCase {
    std::string comment;
    std::vector<Section> sections;

    [[nodiscard]] const Section* find(std::string_view name) const;
    [[nodiscard]] std::string text_or(std::string_view name, std::string_view fallback) const;
    [[nodiscard]] bool has_tree() const;
};

// The result of a run.
struct Outcome {
    std::string out, err;
    int exit_code = 0;
    std::vector<Section> tree;  // files below `out`, sorted by path
};

GoldenCase parse_case(std::string_view text);
std::string print_case(const GoldenCase& golden);

// Returns the arguments of the command line, without the name of the binary.
std::vector<std::string> arguments(const GoldenCase& golden);

// Runs the binary in a fresh directory that holds the case's tree.
Outcome run_case(const GoldenCase& golden, const std::string& binary, const std::string& dir);

// Returns the case with its expectations replaced by the result of the run.
GoldenCase with_outcome(const GoldenCase& golden, const Outcome& outcome);

}  // namespace renderer
