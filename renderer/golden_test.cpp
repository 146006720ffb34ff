// Runs every testdata/**/*.case against the real binary. Compares the rendered tree of
// examples/fleet with testdata/golden/fleet, and the output of `install` with overlays/.
// UPDATE_GOLDEN=1 rewrites the expected files and reports the test as skipped, so that accepting
// never looks like passing; it is an error in CI.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "renderer/base/temporary_folder_testing.h"
#include "renderer/emit/diff.h"
#include "renderer/golden_case.h"

namespace renderer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = GOLDEN_SOURCE_DIR;
constexpr const char* kBinary = GOLDEN_BINARY;
constexpr const char* kCases[] = {
#include "golden_cases.inc"
};

bool is_updating() {
    const char* update = std::getenv("UPDATE_GOLDEN");
    if (update == nullptr || std::string_view(update) != "1") {
        return false;
    }
    EXPECT_EQ(std::getenv("CI"), nullptr) << "UPDATE_GOLDEN must not be set in CI";
    return true;
}

std::string read_golden(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, Case) {
    const std::string name = GetParam();
    const fs::path path = fs::path(kSource) / name;
    const std::string text = read_golden(path);
    const GoldenCase golden = parse_case(text);
    const TemporaryFolder dir;
    const Outcome outcome = run_case(golden, kBinary, dir.path());
    ASSERT_NE(outcome.exit_code, 127) << "cannot run " << kBinary;
    EXPECT_LT(outcome.exit_code, 128) << "killed by a signal:\n" << outcome.err;
    const std::string happened = print_case(with_outcome(golden, outcome));
    if (happened == text) {
        return;
    }
    if (is_updating() && outcome.exit_code < 127) {
        std::ofstream(path, std::ios::binary) << happened;
        GTEST_SKIP() << "rewrote " << name;
    }
    ADD_FAILURE() << emit::unified_diff(name, name + " (what happened)", text, happened)
                  << "\nif this is right: scripts/accept " << name;
}

std::string test_name(const testing::TestParamInfo<const char*>& info) {
    std::string name = std::string(info.param).substr(std::string("testdata/").size());
    name.resize(name.size() - std::string(".case").size());
    for (char& c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Testdata, Golden, testing::ValuesIn(kCases), test_name);

// Returns the text before ": error: " or ": warning: " in the first line of a diagnostic; "" for
// other lines.
std::string place_of(const std::string& line) {
    const std::size_t error = line.find(": error: ");
    const std::size_t end = error == std::string::npos ? line.find(": warning: ") : error;
    return end == std::string::npos || line.starts_with(' ') ? std::string() : line.substr(0, end);
}

// Returns the first lines of diagnostics without a rule id, or without what is expected or how to
// correct it.
std::vector<std::string> unhelpful(const std::string& err) {
    std::vector<std::string> found;
    std::istringstream lines(err);
    std::string open;  // the diagnostic that nothing has explained yet
    for (std::string line; std::getline(lines, line);) {
        if (!place_of(line).empty()) {
            found.insert(found.end(), open.empty() ? 0 : 1, open);
            open = line;
            found.insert(found.end(), line.ends_with(']') ? 0 : 1, line);
        } else if (line.starts_with("  expected: ") || line.starts_with("  hint: ")) {
            open.clear();
        }
    }
    found.insert(found.end(), open.empty() ? 0 : 1, open);
    return found;
}

TEST(Mistakes, GetPlaceCauseAndRemedy) {
    int count = 0;
    for (const std::string name : kCases) {
        if (name.starts_with("testdata/mistakes/")) {
            const GoldenCase golden = parse_case(read_golden(fs::path(kSource) / name));
            EXPECT_EQ(unhelpful(golden.text_or("want:err", "")), std::vector<std::string>())
                << name;
            ++count;
        }
    }
    EXPECT_GT(count, 200);
}

std::map<std::string, std::string> files_below(const fs::path& dir) {
    std::map<std::string, std::string> files;
    if (!fs::exists(dir)) {
        return files;
    }
    for (const auto& entry : fs::recursive_directory_iterator(dir)) {
        if (entry.is_regular_file()) {
            files[fs::relative(entry.path(), dir).string()] = read_golden(entry.path());
        }
    }
    return files;
}

std::string tree_diff(std::map<std::string, std::string> want,
                      std::map<std::string, std::string> have) {
    for (const auto& [path, text] : want) {
        have.try_emplace(path);
    }
    std::string diff;
    for (const auto& [path, text] : have) {
        diff += emit::unified_diff(path, path + " (rendered)", want[path], text);
    }
    return diff;
}

// Runs `tailrender ARGUMENTS -o DIR` in the source tree, and expects DIR to equal `path`.
void expect_tree(const std::string& path, const std::string& arguments) {
    const fs::path wanted = fs::path(kSource) / path;
    const TemporaryFolder dir;
    const std::string out = dir.path() + "/out";
    const std::string command = std::string("cd '") + kSource + "' && '" + kBinary + "' " +
                                arguments + " --quiet -o '" + out + "' 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const std::string diff = tree_diff(files_below(wanted), files_below(out));
    if (diff.empty()) {
        return;
    }
    if (is_updating()) {
        fs::remove_all(wanted);
        fs::create_directories(wanted.parent_path());
        fs::copy(out, wanted, fs::copy_options::recursive);
        GTEST_SKIP() << "rewrote " << path;
    }
    ADD_FAILURE() << diff << "\nif this is right: scripts/accept";
}

TEST(GoldenTree, Fleet) {
    expect_tree("testdata/golden/fleet", "render examples/fleet");
}

TEST(GoldenTree, Overlays) {
    expect_tree(
        "overlays",
        "install --set tailrender.image.repository=registry.example.com/tailrender-runtime");
}

}  // namespace
}  // namespace renderer
