#include "renderer/repo/source_ignores.h"

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace {

constexpr std::string_view kAnyDepth = "**";

constexpr std::array<std::string_view, 4> kGit = {".git/", ".gitignore", ".gitmodules",
                                                  ".gitattributes"};
// These patterns apply only if the user gives none.
constexpr std::array<std::string_view, 20> kDefaults = {"*.jpg",
                                                        "*.jpeg",
                                                        "*.gif",
                                                        "*.png",
                                                        "*.wmv",
                                                        "*.flv",
                                                        "*.tar.gz",
                                                        "*.zip",
                                                        ".github/",
                                                        ".circleci/",
                                                        ".travis.yml",
                                                        ".gitlab-ci.yml",
                                                        "appveyor.yml",
                                                        ".drone.yml",
                                                        "cloudbuild.yaml",
                                                        "codeship-services.yml",
                                                        "codeship-steps.yml",
                                                        "**/.goreleaser.yml",
                                                        "**/.sops.yaml",
                                                        "**/.flux.yaml"};

// Splits at each slash, and keeps the empty names of doubled slashes.
std::vector<std::string> names_of(std::string_view path) {
    std::vector<std::string> names;
    while (true) {
        const std::size_t slash = path.find('/');
        names.emplace_back(path.substr(0, slash));
        if (slash == std::string_view::npos) {
            return names;
        }
        path.remove_prefix(slash + 1);
    }
}

std::string_view without_spaces_behind(std::string_view text) {
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Escapes `!` at the start of a class: for Go it is an ordinary character there, only `^` negates.
std::string in_words_of_fnmatch(std::string pattern) {
    for (std::size_t at = 0; at + 1 < pattern.size(); ++at) {
        if (pattern[at] == '\\') {
            ++at;
        } else if (pattern[at] == '[' && pattern[at + 1] == '!') {
            pattern.insert(at + 1, 1, '\\');
        }
    }
    return pattern;
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
}

}  // namespace

SourceIgnores::SourceIgnores() {
    for (const std::string_view line : kGit) {
        patterns_.push_back(parse(line, {}));
    }
    always_ = patterns_.size();
    for (const std::string_view line : kDefaults) {
        patterns_.push_back(parse(line, {}));
    }
}

void SourceIgnores::add(std::string_view text, std::string_view dir) {
    for (std::string_view line : split(text, '\n')) {
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.starts_with('#') || is_blank(line)) {
            continue;
        }
        if (!has_own_) {
            patterns_.resize(always_);
            has_own_ = true;
        }
        patterns_.push_back(parse(line, dir));
    }
}

bool SourceIgnores::leaves_out(std::string_view path, bool is_directory) const {
    if (path.empty()) {
        return false;
    }
    const std::vector<std::string> names = names_of(path);
    for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
        if (matches(*pattern, names, is_directory)) {
            return !pattern->takes_back;
        }
    }
    return false;
}

SourceIgnores::Pattern SourceIgnores::parse(std::string_view line, std::string_view dir) {
    Pattern pattern;
    if (!dir.empty()) {
        pattern.dir = names_of(dir);
    }
    if (line.starts_with('!')) {
        pattern.takes_back = true;
        line.remove_prefix(1);
    }
    if (!line.ends_with("\\ ")) {
        line = without_spaces_behind(line);
    }
    if (line.ends_with('/')) {
        pattern.only_directories = true;
        line.remove_suffix(1);
    }
    for (std::string& name : names_of(line)) {
        const bool is_glob = name.find_first_of("*?[\\") != std::string::npos;
        pattern.names.push_back({in_words_of_fnmatch(std::move(name)), is_glob});
    }
    return pattern;
}

bool SourceIgnores::fits(const Name& name, const std::string& text) {
    return name.is_glob ? matches_glob(name.text, text) : name.text == text;
}

bool SourceIgnores::matches(const Pattern& pattern, Path path, bool is_directory) {
    const std::size_t above = pattern.dir.size();
    if (path.size() <= above || !std::ranges::equal(pattern.dir, path.first(above))) {
        return false;
    }
    path = path.subspan(above);
    return pattern.names.size() == 1 ? matches_name(pattern, path, is_directory)
                                     : matches_path(pattern, path, is_directory);
}

// Only the first name of the path that matches counts.
bool SourceIgnores::matches_name(const Pattern& pattern, Path path, bool is_directory) {
    const auto found = std::ranges::find_if(
        path, [&](const std::string& name) { return fits(pattern.names.front(), name); });
    const bool is_last = found != path.end() && found + 1 == path.end();
    return found != path.end() && (!is_last || is_directory || !pattern.only_directories);
}

// `**` stops at the first name that matches the name after it, and does not backtrack.
bool SourceIgnores::matches_path(const Pattern& pattern, Path path, bool is_directory) {
    bool is_match = false;
    bool any_depth = false;
    auto at = path.begin();
    for (std::size_t i = 0; i < pattern.names.size(); ++i) {
        const Name& name = pattern.names[i];
        if (name.text.empty()) {
            any_depth = false;
            continue;
        }
        if (name.text == kAnyDepth) {
            any_depth = i + 1 < pattern.names.size();
            continue;
        }
        if (name.text.find(kAnyDepth) != std::string::npos || at == path.end()) {
            return false;
        }
        if (any_depth) {
            any_depth = false;
            at = std::find_if(at, path.end(),
                              [&](const std::string& one) { return fits(name, one); });
            is_match = at != path.end();
        } else {
            is_match = fits(name, *at);
            if (!is_match) {
                return false;
            }
        }
        at += at == path.end() ? 0 : 1;
    }
    const bool is_last = at == path.end();
    return is_match && (!is_last || is_directory || !pattern.only_directories);
}

}  // namespace renderer::repo
