#include "renderer/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "renderer/cli/append_format.h"
#include "renderer/cli/commands.h"

namespace renderer::cli {
namespace {

bool is_choice(const std::string& value) {
    return value.find('|') != std::string::npos;
}

std::string choices(std::string value) {
    std::replace(value.begin(), value.end(), '|', ' ');
    return value;
}

// How the script of a shell says what to offer for a value.
struct Offers {
    std::string_view words_begin, words_end;  // around a choice
    std::string_view files, directories, nothing;
};

constexpr Offers kBash = {"-W \"", "\"", "-f", "-d", ""};  // the arguments of `compgen`
constexpr Offers kZsh = {"(", ")", "_files", "_files -/", " "};
constexpr Offers kFish = {" -x -a '", "'", " -r -F", " -x -a '(__fish_complete_directories)'",
                          " -x"};

std::string offered(const std::string& value, const Offers& shell) {
    if (is_choice(value)) {
        return fmt::format("{}{}{}", shell.words_begin, choices(value), shell.words_end);
    }
    return std::string(value == "FILE"  ? shell.files
                       : value == "DIR" ? shell.directories
                                        : shell.nothing);
}

// Groups the flags that take a value by what they take. A flag may take a file with one verb and a
// directory with another.
std::string bash_values(const std::vector<VerbInfo>& verbs) {
    std::map<std::string, std::string> by_source;
    for (const VerbInfo& verb : verbs) {
        for (const FlagInfo& flag : verb.flags) {
            for (const std::string& name : flag.names) {
                if (!flag.value.empty()) {
                    std::string& patterns = by_source[offered(flag.value, kBash)];
                    append_format(patterns, "{}\"{} {}\"", patterns.empty() ? "" : " | ", verb.name,
                                  name);
                }
            }
        }
    }
    std::string out;
    for (const auto& [source, patterns] : by_source) {
        if (source.empty()) {
            append_format(out, "        {}) return ;;\n", patterns);
        } else {
            append_format(
                out, "        {}) mapfile -t COMPREPLY < <(compgen {} -- \"$cur\"); return ;;\n",
                patterns, source);
        }
    }
    return out;
}

std::string bash_script(const std::vector<VerbInfo>& verbs) {
    std::string names;
    std::string cases;
    for (const VerbInfo& verb : verbs) {
        append_format(names, "{} ", verb.name);
        std::string flags;
        for (const FlagInfo& flag : verb.flags) {
            append_format(flags, "{} ", fmt::join(flag.names, " "));
        }
        append_format(cases, "        {}) flags=\"{}\"; others=\"{}\" ;;\n", verb.name, flags,
                      is_choice(verb.arguments) ? choices(verb.arguments) : "");
    }
    std::string out =
        "# bash completion for tailrender: source it, or put it into "
        "/etc/bash_completion.d/tailrender\n"
        "_tailrender() {\n"
        "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
        "    local flags=\"\" others=\"\"\n"
        "    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)); then\n";
    append_format(
        out,
        "        mapfile -t COMPREPLY < <(compgen -W \"{}--help --version\" -- \"$cur\"); return\n",
        names);
    out += "    fi\n    case \"${COMP_WORDS[1]} $prev\" in\n";
    out += bash_values(verbs);
    out += "    esac\n    case \"${COMP_WORDS[1]}\" in\n";
    out += cases;
    out +=
        "    esac\n"
        "    if [[ $cur == -* ]]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$cur\")\n"
        "    elif [[ -n $others ]]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$others\" -- \"$cur\")\n"
        "    else\n"
        "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
        "    fi\n"
        "}\n"
        "complete -o filenames -F _tailrender tailrender\n";
    return out;
}

// Returns a specification for _arguments, such as '*--set[doc]:KEY=VALUE: '.
std::string zsh_flag(const std::string& name, const FlagInfo& flag) {
    if (flag.value.empty()) {
        return fmt::format("'{}[{}]'", name, flag.doc);
    }
    return fmt::format("'*{}[{}]:value:{}'", name, flag.doc, offered(flag.value, kZsh));
}

std::string zsh_script(const std::vector<VerbInfo>& verbs) {
    std::string described;
    std::string cases;
    for (const VerbInfo& verb : verbs) {
        append_format(described, "        '{}:{}'\n", verb.name, verb.doc);
        append_format(cases, "        {})\n            _arguments", verb.name);
        for (const FlagInfo& flag : verb.flags) {
            for (const std::string& name : flag.names) {
                append_format(cases, " \\\n                {}", zsh_flag(name, flag));
            }
        }
        append_format(cases, " \\\n                '*:argument:{}' ;;\n",
                      is_choice(verb.arguments) ? offered(verb.arguments, kZsh) : "_files");
    }
    return fmt::format(
        "#compdef tailrender\n"
        "# zsh completion for tailrender: put it into a directory of $fpath as _tailrender\n"
        "_tailrender() {{\n"
        "    local -a verbs\n"
        "    verbs=(\n{}    )\n"
        "    if ((CURRENT == 2)); then\n"
        "        _describe verb verbs\n"
        "        return\n"
        "    fi\n"
        "    shift words\n"
        "    ((CURRENT--))\n"
        "    case $words[1] in\n{}    esac\n"
        "}}\n"
        "if [[ $funcstack[1] == _tailrender ]]; then\n"
        "    _tailrender \"$@\"  # loaded by the first completion, which is still to be answered\n"
        "else\n"
        "    compdef _tailrender tailrender\n"
        "fi\n",
        described, cases);
}

std::string fish_names(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        if (name.starts_with("--")) {
            append_format(out, " -l {}", name.substr(2));
        } else {
            append_format(out, " -s {}", name.substr(1));
        }
    }
    return out;
}

std::string fish_script(const std::vector<VerbInfo>& verbs) {
    std::string out =
        "# fish completion for tailrender: put it into ~/.config/fish/completions/tailrender.fish\n"
        "complete -c tailrender -n __fish_use_subcommand -f\n";
    for (const VerbInfo& verb : verbs) {
        append_format(out, "complete -c tailrender -n __fish_use_subcommand -a {} -d '{}'\n",
                      verb.name, verb.doc);
        for (const FlagInfo& flag : verb.flags) {
            append_format(
                out, "complete -c tailrender -n '__fish_seen_subcommand_from {}'{}{} -d '{}'\n",
                verb.name, fish_names(flag.names),
                flag.value.empty() ? "" : offered(flag.value, kFish), flag.doc);
        }
        if (is_choice(verb.arguments)) {
            append_format(out,
                          "complete -c tailrender -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                          verb.name, choices(verb.arguments));
        }
    }
    return out;
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<VerbInfo>& verbs) {
    return shell == "bash"  ? bash_script(verbs)
           : shell == "zsh" ? zsh_script(verbs)
                            : fish_script(verbs);
}

Result<int> run_completion(const Options& options, ClusterRuns& /*runs*/, Console& console) {
    return console.out(completion_script(options.shell, command_table())) ? 0 : 1;
}

}  // namespace renderer::cli
