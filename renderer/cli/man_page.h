// The manual page tailrender(1), made from the same table as --help and the completion scripts, so
// that it cannot go stale. Flags that most verbs share are described once.
#pragma once

#include <string>
#include <vector>

#include "renderer/cli/options.h"

namespace renderer {

// In the language of man(7), without a date: the same program has the same page.
std::string man_page(const std::vector<VerbInfo>& verbs);

}  // namespace renderer
