// The bytes of schemas.txt, which the assembler puts into the binary.
#pragma once

#include <string_view>

namespace renderer {

std::string_view schema_table_text();

}  // namespace renderer
