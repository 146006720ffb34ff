#include "renderer/emit/output_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/base/printable.h"
#include "renderer/base/sha256.h"
#include "renderer/base/split.h"
#include "renderer/repo/inventory.h"

namespace renderer::emit {
namespace {

constexpr std::string_view kEnding = ".yaml";
constexpr std::size_t kMaxPath = 3072;  // leaves room for the output directory within PATH_MAX
constexpr std::size_t kHashSize = 16;

}  // namespace

std::string object_file_name(std::string_view kind, std::string_view name) {
    std::string stem = fmt::format("{}_{}", lower_case(kind), name);
    if (stem.size() + kEnding.size() > kMaxPathComponent) {
        const std::string hash = sha256_hex(stem).substr(0, kHashSize);
        stem.resize(kMaxPathComponent - kEnding.size() - kHashSize - 1);
        stem += fmt::format("-{}", hash);
    }
    return stem.append(kEnding);
}

bool is_output_path(std::string_view path) {
    return !path.empty() && path.size() <= kMaxPath && !path.ends_with('/') &&
           std::ranges::all_of(split(path, '/'), [](std::string_view name) {
               return is_path_component(name) && !repo::is_reserved_name(name);
           });
}

}  // namespace renderer::emit
