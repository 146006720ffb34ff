// All fuzz targets in one executable: fuzz_targets TARGET …. The first argument names the target;
// libFuzzer and fuzz_replay.cpp get the arguments after it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef TARGET

namespace {

struct Target {
    const char* name;
    int (*run)(const std::uint8_t* data, std::size_t size);
};

constexpr Target kTargets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include "fuzz_targets.inc"
#undef TARGET
};

const Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    for (const Target& target : kTargets) {
        if (*argc > 1 && std::strcmp((*argv)[1], target.name) == 0) {
            chosen = &target;
        }
    }
    if (chosen == nullptr) {
        std::fprintf(stderr, "usage: %s TARGET …; TARGET is one of\n", (*argv)[0]);
        for (const Target& target : kTargets) {
            std::fprintf(stderr, "  %s\n", target.name);
        }
        std::exit(2);
    }
    (*argv)[1] = (*argv)[0];
    ++*argv;
    --*argc;
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return chosen->run(data, size);
}
