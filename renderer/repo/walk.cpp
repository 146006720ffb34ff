#include "renderer/repo/walk.h"

#include <algorithm>
#include <string>
#include <utility>

#include "renderer/base/utf8.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/encrypted.h"
#include "renderer/kube/meant_version.h"
#include "renderer/repo/inventory.h"
#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace {

class Walker {
public:
    Walker(const SourceTree& tree, const std::string& root, const std::string& output_dir,
           Diagnostics& diagnostics, const std::function<bool(const std::string&)>& is_skipped)
        : tree_(tree),
          diagnostics_(diagnostics),
          is_skipped_(is_skipped),
          real_root_(tree.real_path(root)),
          real_output_(output_dir.empty() ? "" : tree.real_path(output_dir)) {}

    void visit(const std::string& path, const std::string& relative, bool in_chart) {
        if (!relative.empty() && (is_rendered_tree(tree_, path) || is_output(path))) {
            return;  // not listed: it may have many files
        }
        Result<std::vector<Entry>> entries = tree_.list(path);
        if (!entries) {
            diagnostics_.add(std::move(entries.error().diagnostic));
            return;
        }
        WalkedDir dir{.path = path, .relative = relative, .in_chart = in_chart};
        for (const Entry& entry : *entries) {
            if (entry.kind == EntryKind::Directory && !entry.is_link &&
                entry.name.starts_with('.')) {
                dir.hidden_dirs.push_back(entry.name);
            }
            take_file(entry, dir);
        }
        dir.in_chart = dir.in_chart || dir.has_chart;
        const bool below_chart = dir.in_chart;
        dirs.push_back(std::move(dir));
        for (const Entry& entry : *entries) {
            if (entry.kind != EntryKind::Directory || entry.name.starts_with('.')) {
                continue;
            }
            const std::string child = join_path(path, entry.name);
            const std::string below = join_path(relative, entry.name);
            if ((!is_skipped_ || !is_skipped_(below)) && may_enter(child, entry)) {
                visit(child, below, below_chart);
            }
        }
    }

    // Visits a directory that was not reached because of a hidden name.
    void visit_hidden(const std::string& path, const std::string& root) {
        const bool is_known = std::ranges::find(dirs, path, &WalkedDir::path) != dirs.end();
        if (!is_known && is_within(path, root) && is_within(tree_.real_path(path), real_root_)) {
            visit(path, relative_path(path, root), false);
        }
    }

    std::vector<WalkedDir> dirs;

private:
    [[nodiscard]] bool is_output(const std::string& path) const {
        return !real_output_.empty() && tree_.real_path(path) == real_output_;
    }

    void take_file(const Entry& entry, WalkedDir& dir) {
        dir.has_fleetignore = dir.has_fleetignore || entry.name == ".fleetignore";
        dir.has_sourceignore = dir.has_sourceignore || entry.name == kSourceIgnoreName;
        const bool is_lock = dir.relative.empty() && entry.name == kLockName;
        if (entry.kind == EntryKind::Directory || entry.name.starts_with('.') || is_lock) {
            return;
        }
        if (entry.is_link && !stays_inside(join_path(dir.path, entry.name))) {
            return;
        }
        if (entry.is_link && entry.kind == EntryKind::Missing && is_manifest_name(entry.name)) {
            refuse_dangling(join_path(dir.path, entry.name));
        }
        if (entry.kind != EntryKind::File) {
            return;
        }
        const bool has_fleet_name = entry.name == "fleet.yaml" || entry.name == "fleet.yml";
        if (has_fleet_name && !is_object(join_path(dir.path, entry.name))) {
            dir.fleet_files.push_back(entry.name);
        } else if (is_kustomization_name(entry.name)) {
            dir.kustomizations.push_back(entry.name);
        }
        dir.has_chart = dir.has_chart || entry.name == "Chart.yaml";
        dir.files.push_back(entry.name);
        if (entry.is_link) {
            dir.links.push_back(entry.name);
        }
    }

    // True for a manifest, which may have the name of Fleet's file.
    [[nodiscard]] bool is_object(const std::string& path) const {
        Result<std::string> text = tree_.read(path);
        SourceMap sources;
        Diagnostics quiet;
        const SourceId source = sources.add(path, text ? std::move(*text) : std::string());
        for (const ScannedDocument& scanned : scan_documents(sources, source)) {
            const Value root = read_yaml(sources, source, scanned.range, quiet);
            if (root.is_map()) {
                return root.find("apiVersion") != nullptr && root.find("kind") != nullptr;
            }
        }
        return false;
    }

    void refuse_dangling(const std::string& path) {
        diagnostics_.error("broken-link", {}, "broken symbolic link")
            .where(path)
            .expected("an existing target")
            .hint("restore the target, or remove the link");
    }

    bool may_enter(const std::string& path, const Entry& entry) {
        if (!entry.is_link) {
            return true;
        }
        if (stays_inside(path) && directory_mentions_tailscale(path)) {
            diagnostics_
                .error("symbolic-link", {}, "symbolic links to directories are not followed")
                .where(path)
                .hint("list the directory in a kustomization, or copy it");
        }
        return false;
    }

    // Follows no other link: its target is walked anyway, or is outside of the tree.
    [[nodiscard]] bool directory_mentions_tailscale(const std::string& dir) const {
        const Result<std::vector<Entry>> entries = tree_.list(dir);
        return !entries || std::ranges::any_of(*entries, [&](const Entry& entry) {
            const std::string path = join_path(dir, entry.name);
            return !entry.is_link &&
                   (entry.kind == EntryKind::Directory ? directory_mentions_tailscale(path)
                                                       : file_mentions_tailscale(tree_, path));
        });
    }

    bool stays_inside(const std::string& path) {
        const std::string target = tree_.real_path(path);
        if (is_within(target, real_root_)) {
            return true;
        }
        diagnostics_.error("symbolic-link", {}, "symbolic link to a path outside the tree")
            .where(path)
            .expected("a target in the directory that is rendered")
            .hint("replace the link by the file, or remove it");
        return false;
    }

    const SourceTree& tree_;
    Diagnostics& diagnostics_;
    const std::function<bool(const std::string&)>& is_skipped_;
    std::string real_root_;
    std::string real_output_;
};

// Kustomize, kubectl and Argo CD also read UTF-16.
bool has_word_as_utf16(std::string_view text) {
    std::string letters(begins_as_utf16(text) ? text : std::string_view());
    std::erase(letters, '\0');
    return letters.find("tailscale") != std::string::npos;
}

// True for text with letters as escapes, which other tools read.
bool may_hide_words(std::string_view text) {
    for (std::size_t at = text.find('\\'); at != std::string_view::npos;
         at = text.find('\\', at + 1)) {
        const std::string_view rest = text.substr(at + 1);
        for (const std::string_view escape : {"x", "u00", "U000000"}) {
            if (rest.starts_with(escape) && rest.size() > escape.size() &&
                rest[escape.size()] >= '4' && rest[escape.size()] <= '7') {
                return true;
            }
        }
    }
    return has_word_as_utf16(text);
}

// True for a class that SOPS encrypts, also in a patch: it may be that of Tailscale.
bool encrypts_class(std::string_view text) {
    return text.find(kEncrypted) != std::string_view::npos &&
           (text.find("ingressClassName") != std::string_view::npos ||
            text.find("loadBalancerClass") != std::string_view::npos);
}

}  // namespace

bool has_hidden_name(std::string_view path) {
    return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

bool is_kustomization_name(std::string_view name) {
    return std::ranges::find(kKustomizationNames, name) != kKustomizationNames.end();
}

bool mentions_tailscale(std::string_view text) {
    return text.find("tailscale") != std::string_view::npos ||
           text.find(kOAuthGenerator) != std::string_view::npos || may_hide_words(text) ||
           misspells_custom_group(text) || encrypts_class(text);
}

bool mentions_input(std::string_view text, const std::vector<std::string>& words) {
    return mentions_tailscale(text) || std::ranges::any_of(words, [&](const std::string& word) {
               return text.find(word) != std::string_view::npos;
           });
}

bool file_mentions_tailscale(const SourceTree& tree, const std::string& path) {
    const Result<std::string> text = tree.read(path);
    return text && mentions_tailscale(*text);
}

bool mentions_tailscale(const SourceTree& tree, const WalkedDir& dir) {
    return std::ranges::any_of(dir.files, [&](const std::string& name) {
        return file_mentions_tailscale(tree, join_path(dir.path, name));
    });
}

bool has_files(const SourceTree& tree, const std::string& dir) {
    const Result<std::vector<Entry>> entries = tree.list(dir);
    return entries && std::ranges::any_of(*entries, [&](const Entry& entry) {
               return entry.kind != EntryKind::Directory ||
                      has_files(tree, join_path(dir, entry.name));
           });
}

bool is_rendered_tree(const SourceTree& tree, const std::string& dir) {
    return tree.kind(join_path(dir, kInventoryFile)) == EntryKind::File;
}

std::vector<WalkedDir> walk_tree(const SourceTree& tree, const std::string& root,
                                 const std::string& output_dir, Diagnostics& diagnostics,
                                 const std::function<bool(const std::string&)>& is_skipped,
                                 const std::vector<std::string>& hidden) {
    Walker walker(tree, root, output_dir, diagnostics, is_skipped);
    walker.visit(root, "", false);
    for (const std::string& dir : hidden) {
        walker.visit_hidden(dir, root);
    }
    std::ranges::sort(walker.dirs, {}, &WalkedDir::relative);
    return std::move(walker.dirs);
}

}  // namespace renderer::repo
