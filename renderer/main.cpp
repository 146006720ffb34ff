// tailrender: the renderer's command line. Everything is in cli/; this file only hands over.
#include "renderer/cli/cli.h"

int main(int argc, char** argv) {
    return renderer::run_cli(argc, argv);
}
