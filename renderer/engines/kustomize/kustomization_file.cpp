// Reads and checks a kustomization file; kustomization.cpp executes it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/kustomize/local_copies.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/config_file.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::array kOptionFields = {
    repo::SchemaField{"labels annotations", repo::FieldType::TextMap},
    repo::SchemaField{"disableNameSuffixHash immutable", repo::FieldType::Flag},
};

constexpr std::array kConfigMapFields = {
    repo::SchemaField{"name namespace behavior env", repo::FieldType::Text},
    repo::SchemaField{"literals files envs", repo::FieldType::TextList},
    repo::SchemaField{"options", repo::FieldType::Section, kOptionFields},
};

constexpr std::array kSecretFields = {
    repo::SchemaField{"name namespace behavior env type", repo::FieldType::Text},
    repo::SchemaField{"literals files envs", repo::FieldType::TextList},
    repo::SchemaField{"options", repo::FieldType::Section, kOptionFields},
};

// The last entry has the fields that only kustomize executes.
constexpr std::array kKustomizationFields = {
    repo::SchemaField{"apiVersion kind namespace", repo::FieldType::Text},
    repo::SchemaField{"metadata", repo::FieldType::Map},
    repo::SchemaField{"resources bases", repo::FieldType::TextList},
    repo::SchemaField{"sortOptions"},
    repo::SchemaField{"generatorOptions", repo::FieldType::Section, kOptionFields},
    repo::SchemaField{"configMapGenerator", repo::FieldType::SectionList, kConfigMapFields},
    repo::SchemaField{"secretGenerator", repo::FieldType::SectionList, kSecretFields},
    repo::SchemaField{
        "buildMetadata commonAnnotations commonLabels components configurations crds "
        "generators helmChartInflationGenerator helmCharts helmGlobals imageTags images "
        "labels namePrefix nameSuffix openapi patches patchesJson6902 "
        "patchesStrategicMerge replacements replicas transformers validators vars"},
};

bool is_empty(const Value& value) {
    return !value.is_bool() && !value.is_number() && value.size() == 0;
}

void refuse_other_fields(const Kustomization& file, Diagnostics& diagnostics) {
    for (const Member& member : file.root.members()) {
        if (repo::find_field(kKustomizationFields, member.name()) != &kKustomizationFields.back() ||
            is_empty(member.value)) {
            continue;
        }
        diagnostics
            .error("not-supported", member.key.pos(),
                   fmt::format("\"{}\" of a kustomization is not supported by tailrender",
                               member.name()))
            .expected(
                "resources, namespace, secretGenerator, configMapGenerator and "
                "generatorOptions")
            .hint(fmt::format("run kustomize: kustomize build {} | tailrender post-render",
                              shell_word(file.dir)));
    }
}

// Source: kustomize api/types/kustomization.go (EnforceFields).
void check_kind(const Kustomization& file, Diagnostics& diagnostics) {
    const std::string_view kind = repo::text_of(file.root, "kind");
    if (!kind.empty() && kind != "Kustomization") {
        diagnostics
            .error("not-supported", file.root.find("kind")->pos(),
                   "this file is not a Kustomization")
            .found(fmt::format("kind \"{}\"", kind))
            .expected("kind: Kustomization");
        return;
    }
    const std::string_view version = repo::text_of(file.root, "apiVersion");
    if (!version.empty() && version != kKustomizationVersion) {
        diagnostics
            .error("not-supported", file.root.find("apiVersion")->pos(),
                   "kustomize rejects the apiVersion of this kustomization")
            .found(fmt::format("\"{}\"", version))
            .expected(fmt::format("\"{}\"", kKustomizationVersion));
    }
}

// True if kustomize refuses the file as empty: an empty list is a field, null and an empty text are
// none. Source: kustomize api/types/kustomization.go (CheckEmpty).
bool has_no_field(const Value& root) {
    const auto is_none = [](const Member& one) {
        const bool is_kind = one.name() == "kind" && text_of(one.value) == "Kustomization";
        return one.name() == "apiVersion" || is_kind || one.value.is_null() ||
               (one.value.is_string() && one.value.text().empty());
    };
    return root.is_null() || (root.is_map() && std::ranges::all_of(root.members(), is_none));
}

}  // namespace

std::unique_ptr<Kustomization> KustomizationReader::read(const std::string& dir,
                                                         const std::string& path) {
    auto file = std::make_unique<Kustomization>();
    file->dir = dir;
    file->path = path;
    repo::ConfigFile config = repo::read_config(tree_, path, kKustomizationFields,
                                                "a kustomization", sources_, file->faults);
    file->root = std::move(config.root);
    if (local_ != nullptr) {
        file->is_changed = use_local_copies(tree_, *local_, dir, file->root);
    }
    if (config.usable && has_no_field(file->root)) {
        file->faults.error("empty-kustomization", config.pos, "this kustomization is empty")
            .hint("list the manifests under \"resources\"");
    }
    if (file->root.is_map()) {
        refuse_other_fields(*file, file->faults);
        check_kind(*file, file->faults);
    }
    return file;
}

const Kustomization* KustomizationReader::find(const std::string& dir) {
    if (const auto known = known_.find(dir); known != known_.end()) {
        return known->second.get();
    }
    std::vector<std::string> paths;
    for (const std::string_view name : repo::kKustomizationNames) {
        std::string path = repo::join_path(dir, name);
        if (tree_.kind(path) == repo::EntryKind::File) {
            paths.push_back(std::move(path));
        }
    }
    std::unique_ptr<Kustomization>& entry = known_[dir];
    if (!paths.empty()) {
        entry = read(dir, paths.front());
    }
    if (paths.size() > 1) {
        entry->faults.error("two-kustomizations", {}, "this directory has two kustomization files")
            .where(paths[1])
            .found(fmt::format("{}", fmt::join(paths, ", ")))
            .expected("one of them")
            .hint("keep kustomization.yaml");
    }
    return entry.get();
}

bool KustomizationReader::mentions_tailscale(const std::string& path) {
    const auto [known, is_new] = mentions_.try_emplace(path, false);
    if (is_new) {
        known->second = repo::file_mentions_tailscale(tree_, path);
    }
    return known->second;
}

const Kustomization* KustomizationReader::find_file(const std::string& path) {
    const Kustomization* file = find(repo::parent_path(path));
    return file != nullptr && file->path == path && file->root.is_map() ? file : nullptr;
}

bool KustomizationReader::is_rendered(const std::string& path) const {
    return repo::is_rendered_tree(tree_, path) ||
           (!real_output_.empty() && tree_.real_path(path) == real_output_);
}

bool KustomizationReader::is_local_copy(const std::string& path) const {
    return local_ != nullptr && local_->holds(path);
}

bool is_component(const Kustomization& kustomization) {
    return kustomization.root.is_map() && repo::text_of(kustomization.root, "kind") == "Component";
}

std::vector<std::string> KustomizationReader::directories(
    const Kustomization& kustomization) const {
    std::vector<std::string> dirs;
    for (const std::string_view field : kListFields) {
        for (const Value& entry : repo::list_of(kustomization.root, field)) {
            std::string path =
                entry.is_string()
                    ? repo::normal_path(repo::join_path(kustomization.dir, entry.text()))
                    : std::string();
            if (!path.empty() && tree_.kind(path) == repo::EntryKind::Directory) {
                dirs.push_back(std::move(path));
            }
        }
    }
    return dirs;
}

}  // namespace renderer::engines
