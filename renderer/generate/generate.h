// Stage 4: plan -> objects. One free function per feature; each reads its slice of the plan,
// appends objects and decides nothing.
#pragma once

#include <cstdint>

#include "renderer/generate/model.h"

namespace renderer {

// What a caller needs of an object: its tree, or only its text, written while it is at hand. A text
// takes a third of the memory, and the thread that has just made an object writes it fastest.
enum class Form : std::uint8_t { Tree, Text };

// `threads` 0 means one per core.
Objects generate(const Plan& plan, Form form = Form::Tree, unsigned threads = 0);

}  // namespace renderer
