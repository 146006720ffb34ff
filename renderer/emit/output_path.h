// Which paths the output may have. Names of the input become names of files only through here:
// every component is one name, so a path neither leaves its directory nor meets another one.
#pragma once

#include <string>
#include <string_view>

namespace renderer {

// "service_web.yaml"; what does not fit into a name of the file system is cut and gets a hash.
std::string object_file_name(std::string_view kind, std::string_view name);

// Relative, each component a printable name of at most 255 bytes and none of those that tailrender
// or Git use themselves.
bool is_output_path(std::string_view path);

constexpr std::string_view kOutputPathGrammar =
    "names of at most 255 bytes, without control characters, slashes, \"..\" and \".git\"";

}  // namespace renderer
