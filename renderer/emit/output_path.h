// The allowed paths of output files. Names of the input become names of files only through here:
// every component is a single name, so a path can neither leave its directory nor collide with
// another one.
#pragma once

#include <string>
#include <string_view>

namespace renderer::emit {

// Returns "service_web.yaml"; a name that is too long for the file system is cut and gets a hash.
std::string object_file_name(std::string_view kind, std::string_view name);

// True for a relative path whose components are printable names of at most 255 bytes, and not
// reserved by tailrender or Git.
bool is_output_path(std::string_view path);

constexpr std::string_view kOutputPathGrammar =
    "names of at most 255 bytes, without control characters, slashes, \"..\" and \".git\"";

}  // namespace renderer::emit
