#include "renderer/schema/table_text.h"

// NOLINTBEGIN(hicpp-no-assembler)
asm(".section .rodata\n"
    ".global tailrender_schemas_begin\n"
    ".global tailrender_schemas_end\n"
    "tailrender_schemas_begin:\n"
    ".incbin \"" SCHEMAS_FILE
    "\"\n"
    "tailrender_schemas_end:\n"
    ".byte 0\n"
    ".previous\n");
// NOLINTEND(hicpp-no-assembler)

extern "C" {
extern const char tailrender_schemas_begin[];  // NOLINT(modernize-avoid-c-arrays)
extern const char tailrender_schemas_end[];    // NOLINT(modernize-avoid-c-arrays)
}

namespace renderer {

std::string_view schema_table_text() {
    return {tailrender_schemas_begin,
            static_cast<std::size_t>(tailrender_schemas_end - tailrender_schemas_begin)};
}

}  // namespace renderer
