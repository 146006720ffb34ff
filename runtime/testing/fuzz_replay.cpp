// Runs a fuzz target over the files of its corpus: fuzz_targets TARGET DIR. It is linked instead of
// libFuzzer's main if that is not available.
#include <dirent.h>

#include <cstdint>
#include <cstdio>
#include <string>

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

bool read_file(const std::string& path, std::string& text) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) {
        return false;
    }
    char buffer[4096];
    for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) {
        text.append(buffer, count);
    }
    std::fclose(file);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    DIR* dir = argc == 2 ? opendir(argv[1]) : nullptr;
    if (dir == nullptr) {
        std::fprintf(stderr, "usage: %s DIR\n", argv[0]);
        return 2;
    }
    int count = 0;
    while (const dirent* entry = readdir(dir)) {
        std::string text;
        if (entry->d_name[0] == '.' ||
            !read_file(std::string(argv[1]) + "/" + entry->d_name, text)) {
            continue;
        }
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
        ++count;
    }
    closedir(dir);
    std::printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
