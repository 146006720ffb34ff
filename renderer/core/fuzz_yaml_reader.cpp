// Fuzz target: for any bytes, the reader returns a tree or diagnostics. A tree is written and read
// back as the same tree.
#include <cstdint>
#include <string>

#include "renderer/base/check.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"

extern "C" int fuzz_yaml_reader(const std::uint8_t* data, std::size_t size) {
    using namespace renderer;
    SourceMap sources;
    Diagnostics diagnostics;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const Value value = read_yaml(sources, sources.add("fuzz", text), diagnostics);
    if (diagnostics.has_errors()) {
        CHECK(!diagnostics.print(sources, false).empty());
        return 0;
    }
    std::string written;
    write_yaml(value, written);
    const Value again = read_yaml(sources, sources.add("written", written), diagnostics);
    CHECK(!diagnostics.has_errors());
    CHECK(again == value);
    return 0;
}
