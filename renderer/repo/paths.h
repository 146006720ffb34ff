// Paths as text, with `/` between names. All functions are lexical: none reads the disk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace renderer::repo {

// "a" + "b/c" -> "a/b/c"; "." and "" as directory add nothing, so that `render .` names "app.yaml".
std::string join_path(std::string_view dir, std::string_view path);
// Removes ".", "x/.." and doubled or trailing slashes; "" and "./" become ".".
std::string normal_path(std::string_view path);
// A normal path below `dir`: of `path`, a leading slash and each ".." that would leave `dir` do not
// count.
std::string path_inside(std::string_view dir, std::string_view path);
std::string_view base_name(std::string_view path);
// Returns the directory part, "." if there is none.
std::string parent_path(std::string_view path);
// True if the path is the directory itself or below it. Both must be normal.
bool is_within(std::string_view path, std::string_view dir);
// Returns the path from `dir` to `path`, "" for the directory itself, "../x" for a path outside.
// Both must be normal.
std::string relative_path(std::string_view path, std::string_view dir);

// Returns how many directories above the first file are also above the second one.
std::size_t shared_directories(std::string_view a, std::string_view b);
// True for names that end in .yaml, .yml or .json.
bool is_manifest_name(std::string_view name);
// Matches the whole text as Go's filepath.Match does (`*`, `?`, `[a-z]`); `*` matches no slash.
bool matches_glob(const std::string& pattern, const std::string& text);
// Returns the patterns that one with `{a,b}` stands for, in order: the first 1,024 of them.
std::vector<std::string> brace_alternatives(std::string_view pattern);

}  // namespace renderer::repo
