#include "renderer/engines/kustomize/local_copies.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

class LocalCopies {
public:
    LocalCopies(const repo::SourceTree& tree, const LocalSources& local, const std::string& dir)
        : tree_(tree), local_(local), dir_(dir) {}

    bool run(Value& root) {
        for (const std::string_view field : kListFields) {
            for (Value& entry : items_in(root, field)) {
                name_copy(entry);
            }
        }
        for (Value& entry : items_in(root, "patchesStrategicMerge")) {
            if (std::optional<std::string> text = text_at(entry)) {
                replace(entry, *text);
            }
        }
        for (const std::string_view field : {"patches", "patchesJson6902"}) {
            for (Value& entry : items_in(root, field)) {
                inline_patch(entry);
            }
        }
        return has_changed_;
    }

private:
    static std::span<Value> items_in(Value& root, std::string_view field) {
        Value* list = root.find(field);
        return list != nullptr && list->is_list() ? list->items() : std::span<Value>();
    }

    [[nodiscard]] std::optional<std::string> copy_of(const Value& entry) const {
        return is_remote_resource(text_of(entry)) ? local_.find_address(text_of(entry))
                                                  : std::nullopt;
    }

    std::optional<std::string> text_at(const Value& entry) {
        const std::optional<std::string> path = copy_of(entry);
        Result<std::string> text = path && tree_.kind(*path) == repo::EntryKind::File
                                       ? tree_.read(*path)
                                       : Result(std::string());
        return path && text && !text->empty() ? std::optional(std::move(*text)) : std::nullopt;
    }

    void replace(Value& entry, std::string_view text) {
        const Pos pos = entry.pos();
        entry = Value(text);
        entry.set_pos(pos);
        has_changed_ = true;
    }

    // The "./" keeps a directory that is called "github.com" from looking remote.
    void name_copy(Value& entry) {
        if (const std::optional<std::string> path = copy_of(entry)) {
            const std::string relative = repo::relative_path(*path, dir_);
            replace(entry, relative.starts_with("../") ? relative : "./" + relative);
        }
    }

    void inline_patch(Value& entry) {
        const Value* path = entry.is_map() ? entry.find("path") : nullptr;
        std::optional<std::string> text = path == nullptr ? std::nullopt : text_at(*path);
        if (text) {
            Value patch(*text);
            patch.set_pos(path->pos());
            entry.erase("path");
            entry.put("patch", std::move(patch));
            has_changed_ = true;
        }
    }

    const repo::SourceTree& tree_;
    const LocalSources& local_;
    const std::string& dir_;
    bool has_changed_ = false;
};

}  // namespace

bool use_local_copies(const repo::SourceTree& tree, const LocalSources& local,
                      const std::string& dir, Value& root) {
    return root.is_map() && LocalCopies(tree, local, dir).run(root);
}

}  // namespace renderer::engines
