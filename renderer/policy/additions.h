// Adds to a policy what the devices of a tree need, and prints a policy that says nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/policy/check.h"
#include "renderer/policy/hujson_splice.h"
#include "renderer/policy/needs.h"

namespace renderer::policy {

// Returns the entry that meets the need in a policy without it.
NewEntry entry_for(const Need& need);

// Returns what to add as text: an entry, or `"tag:a" to "tag:b"` for a key that exists.
std::string addition_text(const Sections& sections, const Need& need);

// With places, a comment names the line of the input. A file that is edited later would keep lines
// that are wrong by then.
enum class Comments : std::uint8_t { Objects, Places };

// Returns the text with entries for what is missing. Nothing that is there changes.
std::string add_missing(std::string_view text, const Sections& sections,
                        const std::vector<const Need*>& missing, Comments comments);

// Returns a policy with what is needed, and with examples in comments (examples.h).
std::string print_policy(const Needs& needs, const std::vector<std::string>& examples);

}  // namespace renderer::policy
