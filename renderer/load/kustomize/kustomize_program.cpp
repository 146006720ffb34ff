#include "renderer/load/kustomize/kustomize_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/sandbox.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/load/kustomize/plug_ins.h"
#include "renderer/load/kustomize/private_copy.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kChartFields = {
    "helmCharts", "helmChartInflationGenerator", "helmGlobals"};
constexpr std::array<std::string_view, 3> kPlugInFields = {"generators", "transformers",
                                                           "validators"};
// Of what may be fetched.
constexpr std::array<std::string_view, 6> kListFields = {
    "resources", "bases", "components", "generators", "transformers", "validators"};

// Of kubectl, where the user may have set other options for `kubectl kustomize`.
constexpr const char* kNoPreferences = "KUBERC=off";
// What both programs do without options, said so that nothing else decides it.
constexpr std::array kSafeOptions = {"--load-restrictor=LoadRestrictionsRootOnly",
                                     "--enable-helm=false"};

bool is_program(const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

Error no_program(std::string found) {
    return Error{{.rule = "usage",
                  .where = "--kustomize",
                  .message = "there is no such program",
                  .found = std::move(found),
                  .expected = "kustomize or kubectl, as a name or a path",
                  .hint = "\"--kustomize none\" runs none"}};
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

// "v5.8.1", or in the lines of kubectl "Kustomize Version: v5.8.1".
std::string version_in(std::string_view text) {
    constexpr std::string_view kLabel = "Kustomize Version: ";
    const std::size_t label = text.find(kLabel);
    text.remove_prefix(label == std::string_view::npos ? 0 : label + kLabel.size());
    return std::string(text.starts_with('v') ? text.substr(0, text.find('\n')) : "");
}

void leave_out_charts(Value& root, std::vector<LeftOut>& left_out) {
    for (const std::string_view field : kChartFields) {
        for (const Value& chart : items_of(root.find(field))) {
            left_out.push_back({.pos = chart.pos(),
                                .what = fmt::format("chart {}", text_of(chart, {"name"})),
                                .is_chart = true});
        }
        root.erase(field);
    }
}

template <typename Keep>
void keep_entries(Value& root, std::string_view field, const Keep& keep) {
    Value* entries = root.find(field);
    if (entries == nullptr || !entries->is_list()) {
        return;
    }
    Value kept = Value::list();
    for (Value& entry : entries->items()) {
        if (keep(entry)) {
            kept.append(std::move(entry));
        }
    }
    *entries = std::move(kept);
}

void leave_out_remote(Value& root, std::vector<LeftOut>& left_out) {
    for (const std::string_view field : kListFields) {
        keep_entries(root, field, [&](const Value& entry) {
            if (is_remote_resource(text_of(entry))) {
                left_out.push_back({.pos = entry.pos(), .what = std::string(text_of(entry))});
                return false;
            }
            return true;
        });
    }
}

// What an earlier run has made of this tree. False: it lists none.
bool leave_out_rendered(const SourceTree& tree, const std::string& dir, Value& root) {
    bool lists = false;
    keep_entries(root, "resources", [&](const Value& entry) {
        const bool is_rendered =
            is_rendered_tree(tree, normal_path(join_path(dir, text_of(entry))));
        lists = lists || is_rendered;
        return !is_rendered;
    });
    return lists;
}

// ksops, say: a program, or a function in a container.
void leave_out_plug_ins(const SourceTree& tree, KustomizationReader& reader,
                        const Kustomization& file, Value& root, std::vector<LeftOut>& left_out) {
    for (const std::string_view field : kPlugInFields) {
        keep_entries(root, field, [&](const Value& entry) {
            const std::string name = foreign_plug_in(tree, reader, file.dir, text_of(entry));
            if (!name.empty()) {
                left_out.push_back({.pos = entry.pos(), .what = fmt::format("plug-in {}", name)});
            }
            return name.empty();
        });
    }
}

// The bytes that the copy gets.
Result<std::string> content_of(const SourceTree& tree, KustomizationReader& reader,
                               const std::string& path, std::vector<LeftOut>& left_out) {
    const Kustomization* file = reader.find(parent_path(path));
    if (file == nullptr || file->path != path || !file->root.is_map()) {
        return tree.read(path);
    }
    const std::size_t before = left_out.size();
    Value root = file->root.clone();
    leave_out_charts(root, left_out);
    leave_out_remote(root, left_out);
    leave_out_plug_ins(tree, reader, *file, root, left_out);
    if (!leave_out_rendered(tree, file->dir, root) && left_out.size() == before) {
        return tree.read(path);
    }
    // kustomize takes a file without any field for a mistake.
    root.put("metadata", Value::map({{"name", "left-out"}}));
    std::string text;
    write_yaml(root, text);
    return text;
}

// Symbolic links to files stay links: kustomize looks where they lead. False: `path` cannot be
// made.
Result<bool> copy_file(const PrivateCopy& copy, const SourceTree& tree, KustomizationReader& reader,
                       const std::string& root, const std::string& path,
                       std::vector<LeftOut>& left_out) {
    const std::string content = TRY(content_of(tree, reader, path, left_out));
    const std::string place = relative_path(path, normal_path(root));
    const std::string real_root = tree.real_path(root);
    const std::string target = relative_path(tree.real_path(path), real_root);
    const std::string folder = relative_path(tree.real_path(parent_path(path)), real_root);
    const bool is_link = target != join_path(folder, base_name(path));
    const std::string& file = is_link ? target : place;
    return (!is_link || copy.link(place, target)) && (copy.has(file) || copy.write(file, content));
}

// "Secret", "SecretList", and not "ExternalSecret".
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

// kustomize shows what it does not understand, also of the files of a Secret. Looks for words,
// since a file that cannot be read is what it shows.
bool has_secrets(const SourceTree& tree, const BuildFiles& files) {
    return std::ranges::any_of(files.paths, [&](const std::string& path) {
        const Result<std::string> text = tree.read(path);
        return text && names_secrets(*text);
    });
}

// Its paths are those of the copy.
std::string message_of(const SandboxRun& run, const std::string& copy, const std::string& root,
                       bool is_secret) {
    std::string text = !run.refusal.empty() ? run.refusal
                       : is_secret          ? "a message that may hold values of a Secret"
                                            : run.errors;
    for (std::size_t at = text.find(copy); at != std::string::npos; at = text.find(copy, at)) {
        text.replace(at, copy.size(), root);
    }
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

}  // namespace

Result<std::string> find_kustomize(const std::string& choice, std::string_view search_path) {
    if (choice == kNoProgram) {
        return choice;
    }
    if (choice.find('/') != std::string::npos) {
        return is_program(choice) ? Result(fs::absolute(choice).string())
                                  : no_program(fmt::format("\"{}\"", choice));
    }
    const std::vector<std::string_view> names =
        choice.empty() ? std::vector<std::string_view>{"kustomize", "kubectl"}
                       : std::vector<std::string_view>{choice};
    for (const std::string_view name : names) {
        if (std::string path = on_path(name, search_path); !path.empty()) {
            return path;
        }
    }
    if (!choice.empty()) {
        return no_program(fmt::format("\"{}\", in no directory of PATH", choice));
    }
    return std::string(kNoProgram);
}

KustomizeProgram kustomize_at(const std::string& path) {
    const bool is_kubectl = base_name(path).starts_with("kubectl");
    std::vector<std::string> question = {path, "version"};
    if (is_kubectl) {
        question.emplace_back("--client");
    }
    return {.path = path,
            .verb = {is_kubectl ? "kustomize" : "build"},
            .version = version_in(
                run_in_sandbox({question, {kNoPreferences}, parent_path(path)}, {}).output)};
}

Result<KustomizeBuild> run_kustomize(const KustomizeProgram& program, const SourceTree& tree,
                                     KustomizationReader& reader, const BuildFiles& files,
                                     const std::string& root, const std::string& dir) {
    const PrivateCopy copy;
    KustomizeBuild build;
    for (const std::string& path : files.paths) {
        if (!TRY(copy_file(copy, tree, reader, root, path, build.left_out))) {
            return Error{{.rule = "kustomize-failed",
                          .where = dir,
                          .message = "cannot copy the files of this kustomization",
                          .found = copy.path().empty() ? "no temporary directory" : path,
                          .hint = "set TMPDIR to a directory with space"}};
        }
    }
    std::vector<std::string> arguments = {program.path};
    arguments.insert(arguments.end(), program.verb.begin(), program.verb.end());
    arguments.insert(arguments.end(), kSafeOptions.begin(), kSafeOptions.end());
    arguments.push_back(join_path(copy.path(), relative_path(dir, normal_path(root))));
    SandboxRun run = run_in_sandbox({arguments, {kNoPreferences}, copy.path()}, {});
    if (run.exit_code != 0 || !run.refusal.empty()) {
        return Error{{.rule = "kustomize-failed",
                      .where = dir,
                      .message = "kustomize cannot build this directory",
                      .found = message_of(run, copy.path(), root, has_secrets(tree, files)),
                      .hint = fmt::format("{} {} {}", program.path, program.verb.front(), dir)}};
    }
    build.stream = std::move(run.output);
    return build;
}

}  // namespace renderer
