// tailrender: the command line of the renderer, which is in cli/.
#include "renderer/cli/cli.h"

int main(int argc, char** argv) {
    return renderer::cli::run_cli(argc, argv);
}
