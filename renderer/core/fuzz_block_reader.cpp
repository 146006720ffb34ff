// Fuzz target: what the fast reader returns equals what yaml-cpp makes of the same text, including
// the order of members and every position.
#include <cstdint>
#include <string>

#include "renderer/base/check.h"
#include "renderer/base/utf8.h"
#include "renderer/core/block_reader.h"
#include "renderer/core/yaml_reader.h"

namespace {

using namespace renderer;

void check_same(const Value& a, const Value& b) {
    CHECK(a.kind() == b.kind() && a.pos() == b.pos());
    if (a.is_list()) {
        CHECK(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            check_same(a.items()[i], b.items()[i]);
        }
    } else if (a.is_map()) {
        CHECK(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            check_same(a.members()[i].key, b.members()[i].key);
            check_same(a.members()[i].value, b.members()[i].value);
        }
    } else {
        CHECK(a == b);
    }
}

}  // namespace

extern "C" int fuzz_block_reader(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (find_bad_character(text) != std::string_view::npos) {
        return 0;
    }
    SourceMap sources;
    const SourceId source = sources.add("fuzz", text);
    const std::optional<Value> simple = read_block_style(sources, source, 0, text);
    if (simple) {
        Diagnostics diagnostics;
        const Value value = read_any_style(sources, source, 0, text, diagnostics);
        CHECK(diagnostics.empty());
        check_same(*simple, value);
    }
    return 0;
}
