#include "renderer/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "renderer/base/printable.h"
#include "renderer/cli/append_format.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/git/git.h"
#include "renderer/load/load.h"
#include "renderer/repo/user_program.h"

namespace renderer::cli {
namespace {

bool is_choice(const std::string& value) {
    return value.find('|') != std::string::npos;
}

std::string choices(std::string value) {
    std::replace(value.begin(), value.end(), '|', ' ');
    return value;
}

// Returns what `tailrender completion` has names of for this type of value; "" if none.
std::string_view names_for(std::string_view value) {
    return value == "CLUSTER"  ? "clusters"
           : value == "OBJECT" ? "objects"
           : value == "REV"    ? "revisions"
                               : "";
}

// How the script of a shell says what to offer for a value.
struct Offers {
    std::string_view words_begin, words_end;  // around a choice
    std::string_view names_begin, names_end;  // around what names_for returns
    std::string_view files, directories, nothing;
};

// Commands that add to COMPREPLY. The shell would expand names of a tree if they were its words.
constexpr Offers kBash = {
    "_tailrender_add -W \"", "\"", "_tailrender_names ", "", "_tailrender_add -f",
    "_tailrender_add -d",    ""};
constexpr Offers kZsh = {"(", ")", " _tailrender_names ", "", "_files", "_files -/", " "};
constexpr Offers kFish = {" -x -a '", "'",      " -x -a '(_tailrender_names ",
                          ")'",       " -r -F", " -x -a '(__fish_complete_directories)'",
                          " -x"};

std::string offered(const std::string& value, const Offers& shell) {
    if (is_choice(value)) {
        return fmt::format("{}{}{}", shell.words_begin, choices(value), shell.words_end);
    }
    if (const std::string_view names = names_for(value); !names.empty()) {
        return fmt::format("{}{}{}", shell.names_begin, names, shell.names_end);
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
            append_format(out, "        {}) {}; return ;;\n", patterns, source);
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
        append_format(cases, "        {}) flags=\"{}\"; others=\"{}\"; names=\"{}\" ;;\n",
                      verb.name, flags, is_choice(verb.arguments) ? choices(verb.arguments) : "",
                      names_for(verb.arguments));
    }
    std::string out =
        "# bash completion for tailrender: source it, or put it into "
        "/etc/bash_completion.d/tailrender\n"
        "_tailrender_add() {\n"
        "    local one\n"
        "    while IFS= read -r one; do COMPREPLY+=(\"$one\"); done < <(compgen \"$@\" -- "
        "\"$cur\")\n"
        "}\n"
        "_tailrender_names() {\n"
        "    local one\n"
        "    while IFS= read -r one; do [[ $one != \"$cur\"* ]] || COMPREPLY+=(\"$one\"); done \\\n"
        "        < <(tailrender completion \"$1\" -- \"${COMP_WORDS[@]:2}\" 2>/dev/null)\n"
        "}\n"
        "_tailrender() {\n"
        "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
        "    local flags=\"\" others=\"\" names=\"\"\n"
        "    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)); then\n";
    append_format(out, "        _tailrender_add -W \"{}--help --version\"; return\n", names);
    out += "    fi\n    case \"${COMP_WORDS[1]} $prev\" in\n";
    out += bash_values(verbs);
    out += "    esac\n    case \"${COMP_WORDS[1]}\" in\n";
    out += cases;
    out +=
        "    esac\n"
        "    if [[ $cur == -* ]]; then\n"
        "        _tailrender_add -W \"$flags\"\n"
        "    elif [[ -n $others ]]; then\n"
        "        _tailrender_add -W \"$others\"\n"
        "    else\n"
        "        [[ -z $names ]] || _tailrender_names \"$names\"\n"
        "        _tailrender_add -f\n"
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
                      is_choice(verb.arguments) ? offered(verb.arguments, kZsh)
                      : names_for(verb.arguments).empty()
                          ? "_files"
                          : fmt::format(" _tailrender_names {} _files", names_for(verb.arguments)));
    }
    return fmt::format(
        "#compdef tailrender\n"
        "# zsh completion for tailrender: put it into a directory of $fpath as _tailrender\n"
        "_tailrender_names() {{\n"
        "    local -a names\n"
        "    names=(${{(f)\"$(tailrender completion $1 -- $words[2,-1] 2>/dev/null)\"}})\n"
        "    compadd -a names\n"
        "    [[ -z $2 ]] || $2\n"
        "}}\n"
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
        "function _tailrender_names\n"
        "    tailrender completion $argv[1] -- (commandline -opc)[3..-1] 2>/dev/null\n"
        "end\n"
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
        if (const std::string_view names = names_for(verb.arguments); !names.empty()) {
            append_format(out,
                          "complete -c tailrender -n '__fish_seen_subcommand_from {}' "
                          "-a '(_tailrender_names {})'\n",
                          verb.name, names);
        }
    }
    return out;
}

// Returns the generated objects and what they are generated for. What cannot be rendered is left
// out: whoever is typing is not told of errors yet.
std::set<std::string> object_names(const repo::LoadOptions& load, ClusterRuns& runs) {
    (void)runs.render_each(load);
    std::set<std::string> names;
    for (const Run& run : runs.all()) {
        for (const Object& object : run.objects) {
            names.insert(object.object_name());
            names.insert(object.origin.parent);
        }
    }
    names.erase("");
    return names;
}

std::vector<std::string> revisions_at(const std::string& path) {
    const Result<git::FoundRepository> repository = git::find_repository(path);
    return repository ? git::revision_names(repository->handle.get()) : std::vector<std::string>();
}

std::vector<std::string> offered_names(const Options& options, ClusterRuns& runs) {
    repo::LoadOptions load = options.load;
    std::error_code ignored;
    const auto dir = std::ranges::find_if(options.words, [&](const std::string& word) {
        return std::filesystem::is_directory(word, ignored);
    });
    load.path = dir == options.words.end() ? "." : *dir;
    load.kustomize = load.helm = repo::kNoProgram;
    if (options.shell == "clusters") {
        return load::cluster_names(load);
    }
    if (options.shell == "revisions") {
        return revisions_at(load.path);
    }
    const std::set<std::string> names = object_names(load, runs);
    return {names.begin(), names.end()};
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<VerbInfo>& verbs) {
    return shell == "bash"  ? bash_script(verbs)
           : shell == "zsh" ? zsh_script(verbs)
                            : fish_script(verbs);
}

Result<int> run_completion(const Options& options, ClusterRuns& runs, Console& console) {
    const std::vector<std::string> shells = {"bash", "zsh", "fish"};
    if (std::ranges::find(shells, options.shell) != shells.end()) {
        return console.out(completion_script(options.shell, command_table())) ? 0 : kErrors;
    }
    std::string lines;
    for (const std::string& name : offered_names(options, runs)) {
        if (is_printable(name)) {
            append_format(lines, "{}\n", name);
        }
    }
    return console.out(lines) ? 0 : kErrors;
}

}  // namespace renderer::cli
