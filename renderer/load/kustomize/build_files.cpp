#include "renderer/load/kustomize/build_files.h"

#include <algorithm>
#include <string_view>

#include "renderer/core/text_of.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

class Search {
public:
    Search(const SourceTree& tree, KustomizationReader& reader, const std::string& root)
        : tree_(tree), reader_(reader), real_root_(tree.real_path(root)) {}

    void build(const std::string& dir) {
        const Kustomization* kustomization = reader_.find(dir);
        if (kustomization == nullptr) {
            directory(dir);
        } else if (file(kustomization->path)) {
            if (kustomization->root.is_map()) {
                values(dir, kustomization->root);
            } else {
                directory(dir);
            }
        }
    }

    BuildFiles found;

private:
    // False: it was known.
    bool file(const std::string& path) {
        if (!found.paths.insert(path).second) {
            return false;
        }
        const Result<std::string> text = tree_.read(path);
        found.mentions_tailscale = found.mentions_tailscale ||
                                   (text && (text->find("tailscale") != std::string::npos ||
                                             text->find(kOAuthGenerator) != std::string::npos));
        return true;
    }

    // A chart, say: all that it holds.
    void directory(const std::string& dir) {
        if (!directories_.insert(dir).second) {
            return;
        }
        const Result<std::vector<Entry>> entries = tree_.list(dir);
        if (!entries) {
            return;
        }
        for (const Entry& entry : *entries) {
            named(join_path(dir, entry.name), entry.is_link);
        }
    }

    void named(const std::string& path, bool is_link = false) {
        const EntryKind kind = tree_.kind(path);
        if (kind != EntryKind::File && kind != EntryKind::Directory) {
            return;
        }
        if (is_link || !is_within(tree_.real_path(path), real_root_)) {
            found.leaves_root = true;
        } else if (kind == EntryKind::File) {
            file(path);
        } else {
            build(path);
        }
    }

    // A generator's `key=path` names a path, too.
    void values(const std::string& dir, const Value& value) {
        for (const Value& item : items_of(&value)) {
            values(dir, item);
        }
        if (value.is_map()) {
            for (const Member& member : value.members()) {
                if (member.name() != "namespace") {
                    values(dir, member.value);
                }
            }
        }
        const std::string_view text = text_of(&value);
        const std::size_t equals = text.find('=');
        for (const std::string_view part :
             {text,
              equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1)}) {
            if (!part.empty() && !part.starts_with('/') && part.size() <= kLongestPath &&
                part.find('\n') == std::string_view::npos) {
                const std::string path = normal_path(join_path(dir, part));
                if (path != dir) {
                    named(path);
                }
            }
        }
    }

    static constexpr std::size_t kLongestPath = 4096;  // PATH_MAX

    const SourceTree& tree_;
    KustomizationReader& reader_;
    std::string real_root_;
    std::set<std::string> directories_;
};

}  // namespace

BuildFiles find_build_files(const SourceTree& tree, KustomizationReader& reader,
                            const std::string& root, const std::string& dir) {
    Search search(tree, reader, root);
    search.build(dir);
    return std::move(search.found);
}

}  // namespace renderer
