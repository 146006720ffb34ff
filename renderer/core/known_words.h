// Suggestions for a command line that CLI11 has refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace renderer::inline core {

// Returns the verb on the command line; nullptr if no known verb is given.
const CLI::App* chosen_verb(const CLI::App& app);

// Returns its names as they are typed, short ones first: "-o", "--output".
std::vector<std::string> names_of(const CLI::Option& option);

// Returns the known word nearest to the unknown `word`, or "": a flag of `verb`, or a verb if
// `verb` is nullptr. A value after the flag ("--colour=never") is ignored.
std::string nearest_word(const CLI::App& app, const CLI::App* verb, std::string_view word);

}  // namespace renderer::inline core
