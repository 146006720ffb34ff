// Decides which paths Flux leaves out of the artifact of a Git repository: by its built-in
// patterns, those of each `.sourceignore`, and `spec.ignore` of the source. The grammar is that of
// .gitignore, but Flux matches every path by itself: a file can be included again although a
// directory above it is left out, and a pattern that matches a directory matches everything below
// it. Sources: fluxcd/pkg sourceignore, sourceignore/gitignore, artifact/storage/archive.go.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace renderer::repo {

class SourceIgnores {
public:
    SourceIgnores();

    // Adds lines that take precedence over those before them. `dir`: the directory that they apply
    // to, relative to the top of the repository; "" = the top.
    void add(std::string_view text, std::string_view dir);

    // `path` is relative to the top of the repository. The top itself is never left out.
    [[nodiscard]] bool leaves_out(std::string_view path, bool is_directory) const;

private:
    // One name of a pattern: literal text or a glob.
    struct Name {
        std::string text;
        bool is_glob = false;
    };

    struct Pattern {
        std::vector<std::string> dir;
        std::vector<Name> names;
        bool takes_back = false;
        bool only_directories = false;
    };

    using Path = std::span<const std::string>;

    static Pattern parse(std::string_view line, std::string_view dir);
    static bool fits(const Name& name, const std::string& text);
    static bool matches(const Pattern& pattern, Path path, bool is_directory);
    static bool matches_name(const Pattern& pattern, Path path, bool is_directory);
    static bool matches_path(const Pattern& pattern, Path path, bool is_directory);

    std::vector<Pattern> patterns_;  // the last one that matches decides
    std::size_t always_ = 0;         // how many at its front the user's never replace
    bool has_own_ = false;
};

}  // namespace renderer::repo
