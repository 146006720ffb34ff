#include "renderer/engines/kustomize/left_out.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/kustomize/plug_ins.h"
#include "renderer/repo/paths.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::engines {

namespace {

constexpr std::array<std::string_view, 3> kChartFields = {
    "helmCharts", "helmChartInflationGenerator", "helmGlobals"};
constexpr std::array<std::string_view, 3> kPlugInFields = {"generators", "transformers",
                                                           "validators"};

// The fields besides kListFields whose entries kustomize loads from files.
constexpr std::array<std::string_view, 6> kPartFields = {"patches",         "patchesStrategicMerge",
                                                         "patchesJson6902", "replacements",
                                                         "configurations",  "crds"};

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
                left_out.push_back(
                    {.pos = entry.pos(), .what = std::string(text_of(entry)), .is_remote = true});
                return false;
            }
            return true;
        });
    }
}

// An entry is a path, a map with a path, or the text itself.
void leave_out_remote_parts(Value& root, std::vector<LeftOut>& left_out) {
    for (const std::string_view field : kPartFields) {
        keep_entries(root, field, [&](const Value& entry) {
            const Value* path = entry.is_map() ? entry.find("path") : &entry;
            const std::string_view text = text_of(path);
            const bool is_inline =
                text.starts_with('{') || text.find('\n') != std::string_view::npos;
            if (is_inline || !is_remote_resource(text)) {
                return true;
            }
            left_out.push_back({.pos = path->pos(), .what = std::string(text), .is_remote = true});
            return false;
        });
    }
}

void leave_out_secrets(const repo::SourceTree& tree, const std::string& dir, Value& root,
                       std::vector<LeftOut>& left_out) {
    keep_entries(root, "resources", [&](const Value& entry) {
        const bool is_kept =
            is_kept_secret(tree, repo::normal_path(repo::join_path(dir, text_of(entry))));
        if (is_kept) {
            left_out.push_back(
                {.pos = entry.pos(), .what = std::string(text_of(entry)), .is_secret = true});
        }
        return !is_kept;
    });
}

// Leaves out the output of tailrender. Returns false if the kustomization lists none.
bool leave_out_rendered(const KustomizationReader& reader, const std::string& dir, Value& root) {
    bool lists = false;
    for (const std::string_view field : {"resources", "bases"}) {
        keep_entries(root, field, [&](const Value& entry) {
            const bool is_rendered =
                reader.is_rendered(repo::normal_path(repo::join_path(dir, text_of(entry))));
            lists = lists || is_rendered;
            return !is_rendered;
        });
    }
    return lists;
}

// Leaves out plug-ins that are a program or a function in a container, such as ksops.
void leave_out_plug_ins(const repo::SourceTree& tree, KustomizationReader& reader,
                        const Kustomization& file, Value& root, std::vector<LeftOut>& left_out) {
    for (const std::string_view field : kPlugInFields) {
        keep_entries(root, field, [&](const Value& entry) {
            const std::string name = foreign_plug_in(tree, reader, file.dir, text_of(entry));
            if (!name.empty()) {
                left_out.push_back({.pos = entry.pos(),
                                    .what = fmt::format("plug-in {}", name),
                                    .is_plug_in = true});
            }
            return name.empty();
        });
    }
}

Value without_foreign(const repo::SourceTree& tree, KustomizationReader& reader,
                      const Kustomization& file, std::vector<LeftOut>& left_out) {
    Value root = file.root.clone();
    leave_out_charts(root, left_out);
    leave_out_remote(root, left_out);
    leave_out_remote_parts(root, left_out);
    leave_out_secrets(tree, file.dir, root, left_out);
    leave_out_plug_ins(tree, reader, file, root, left_out);
    return root;
}

// Returns the "Kind/name" of a patch, inline or in a file, "" unless it is one document.
std::string patched_object(const repo::SourceTree& tree, const std::string& dir,
                           const Value& entry) {
    const std::string text(entry.is_map() ? text_of(entry, {"patch"}) : text_of(&entry));
    const std::string path = repo::normal_path(
        repo::join_path(dir, entry.is_map() ? text_of(entry, {"path"}) : std::string_view(text)));
    const Result<std::string> content =
        tree.kind(path) == repo::EntryKind::File ? tree.read(path) : Result(text);
    const std::vector<Value> documents = content ? documents_of(*content) : std::vector<Value>();
    return documents.size() != 1 ? std::string()
                                 : fmt::format("{}/{}", text_of(documents.front(), {"kind"}),
                                               text_of(documents.front(), {"metadata", "name"}));
}

void leave_out_orphans(const repo::SourceTree& tree, const std::string& dir,
                       const std::set<Orphan>& orphans, Value& root,
                       std::vector<LeftOut>& left_out) {
    for (const std::string_view field : {"patches", "patchesStrategicMerge"}) {
        keep_entries(root, field, [&](const Value& entry) {
            const std::string object = patched_object(tree, dir, entry);
            const bool is_orphan = orphans.contains({dir, object});
            if (is_orphan) {
                left_out.push_back(
                    {.pos = entry.pos(), .what = fmt::format("patch of {}", object)});
            }
            return !is_orphan;
        });
    }
}

// Names the wrapping directory of each file that kustomize must not read directly (kWrapped).
// Returns false if there is none.
bool wrap_local_files(const repo::SourceTree& tree, const KustomizationReader& reader,
                      const std::string& dir, Value& root) {
    bool wraps = false;
    Value* entries = root.find("resources");
    if (entries == nullptr || !entries->is_list()) {
        return false;
    }
    for (Value& entry : entries->items()) {
        const std::string path = repo::normal_path(repo::join_path(dir, text_of(entry)));
        const bool is_copy = !repo::is_within(path, dir) && reader.is_local_copy(path) &&
                             tree.kind(path) == repo::EntryKind::File;
        if (is_copy || reader.made_by_helm.contains(path)) {
            entry = Value(fmt::format("{}{}", text_of(entry), kWrapped));
            wraps = true;
        }
    }
    return wraps;
}

}  // namespace

bool is_kept_secret(const repo::SourceTree& tree, const std::string& path) {
    return repo::is_manifest_name(path) && tree.kind(path) == repo::EntryKind::Missing &&
           lower_case(repo::base_name(path)).find("secret") != std::string::npos;
}

Result<std::string> content_for_copy(const repo::SourceTree& tree, KustomizationReader& reader,
                                     const std::string& path, const std::set<Orphan>& orphans,
                                     std::vector<LeftOut>& left_out) {
    const Kustomization* file = reader.find_file(path);
    if (file == nullptr) {
        return tree.read(path);
    }
    const std::size_t before = left_out.size();
    Value root = without_foreign(tree, reader, *file, left_out);
    leave_out_orphans(tree, file->dir, orphans, root, left_out);
    const bool lists_rendered = leave_out_rendered(reader, file->dir, root);
    // Wraps even if `is_changed` is false: an overlay's kustomization names local copies already.
    const bool wraps = wrap_local_files(tree, reader, file->dir, root);
    if (!lists_rendered && !wraps && left_out.size() == before && !file->is_changed) {
        return tree.read(path);
    }
    // kustomize refuses a file without any field.
    root.put("metadata", Value::map({{"name", "left-out"}}));
    std::string text;
    write_yaml(root, text);
    return text;
}

std::vector<LeftOut> left_out_of(const repo::SourceTree& tree, KustomizationReader& reader,
                                 const Kustomization& file) {
    std::vector<LeftOut> left_out;
    (void)without_foreign(tree, reader, file, left_out);
    return left_out;
}

// The message is `no resource matches strategic merge patch
// "ConfigMap.v1.[noGrp]/argocd-cm.[noNs]": …`.
Orphan orphan_of(std::string_view message) {
    constexpr std::string_view kPath = "recursed accumulation of path '";
    constexpr std::string_view kPatch = "no resource matches strategic merge patch \"";
    const std::size_t begin = message.find(kPatch);
    if (begin == std::string_view::npos) {
        return {};
    }
    const std::size_t path = message.substr(0, begin).rfind(kPath);
    const std::string_view dir =
        path == std::string_view::npos ? std::string_view() : message.substr(path + kPath.size());
    message.remove_prefix(begin + kPatch.size());
    const std::string_view id = message.substr(0, message.find('"'));
    const std::size_t dot = id.find('.');
    const std::size_t slash = id.find('/');
    const std::size_t last = id.rfind('.');
    if (dot > slash || slash > last || last == std::string_view::npos) {
        return {};
    }
    return {
        .dir = std::string(dir.substr(0, dir.find('\''))),
        .object = fmt::format("{}/{}", id.substr(0, dot), id.substr(slash + 1, last - slash - 1))};
}

void warn_left_out(const LeftOut& what, bool names_helm, Diagnostics& diagnostics) {
    if (what.is_remote) {
        diagnostics
            .warning("not-built", what.pos,
                     "this is remote and not fetched: what it exposes to the tailnet would be "
                     "missing")
            .found(secrets::without_url_credentials(what.what))
            .expected("no Tailscale objects in it, or a local copy")
            .hint(fmt::format("copy it into this repository, or: {}", source_flag(what.what)));
        return;
    }
    diagnostics.warning("not-built", what.pos, "this part of the kustomization is not built")
        .found(what.what)
        .expected(what.is_chart    ? "no chart that exposes anything to the tailnet"
                  : what.is_secret ? "a Secret, which this repository must not have"
                                   : "no Tailscale objects in what is fetched")
        .hint(what.is_chart
                  ? (names_helm ? "use --charts DIR with a directory that contains it; or: helm "
                                  "template CHART | tailrender post-render"
                                : "install helm, or name it with --helm PROGRAM; a chart that is "
                                  "not in the tree also needs --charts DIR with a directory that "
                                  "contains it")
              : what.is_secret ? "if it is a Secret, nothing needs to be done: Secrets are not read"
                               : "copy it into this repository if it has Tailscale objects");
}

}  // namespace renderer::engines
