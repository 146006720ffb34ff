#include "renderer/repo/config_file.h"

#include <fmt/format.h>

#include <utility>

namespace renderer::repo {

ConfigFile read_config(const SourceTree& tree, const std::string& path, Pos pos, SourceMap& sources,
                       Diagnostics& diagnostics, Repeated repeated) {
    Result<std::string> text = tree.read(path);
    if (!text) {
        Diagnostic diagnostic = std::move(text.error().diagnostic);
        if (pos.known()) {
            diagnostic.message = fmt::format("\"{}\": {}", path, diagnostic.message);
            diagnostic.pos = pos;
        }
        if (diagnostic.hint.empty()) {
            diagnostic.hint = "fix the path; it is relative to " +
                              std::string(pos.known() ? "this file" : "the current directory");
        }
        diagnostics.add(std::move(diagnostic));
        return {};
    }
    const std::size_t before = diagnostics.error_count();
    const SourceId source = sources.add(path, std::move(*text));
    ConfigFile file{.pos = sources.pos(source, 0),
                    .root = read_yaml(sources, source, diagnostics, repeated)};
    file.usable = diagnostics.error_count() == before;
    return file;
}

ConfigFile read_config(const SourceTree& tree, const std::string& path, Schema schema,
                       std::string_view what, SourceMap& sources, Diagnostics& diagnostics) {
    ConfigFile file = read_config(tree, path, {}, sources, diagnostics);
    const std::size_t before = diagnostics.error_count();
    check_schema(file.root, schema, what, diagnostics);
    file.usable = file.usable && diagnostics.error_count() == before;
    return file;
}

}  // namespace renderer::repo
