#include "renderer/load/values/config_file.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/core/yaml_reader.h"

namespace renderer {

ConfigFile read_config(const SourceTree& tree, const std::string& path, Pos pos, SourceMap& sources,
                       Diagnostics& diagnostics) {
    Result<std::string> text = tree.read(path);
    if (!text) {
        Diagnostic diagnostic = std::move(text.error().diagnostic);
        if (pos.known()) {
            diagnostic.message = fmt::format("\"{}\": {}", path, diagnostic.message);
            diagnostic.pos = pos;
        }
        diagnostic.hint = "fix the path; it is relative to " +
                          std::string(pos.known() ? "this file" : "the current directory");
        diagnostics.add(std::move(diagnostic));
        return {};
    }
    ConfigFile file{.source = sources.add(path, std::move(*text)), .read = true};
    file.root = read_yaml(sources, file.source, diagnostics);
    return file;
}

}  // namespace renderer
