#include "renderer/cli/failed_stream.h"

#include "renderer/core/yaml_writer.h"

namespace renderer {

std::string failed_stream(const Run& run, std::string_view stream) {
    Value messages = Value::list();
    for (const Diagnostics::Block& block : run.diagnostics.blocks(run.loaded.sources, false)) {
        messages.append(Value(block.text));
    }
    std::string text;
    write_yaml(Value::map({{"apiVersion", "tailrender.dev/v1alpha1"},
                           {"kind", "RenderFailed"},
                           {"metadata", Value::map({{"name", "tailrender"}})},
                           {"messages", std::move(messages)}}),
               text);
    text += stream.starts_with("---") ? "" : "---\n";
    return text.append(stream);
}

}  // namespace renderer
