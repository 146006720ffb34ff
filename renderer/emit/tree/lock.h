// The text of tailrender.lock.yaml after a run: one sorted line for each port that a ProxyGroup
// gives out. Lines of other clusters stay; lines that this run has no use for go.
#pragma once

#include <span>
#include <string>

#include "renderer/core/result.h"
#include "renderer/emit/emit.h"

namespace renderer {

// `runs`: those of one repository, so all of them have read the same lock.
std::string lock_text(std::span<const Output> runs);

// Writes it to `path`. A file that says the same already is not touched, and none is made for
// nothing. The value: whether the file is another one now.
Result<bool> write_lock(const std::string& path, const std::string& text);

}  // namespace renderer
