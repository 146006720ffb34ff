#include "renderer/load/kustomize/kustomize_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "renderer/base/sandbox.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/load/kustomize/private_copy.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kChartFields = {
    "helmCharts", "helmChartInflationGenerator", "helmGlobals"};
constexpr std::array<std::string_view, 3> kPlugInFields = {"generators", "transformers",
                                                           "validators"};
constexpr std::array<std::string_view, 3> kResourceFields = {"resources", "bases", "components"};

std::string on_path(std::string_view name, std::string_view rest) {
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        const std::string_view dir = rest.substr(0, colon);
        rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
        std::string candidate = fmt::format("{}/{}", dir, name);
        if (dir.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) {
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
    for (const std::string_view field : kResourceFields) {
        keep_entries(root, field, [&](const Value& entry) {
            if (is_remote_resource(text_of(entry))) {
                left_out.push_back({.pos = entry.pos(), .what = std::string(text_of(entry))});
                return false;
            }
            return true;
        });
    }
}

// ksops, say: a program, or a function in a container.
bool is_plug_in(const SourceTree& tree, const std::string& path) {
    const Result<std::string> text = tree.read(path);
    return text && text->find("apiVersion: builtin") == std::string::npos;
}

void leave_out_plug_ins(const SourceTree& tree, const std::string& dir, Value& root,
                        std::vector<LeftOut>& left_out) {
    for (const std::string_view field : kPlugInFields) {
        keep_entries(root, field, [&](const Value& entry) {
            const std::string path = normal_path(join_path(dir, text_of(entry)));
            if (tree.kind(path) != EntryKind::File || !is_plug_in(tree, path)) {
                return true;
            }
            left_out.push_back({.pos = entry.pos(), .what = fmt::format("plug-in {}", path)});
            return false;
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
    leave_out_plug_ins(tree, file->dir, root, left_out);
    if (left_out.size() == before) {
        return tree.read(path);
    }
    // kustomize takes a file without any field for a mistake.
    root.put("metadata", Value::map({{"name", "left-out"}}));
    std::string text;
    write_yaml(root, text);
    return text;
}

// kustomize shows what it does not understand, also of the files of a Secret.
bool makes_secrets(KustomizationReader& reader, const BuildFiles& files) {
    return std::ranges::any_of(files.paths, [&](const std::string& path) {
        const Kustomization* file = reader.find(parent_path(path));
        return file != nullptr && file->path == path &&
               file->root.find("secretGenerator") != nullptr;
    });
}

// Its paths are those of the copy.
std::string message_of(const SandboxRun& run, const std::string& copy, const std::string& root,
                       bool has_secrets) {
    std::string text = !run.refusal.empty() ? run.refusal
                       : has_secrets        ? "a message that may hold values of a Secret"
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

std::string find_kustomize(const std::string& choice, std::string_view search_path) {
    if (choice == kNoProgram) {
        return choice;
    }
    if (choice.find('/') != std::string::npos) {
        return fs::absolute(choice).string();
    }
    const std::vector<std::string_view> names =
        choice.empty() ? std::vector<std::string_view>{"kustomize", "kubectl"}
                       : std::vector<std::string_view>{choice};
    for (const std::string_view name : names) {
        if (std::string path = on_path(name, search_path); !path.empty()) {
            return path;
        }
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
            .version = version_in(run_in_sandbox({question, {}, parent_path(path)}, {}).output)};
}

Result<KustomizeBuild> run_kustomize(const KustomizeProgram& program, const SourceTree& tree,
                                     KustomizationReader& reader, const BuildFiles& files,
                                     const std::string& root, const std::string& dir) {
    const PrivateCopy copy;
    KustomizeBuild build;
    for (const std::string& path : files.paths) {
        const std::string content = TRY(content_of(tree, reader, path, build.left_out));
        if (!copy.write(relative_path(path, normal_path(root)), content)) {
            return Error{{.rule = "kustomize-failed",
                          .where = dir,
                          .message = "cannot copy the files of this kustomization",
                          .found = copy.path().empty() ? "no temporary directory" : path,
                          .hint = "set TMPDIR to a directory with space"}};
        }
    }
    std::vector<std::string> arguments = {program.path};
    arguments.insert(arguments.end(), program.verb.begin(), program.verb.end());
    arguments.push_back(join_path(copy.path(), relative_path(dir, normal_path(root))));
    SandboxRun run = run_in_sandbox({arguments, {}, copy.path()}, {});
    if (run.exit_code != 0 || !run.refusal.empty()) {
        return Error{{.rule = "kustomize-failed",
                      .where = dir,
                      .message = "kustomize cannot build this directory",
                      .found = message_of(run, copy.path(), root, makes_secrets(reader, files)),
                      .hint = fmt::format("{} {} {}", program.path, program.verb.front(), dir)}};
    }
    build.stream = std::move(run.output);
    return build;
}

}  // namespace renderer
