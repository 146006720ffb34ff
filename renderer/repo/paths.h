// Paths as text, with `/` between names. All functions are lexical: none looks at a disk.
#pragma once

#include <string>
#include <string_view>

namespace renderer {

// "a" + "b/c" -> "a/b/c"; "." and "" as directory add nothing, so that `render .` names "app.yaml".
std::string join_path(std::string_view dir, std::string_view path);
// Removes ".", "x/.." and doubled or trailing slashes; "" and "./" become ".".
std::string normal_path(std::string_view path);
// A normal path below `dir`: of `path`, a leading slash and each ".." that would leave `dir` do not
// count.
std::string path_inside(std::string_view dir, std::string_view path);
std::string_view base_name(std::string_view path);
// The directory part, "." when there is none.
std::string parent_path(std::string_view path);
// Both normal; the path is the directory itself or below it.
bool is_within(std::string_view path, std::string_view dir);
// Path from `dir` to `path`, both normal: "" for the directory itself, "../x" when it is outside.
std::string relative_path(std::string_view path, std::string_view dir);
// .yaml, .yml or .json
bool is_manifest_name(std::string_view name);
// The shell pattern of Go's filepath.Match (`*`, `?`, `[a-z]`); `*` does not cross a slash.
bool matches_glob(const std::string& pattern, const std::string& text);

}  // namespace renderer
