// Stage 4: plan -> objects. There is one function per feature; each reads its part of the plan,
// appends objects and decides nothing.
#pragma once

#include <cstdint>

#include "renderer/generate/model.h"

namespace renderer::generate {

// What a caller needs of an object: its tree, or only its text. A text takes a third of the memory,
// and it is written fastest by the thread that has just created the object.
enum class Form : std::uint8_t { Tree, Text };

// Returns all objects of the plan. `threads` 0 means one per core.
Objects generate(const plan::Plan& plan, Form form = Form::Tree, unsigned threads = 0);

}  // namespace renderer::generate
