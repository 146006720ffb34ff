#include "renderer/engines/select/unread_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "renderer/engines/helm/operator_dependency.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// They define objects.
constexpr std::array<std::string_view, 5> kLanguages = {".jsonnet", ".libsonnet", ".tf", ".hcl",
                                                        ".cue"};

// They may run helm, or install charts by a library such as Pulumi's.
constexpr std::array<std::string_view, 11> kPrograms = {
    ".sh", ".bash", ".ps1", ".mk", ".py", ".ts", ".go", ".nix", ".just", "Makefile", "justfile"};

// Where CI services look for their workflows.
constexpr std::array<std::string_view, 4> kWorkflowDirs = {".github/workflows", ".gitea/workflows",
                                                           ".forgejo/workflows", ".woodpecker"};
constexpr std::array<std::string_view, 2> kWorkflowFiles = {".gitlab-ci.yml", ".drone.yml"};

template <std::size_t kCount>
bool ends_with_any(std::string_view name, const std::array<std::string_view, kCount>& ends) {
    return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

// Adds the values files of a chart that depends on the operator's.
void add_umbrella_values(const repo::SourceTree& tree, const std::string& root,
                         const repo::WalkedDir& dir, Selection& selection) {
    if (std::ranges::find(dir.files, "Chart.yaml") == dir.files.end() ||
        !repo::file_mentions_tailscale(tree, repo::join_path(dir.path, "Chart.yaml")) ||
        operator_dependencies(tree, root, dir.path).empty()) {
        return;
    }
    for (const std::string& name : dir.files) {
        if (name != "Chart.yaml" && repo::is_manifest_name(name)) {
            selection.umbrella_values.emplace_back(dir.path, repo::join_path(dir.path, name));
        }
    }
}

void add_workflows(const repo::SourceTree& tree, const std::string& root, Selection& selection) {
    for (const std::string_view name : kWorkflowFiles) {
        std::string path = repo::join_path(root, std::string(name));
        if (tree.kind(path) == repo::EntryKind::File) {
            selection.programs.push_back(std::move(path));
        }
    }
    for (const std::string_view name : kWorkflowDirs) {
        const std::string dir = repo::join_path(root, std::string(name));
        const Result<std::vector<repo::Entry>> entries = tree.list(dir);
        for (const repo::Entry& entry : entries ? *entries : std::vector<repo::Entry>()) {
            if (entry.kind == repo::EntryKind::File && repo::is_manifest_name(entry.name)) {
                selection.programs.push_back(repo::join_path(dir, entry.name));
            }
        }
    }
}

}  // namespace

void find_unread_files(const repo::SourceTree& tree, const std::string& root,
                       const std::vector<repo::WalkedDir>& dirs, Selection& selection) {
    for (const repo::WalkedDir& dir : dirs) {
        for (const std::string& name : dir.files) {
            std::string path = repo::join_path(dir.path, name);
            if (ends_with_any(name, kPrograms)) {
                selection.programs.push_back(std::move(path));
            } else if (ends_with_any(name, kLanguages) &&
                       repo::file_mentions_tailscale(tree, path)) {
                selection.other_languages.push_back(std::move(path));
            }
        }
        add_umbrella_values(tree, root, dir, selection);
    }
    add_workflows(tree, root, selection);
}

}  // namespace renderer::engines
