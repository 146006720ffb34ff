// What a command line that CLI11 has refused could have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace renderer {

// The verb on the command line; nullptr: none that is known.
const CLI::App* chosen_verb(const CLI::App& app);

// As they are typed, the short ones first: "-o", "--output".
std::vector<std::string> names_of(const CLI::Option& option);

// The known word that the unknown `word` is nearest to, or "": a flag of `verb`, or a verb where
// there is none yet. A value behind the flag ("--colour=never") does not count.
std::string nearest_word(const CLI::App& app, const CLI::App* verb, std::string_view word);

}  // namespace renderer
