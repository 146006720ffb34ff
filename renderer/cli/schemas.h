// JSON Schemas of the files that users write, made of the tables by which they are read.
#pragma once

#include <string>
#include <string_view>

namespace renderer::cli {

constexpr std::string_view kConfigSchema = "config";  // of .tailrender.yaml
constexpr std::string_view kValuesSchema = "values";  // of Helm values with `tailrender:`

std::string schema_text(std::string_view name);

}  // namespace renderer::cli
