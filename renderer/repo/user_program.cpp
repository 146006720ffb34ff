#include "renderer/repo/user_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "renderer/base/ascii.h"
#include "renderer/base/replace.h"

namespace renderer::repo {

namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

Error no_program(const ProgramFlag& flag, std::string found) {
    return Error{{.rule = "usage",
                  .where = std::string(flag.flag),
                  .message = "there is no such program",
                  .found = std::move(found),
                  .expected = fmt::format("{}, as a name or a path", flag.expected),
                  .hint = fmt::format("\"{} none\" runs none", flag.flag)}};
}

std::string on_path(std::string_view name, std::string_view rest) {
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        const std::string_view dir = rest.substr(0, colon);
        rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
        std::string candidate = fmt::format("{}/{}", dir, name);
        if (dir.starts_with('/') && is_program(candidate)) {
            return candidate;
        }
    }
    return {};
}

}  // namespace

Result<std::string> find_program(const ProgramFlag& flag, const std::string& choice,
                                 std::string_view search_path) {
    if (choice == kNoProgram) {
        return choice;
    }
    if (choice.find('/') != std::string::npos) {
        return is_program(choice) ? Result(fs::absolute(choice).string())
                                  : no_program(flag, fmt::format("\"{}\"", choice));
    }
    const std::vector<std::string_view> names =
        choice.empty() ? flag.names : std::vector<std::string_view>{choice};
    for (const std::string_view name : names) {
        if (std::string path = on_path(name, search_path); !path.empty()) {
            return path;
        }
    }
    if (!choice.empty()) {
        return no_program(flag, fmt::format("\"{}\", in no directory of PATH", choice));
    }
    return std::string(kNoProgram);
}

bool names_secrets(std::string_view text) {
    constexpr std::string_view kKind = "Secret";
    for (std::size_t at = text.find(kKind); at != std::string_view::npos;
         at = text.find(kKind, at + 1)) {
        if (at == 0 || !is_alphanumeric(text[at - 1])) {
            return true;
        }
    }
    return text.find("secretGenerator") != std::string_view::npos;
}

std::string without_log_prefix(std::string text) {
    constexpr std::string_view kMessage = "] \"command failed\" err=\"";
    const std::size_t begin = text.find(kMessage);
    if (!text.starts_with('E') || begin == std::string::npos || begin > text.find('\n')) {
        return text;
    }
    std::string message;
    for (std::size_t i = begin + kMessage.size(); i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
            message += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
        } else {
            message += text[i];
        }
    }
    return message;
}

std::string failure_of(const SandboxRun& run, const std::string& copy, const std::string& root,
                       bool is_secret) {
    std::string text = !run.refusal.empty() ? run.refusal
                       : is_secret          ? "a message that may hold values of a Secret"
                                            : replace_all(run.errors, copy, root);
    for (const std::string_view traces : {"\n\nruntime stack:", "\n\ngoroutine "}) {
        text.resize(std::min(text.find(traces), text.size()));
    }
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

}  // namespace renderer::repo
