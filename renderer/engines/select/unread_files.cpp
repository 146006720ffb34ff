#include "renderer/engines/select/unread_files.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "renderer/base/pattern.h"
#include "renderer/base/split.h"
#include "renderer/engines/helm/operator_dependency.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// They define objects.
constexpr std::array<std::string_view, 8> kLanguages = {".jsonnet", ".libsonnet", ".tf",  ".hcl",
                                                        ".cue",     ".k",         ".pkl", ".dhall"};

// They may run helm, install charts by a library such as Pulumi's, or be templates of manifests or
// of values.
constexpr std::array<std::string_view, 18> kPrograms = {
    ".sh", ".bash", ".ps1",  ".mk",     ".py",    ".ts",     ".js",      ".go",         ".nix",
    ".j2", ".tmpl", ".just", ".gotmpl", ".tftpl", "akefile", "justfile", "Jenkinsfile", ".erb"};

// What exposes something, in the syntax of any language, `--set` or a template.
constexpr std::string_view kExposure =
    R"(tailscale\\*\.com/(?:expose|funnel)["'\])]*[ \t]*[:=][ \t]*["']?(?:true|\$|\{\{))"
    R"(|tailscale\\*\.com/tailnet-(?:fqdn|ip)["'\])]*[ \t]*[:=][ \t]*["']?[\w$\{])"
    R"(|(?:ingressClassName|loadBalancerClass|className)["']?[ \t]*[:=][ \t]*["']?tailscale(?:[^\w-]|$))";

bool is_comment(std::string_view line) {
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    return line.substr(first).starts_with('#') || line.substr(first).starts_with("//");
}

bool is_test(std::string_view name) {
    return name.starts_with("test_") || name.find("_test.") != std::string_view::npos ||
           name.find(".test.") != std::string_view::npos;
}

bool writes_exposure(const repo::SourceTree& tree, const std::string& path) {
    static const std::optional<Pattern> kPattern = Pattern::parse(kExposure);
    const Result<std::string> text =
        is_test(repo::base_name(path)) ? std::string() : tree.read(path);
    return text && repo::mentions_tailscale(*text) &&
           std::ranges::any_of(split(*text, '\n'), [](std::string_view line) {
               return !is_comment(line) && kPattern->matches(line);
           });
}

// Where CI services look for workflows, and for actions, in directories of their own.
constexpr std::array<std::string_view, 6> kWorkflowDirs = {
    ".github/workflows",  ".github/actions", ".gitea/workflows",
    ".forgejo/workflows", ".woodpecker",     ".circleci"};
constexpr std::array<std::string_view, 2> kWorkflowFiles = {".gitlab-ci.yml", ".drone.yml"};

// Directories with files that nobody runs for a cluster.
constexpr std::array<std::string_view, 8> kNotRun = {"archive", "docs",  "examples", "node_modules",
                                                     "test",    "tests", "testdata", "vendor"};

bool is_run(std::string_view path) {
    while (!path.empty()) {
        if (std::ranges::find(kNotRun, take(path, '/')) != kNotRun.end()) {
            return false;
        }
    }
    return true;
}

template <std::size_t kCount>
bool ends_with_any(std::string_view name, const std::array<std::string_view, kCount>& ends) {
    return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

// Adds the values files of a chart that depends on the operator's.
void add_umbrella_values(const repo::SourceTree& tree, const std::string& root,
                         const repo::WalkedDir& dir, Selection& selection) {
    if (std::ranges::find(dir.files, "Chart.yaml") == dir.files.end() ||
        !repo::file_mentions_tailscale(tree, repo::join_path(dir.path, "Chart.yaml"))) {
        return;
    }
    for (const OperatorDependency& one : operator_dependencies(tree, root, dir.path)) {
        std::vector<std::string> keys;
        std::ranges::transform(one.steps, std::back_inserter(keys), &DependencyStep::key);
        for (const std::string& name : dir.files) {
            if (name != "Chart.yaml" && repo::is_manifest_name(name)) {
                selection.umbrella_values.push_back(
                    {dir.path, repo::join_path(dir.path, name), keys});
            }
        }
    }
}

void add_workflows(const repo::SourceTree& tree, const std::string& dir, int depth,
                   Selection& selection) {
    const Result<std::vector<repo::Entry>> entries = tree.list(dir);
    for (const repo::Entry& entry : entries ? *entries : std::vector<repo::Entry>()) {
        const std::string path = repo::join_path(dir, entry.name);
        if (entry.kind == repo::EntryKind::File && repo::is_manifest_name(entry.name)) {
            selection.programs.push_back(path);
        } else if (entry.kind == repo::EntryKind::Directory && depth > 0) {
            add_workflows(tree, path, depth - 1, selection);
        }
    }
}

}  // namespace

void find_unread_files(const repo::SourceTree& tree, const std::string& root,
                       const std::vector<repo::WalkedDir>& dirs, const UnitChoice& choice,
                       Selection& selection) {
    for (const repo::WalkedDir& dir : dirs) {
        for (const std::string& name : dir.files) {
            std::string path = repo::join_path(dir.path, name);
            if (ends_with_any(name, kPrograms)) {
                if (is_run(dir.relative)) {
                    if (!dir.in_chart && writes_exposure(tree, path)) {
                        selection.exposing_programs.push_back(path);
                    }
                    selection.programs.push_back(std::move(path));
                }
            } else if (ends_with_any(name, kLanguages) &&
                       repo::file_mentions_tailscale(tree, path)) {
                selection.other_languages.push_back(std::move(path));
            }
        }
        if (is_run(dir.relative)) {
            add_umbrella_values(tree, root, dir, selection);
        }
    }
    for (const std::string_view name : kWorkflowFiles) {
        std::string path = repo::join_path(root, std::string(name));
        if (tree.kind(path) == repo::EntryKind::File) {
            selection.programs.push_back(std::move(path));
        }
    }
    for (const std::string_view name : kWorkflowDirs) {
        add_workflows(tree, repo::join_path(root, std::string(name)), 1, selection);
    }
    const auto is_ignored = [&](const std::string& path) { return choice.ignores_below(path); };
    std::erase_if(selection.programs, is_ignored);
    std::erase_if(selection.other_languages, is_ignored);
    std::erase_if(selection.exposing_programs, is_ignored);
    std::erase_if(selection.umbrella_values,
                  [&](const UmbrellaValues& one) { return is_ignored(one.path); });
}

}  // namespace renderer::engines
