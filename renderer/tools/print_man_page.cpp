// Prints tailrender(1): run by the build, for packages. The program itself needs no page to print.
#include <cstdio>
#include <string>

#include "renderer/cli/man_page.h"

int main() {
    const std::string page = renderer::man_page(renderer::command_table());
    const bool written = std::fwrite(page.data(), 1, page.size(), stdout) == page.size();
    return std::fflush(stdout) == 0 && written ? 0 : 1;
}
