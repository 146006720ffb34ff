#include "renderer/golden_case.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "renderer/base/base64.h"

namespace renderer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNoNewline = " (no final newline)";
constexpr std::string_view kLink = " (link)";
constexpr std::string_view kWantedFile = "want:out/";

// "-- name --" -> "name", anything else -> "".
std::string_view section_name(std::string_view line) {
    if (line.size() < 7 || !line.starts_with("-- ") || !line.ends_with(" --")) {
        return {};
    }
    return line.substr(3, line.size() - 6);
}

// "  cap-95.hujson: eyJ…" -> "  cap-95.hujson: (base64) {"Version":…", if that is JSON and its
// base64 is exactly the line's.
std::string readable_line(std::string_view line) {
    const std::size_t begin = line.find(": eyJ");
    if (begin != std::string_view::npos) {
        const std::string_view data = line.substr(begin + 2);
        const auto json = decode_base64(data);
        if (json && json->ends_with('}') && json->find('\n') == std::string::npos &&
            encode_base64(*json) == data) {
            return std::string(line.substr(0, begin)) + ": (base64) " + *json;
        }
    }
    return std::string(line);
}

std::string readable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out += readable_line(text.substr(0, end));
        out += end < text.size() ? "\n" : "";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

bool is_input(const std::string& name) {
    return name != "flags" && name != "stdin" && name != "report" && name != "no-images" &&
           !name.starts_with("want:");
}

void write_tree_of(const GoldenCase& golden, const fs::path& dir) {
    for (const Section& section : golden.sections) {
        if (!is_input(section.name)) {
            continue;
        }
        std::string path = section.name;
        std::string text = section.text;
        if (path.ends_with(kNoNewline)) {
            path.resize(path.size() - kNoNewline.size());
            text.resize(text.size() - (text.ends_with("\r\n") ? 2 : 1));
        }
        if (path.ends_with(kLink)) {
            path.resize(path.size() - kLink.size());
            fs::create_directories((dir / path).parent_path());
            fs::create_symlink(text.substr(0, text.find('\n')), dir / path);
            continue;
        }
        fs::create_directories((dir / path).parent_path());
        std::ofstream(dir / path, std::ios::binary) << text;
    }
}

std::string read_whole(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Runs the binary in the child process; never returns.
[[noreturn]] void execute(const std::string& binary, const std::vector<std::string>& words,
                          const fs::path& tree, const fs::path& dir) {
    const auto redirect = [](const fs::path& path, int flags, int fd) {
        ::dup2(::open(path.c_str(), flags, 0600), fd);
    };
    redirect(dir / "stdin", O_RDONLY, STDIN_FILENO);
    redirect(dir / "stdout", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(dir / "stderr", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    std::vector<char*> argv = {const_cast<char*>(binary.c_str())};
    for (const std::string& word : words) {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    std::string path = "PATH=";  // a case must not depend on programs of this machine
    char* environment[] = {path.data(), nullptr};
    if (::chdir(tree.c_str()) == 0) {
        ::execve(binary.c_str(), argv.data(), environment);
    }
    ::_exit(127);
}

std::vector<Section> read_tree(const fs::path& dir) {
    std::vector<Section> files;
    if (!fs::exists(dir)) {
        return files;
    }
    for (const auto& entry : fs::recursive_directory_iterator(dir)) {
        if (entry.is_regular_file()) {
            files.push_back({fs::relative(entry.path(), dir).string(), read_whole(entry.path())});
        }
    }
    std::sort(files.begin(), files.end(),
              [](const Section& a, const Section& b) { return a.name < b.name; });
    return files;
}

}  // namespace

const Section* GoldenCase::find(std::string_view name) const {
    const auto found =
        std::find_if(sections.begin(), sections.end(),
                     [name](const Section& section) { return section.name == name; });
    return found == sections.end() ? nullptr : &*found;
}

std::string GoldenCase::text_or(std::string_view name, std::string_view fallback) const {
    const Section* section = find(name);
    return section == nullptr ? std::string(fallback) : section->text;
}

bool GoldenCase::has_tree() const {
    return find("want:tree") != nullptr ||
           std::any_of(sections.begin(), sections.end(), [](const Section& section) {
               return section.name.starts_with(kWantedFile);
           });
}

GoldenCase parse_case(std::string_view text) {
    GoldenCase golden;
    std::string* target = &golden.comment;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
        const std::string_view name = section_name(line);
        if (name.empty()) {
            target->append(text.substr(0, size));
        } else {
            golden.sections.push_back({std::string(name), ""});
            target = &golden.sections.back().text;
        }
        text.remove_prefix(size);
    }
    return golden;
}

std::string print_case(const GoldenCase& golden) {
    std::string out = golden.comment;
    for (const Section& section : golden.sections) {
        out += "-- " + section.name + " --\n" + section.text;
        if (!out.ends_with('\n')) {
            out += '\n';
        }
    }
    return out;
}

// Adds the images that a user has pushed, so that a case needs no values for them. A later --set of
// the case wins.
void add_images(std::vector<std::string>& words) {
    constexpr std::array<std::string_view, 14> kVerbs = {
        "render",  "check",   "post-render", "krm",    "diff", "explain", "lint",
        "install", "devices", "images",      "commit", "fix",  "graph",   "tailnet-policy"};
    if (std::find(kVerbs.begin(), kVerbs.end(), words[0]) == kVerbs.end()) {
        return;
    }
    words.insert(
        words.begin() + 1,
        {"--set", "tailrender.image.repository=registry.example.com/tailrender-runtime", "--set",
         "tailrender.proxyImage.repository=registry.example.com/tailrender-proxy"});
}

std::vector<std::string> arguments(const GoldenCase& golden) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    bool started = false;
    for (const char c : golden.text_or("flags", "render .") + " ") {
        const bool blank = c == ' ' || c == '\n';
        if (c == '\'') {
            quoted = !quoted;
            started = true;
        } else if (quoted || !blank) {
            word += c;
            started = true;
        } else if (started) {
            words.push_back(std::move(word));
            word.clear();
            started = false;
        }
    }
    const bool has_verb = !words.empty() && !words[0].starts_with('-') && words[0] != "completion";
    if (has_verb && golden.find("no-images") == nullptr) {
        add_images(words);
    }
    if (has_verb && golden.find("report") == nullptr) {
        words.emplace_back("--quiet");
    }
    return words;
}

Outcome run_case(const GoldenCase& golden, const std::string& binary, const std::string& dir) {
    const fs::path tree = fs::path(dir) / "tree";
    fs::create_directories(tree);
    write_tree_of(golden, tree);
    std::ofstream(fs::path(dir) / "stdin", std::ios::binary) << golden.text_or("stdin", "");
    const std::vector<std::string> words = arguments(golden);
    const pid_t child = ::fork();
    if (child == 0) {
        execute(binary, words, tree, dir);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {read_whole(fs::path(dir) / "stdout"), read_whole(fs::path(dir) / "stderr"),
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_tree(tree / "out")};
}

GoldenCase with_outcome(const GoldenCase& golden, const Outcome& outcome) {
    GoldenCase updated{golden.comment, {}};
    for (const Section& section : golden.sections) {
        if (!section.name.starts_with("want:")) {
            updated.sections.push_back(section);
        }
    }
    if (golden.has_tree() && outcome.tree.empty()) {
        updated.sections.push_back({"want:tree", ""});
    }
    if (golden.has_tree()) {
        for (const Section& file : outcome.tree) {
            updated.sections.push_back({std::string(kWantedFile) + file.name, readable(file.text)});
        }
    }
    if (!outcome.out.empty()) {
        updated.sections.push_back({"want:out", readable(outcome.out)});
    }
    if (!outcome.err.empty()) {
        updated.sections.push_back({"want:err", outcome.err});
    }
    const int usual = outcome.err.find("error:") == std::string::npos ? 0 : 1;
    if (outcome.exit_code != usual) {
        updated.sections.push_back({"want:exit", std::to_string(outcome.exit_code) + "\n"});
    }
    return updated;
}

}  // namespace renderer
