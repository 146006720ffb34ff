#include "renderer/load/krm/resource_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/contract/domain.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/hooks.h"
#include "renderer/load/krm/function_config.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::load {

namespace {

constexpr std::string_view kStdin = "<stdin>";
constexpr std::string_view kKustomizeAnnotation = "kustomize.config.k8s.io/id";
constexpr std::string_view kDefaultOutput = "rendered";

constexpr std::array<std::string_view, 3> kVersions = {
    kDefaultResourceListVersion, "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1"};

constexpr std::array kResourceListFields = {
    repo::SchemaField{"apiVersion kind", repo::FieldType::Text},
    repo::SchemaField{"metadata", repo::FieldType::Map},
    repo::SchemaField{"items functionConfig results"},
};

// Returns "" if the object has no such annotation.
std::string_view annotation_of(const Value& object, std::string_view key) {
    return text_of(object.at({"metadata", "annotations", key}));
}

// The text with blanked dashes, and the ranges of the items in it.
struct Layout {
    std::string text;
    std::vector<ListItem> items;
    std::size_t dash_column = 0;
};

// Returns the start of the first line after the last item of the list.
std::size_t list_end(const SourceMap& sources, const Value& root, Pos last) {
    const std::string_view text = sources.text(0);
    std::size_t end = text.size();
    for (const Member& member : root.members()) {
        if (last < member.key.pos()) {
            end = std::min(end, text.rfind('\n', sources.offset_of(member.key.pos())) + 1);
        }
    }
    return end;
}

bool is_blank_or_comment(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos || text[first] == '#';
}

// Returns the offset of the dash of the item whose first key is at `offset`. The dash is in front
// of the key, or of the comments above it (kyaml writes `- # comment` if a document begins with
// one). Returns no value if the item has no dash.
std::optional<std::size_t> dash_before(std::string_view text, std::size_t offset) {
    for (std::size_t end = offset; end > 0;) {
        const std::size_t begin = text.rfind('\n', end - 1) + 1;
        const std::string_view line = text.substr(begin, end - begin);
        const std::size_t first = line.find_first_not_of(' ');
        if (first != std::string_view::npos && line[first] == '-' &&
            (end == offset ? line.find_first_not_of(' ', first + 1) == std::string_view::npos
                           : is_blank_or_comment(line.substr(first + 1)))) {
            return begin + first;
        }
        if (!is_blank_or_comment(line) || begin == 0) {
            return std::nullopt;
        }
        end = begin - 1;
    }
    return std::nullopt;
}

// Returns no value unless every item begins on a separate line, behind a dash.
std::optional<Layout> lay_out(const SourceMap& sources, const Value& root) {
    Layout layout{.text = std::string(sources.text(0)), .items = {}};
    const auto items = repo::list_of(root, "items");
    for (const Value& item : items) {
        const auto dash = dash_before(sources.text(0), sources.offset_of(item.pos()));
        if (!dash) {
            return std::nullopt;
        }
        const std::size_t begin = sources.text(0).rfind('\n', *dash) + 1;
        if (!layout.items.empty()) {
            if (begin <= layout.items.back().range.begin) {
                return std::nullopt;  // an alias has the position of its anchor
            }
            layout.items.back().range.end = begin;
        }
        layout.items.push_back({.range = {begin, begin}});
        layout.dash_column = *dash - begin;
        layout.text[*dash] = ' ';
    }
    if (!items.empty()) {
        layout.items.back().range.end = list_end(sources, root, items.back().pos());
    }
    return layout;
}

// True if each item parses to the same value alone, that is, uses no anchor of another item.
bool stands_alone(const Layout& layout, const Value& root) {
    SourceMap sources;
    sources.add(std::string(kStdin), layout.text);
    const auto items = repo::list_of(root, "items");
    for (std::size_t i = 0; i < items.size(); ++i) {
        Diagnostics ignored;
        if (read_yaml(sources, 0, layout.items[i].range, ignored) != items[i]) {
            return false;
        }
    }
    return true;
}

void report_envelope(const Value& root, const SourceMap& sources, Diagnostics& diagnostics) {
    diagnostics
        .error("not-resource-list", sources.pos(0, 0), "standard input must be a ResourceList")
        .found(root.is_map()
                   ? fmt::format("apiVersion \"{}\", kind \"{}\"",
                                 repo::text_of(root, "apiVersion"), repo::text_of(root, "kind"))
                   : std::string(kind_name(root)))
        .expected(fmt::format("apiVersion {}, kind ResourceList", kDefaultResourceListVersion))
        .hint("for a plain stream of manifests use \"tailrender post-render\"");
}

bool check_envelope(const Value& root, const SourceMap& sources, Diagnostics& diagnostics) {
    if (!root.is_map() || repo::text_of(root, "kind") != "ResourceList" ||
        std::ranges::find(kVersions, repo::text_of(root, "apiVersion")) == kVersions.end()) {
        report_envelope(root, sources, diagnostics);
        return false;
    }
    repo::check_schema(root, kResourceListFields, "a ResourceList", diagnostics);
    const Value* items = root.find("items");
    if (items == nullptr || (!items->is_list() && !items->is_null())) {
        diagnostics
            .error("wrong-type", items == nullptr ? root.pos() : items->pos(),
                   "\"items\" of a ResourceList must be a list")
            .found(items == nullptr ? "none" : std::string(kind_name(*items)))
            .expected("items: []");
    }
    for (const Value& item : repo::list_of(root, "items")) {
        if (!item.is_map()) {
            diagnostics
                .error("wrong-type", item.pos().known() ? item.pos() : items->pos(),
                       "an item of a ResourceList must be an object")
                .found(kind_name(item))
                .expected("a map with apiVersion and kind");
        }
    }
    return !diagnostics.has_errors();
}

Value parse(std::string text, SourceMap& sources, Diagnostics& diagnostics) {
    sources.add(std::string(kStdin), std::move(text));
    return read_yaml(sources, 0, diagnostics);
}

// Names the items in messages by file and index, as results do. Line numbers of standard input
// would not help: they are not those of a file of the user, and objects of an earlier run shift
// them.
void name_parts(const ResourceList& list, SourceMap& sources) {
    const auto items = repo::list_of(list.root, "items");
    const auto has_path = [](const Value& item) { return !item_path(item).empty(); };
    if (std::ranges::none_of(items, has_path)) {
        return;
    }
    std::map<std::size_t, std::string> names;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string_view path = item_path(items[i]);
        const std::string_view index = item_index(items[i]);
        names[list.items[i].range.begin] =
            path.empty() ? fmt::format("items[{}]", i)
                         : fmt::format("{}[{}]", path, index.empty() ? "0" : index);
    }
    if (const Member* config = list.root.find_member("functionConfig")) {
        names[sources.offset_of(config->key.pos())] = "functionConfig";
    }
    for (auto& [begin, name] : names) {
        sources.name_part(list.source, begin, std::move(name));
    }
}

// True if no one applies the item: it is annotated so, or is kpt's own file, or configures
// tailrender.
bool is_local(const Value& item) {
    const std::string_view version = repo::text_of(item, "apiVersion");
    return annotation_of(item, engines::kLocalAnnotation) == "true" ||
           version.starts_with("kpt.dev/") || version.starts_with(TAILRENDER_DOMAIN "/");
}

void classify_items(ResourceList& list) {
    const auto items = repo::list_of(list.root, "items");
    for (const Value& item : items) {
        list.is_package = list.is_package || (!is_local(item) && !item_path(item).empty() &&
                                              annotation_of(item, kKustomizeAnnotation).empty());
    }
    const std::string inside = list.output + "/";
    for (std::size_t i = 0; i < items.size(); ++i) {
        list.items[i].is_local = is_local(items[i]);
        list.items[i].is_ours =
            list.is_package &&
            repo::normal_path(std::string(item_path(items[i]))).starts_with(inside);
    }
}

// Refuses a run without anything to render: a generator needs a path to read from.
void refuse_nothing(const ResourceList& list, const repo::LoadOptions& options,
                    Diagnostics& diagnostics) {
    const bool only_local = std::ranges::all_of(
        list.items, [](const ListItem& item) { return item.is_local || item.is_ours; });
    if (!options.path.empty() || list.items.empty() || !only_local) {
        return;
    }
    diagnostics
        .error("nothing-to-render", list.root.find("items")->pos(),
               "nothing to render: all items are local configuration")
        .expected("manifests in the items, or a directory in \"repo\"")
        .hint(
            "a generator needs \"repo: DIR\" in its spec; a transformer is listed "
            "under \"transformers\", with resources");
}

void apply_config(FunctionConfig& config, repo::LoadOptions& options, ResourceList& list) {
    const auto fill = [](std::string& option, std::string& configured) {
        if (option.empty()) {
            option = std::move(configured);
        }
    };
    fill(options.path, config.repo);
    if (options.path.empty()) {
        options.stream.emplace();  // the items are rendered
    }
    fill(options.cluster, config.cluster);
    fill(options.default_namespace, config.ns);
    fill(options.kubernetes_version, config.kubernetes_version);
    options.validate = options.validate || config.validate;
    options.context_dirs.insert(options.context_dirs.begin(), config.context_dirs.begin(),
                                config.context_dirs.end());
    list.output =
        repo::normal_path(config.output.empty() ? std::string(kDefaultOutput) : config.output);
}

// Refuses an output that is not a separate directory in the package.
void check_output(const ResourceList& list, Diagnostics& diagnostics) {
    if (list.output.empty() || list.output == "." || list.output.starts_with("..") ||
        list.output.starts_with('/')) {
        diagnostics
            .error("invalid-output", list.root.find("functionConfig")->pos(),
                   "\"output\" must be a separate directory in the package")
            .found(fmt::format("\"{}\"", list.output))
            .expected(fmt::format("output: {}", kDefaultOutput));
    }
}

}  // namespace

std::string_view item_path(const Value& item) {
    const std::string_view path = annotation_of(item, kPathAnnotation);
    return path.empty() ? annotation_of(item, kLegacyPathAnnotation) : path;
}

std::string_view item_index(const Value& item) {
    const std::string_view index = annotation_of(item, kIndexAnnotation);
    return index.empty() ? annotation_of(item, kLegacyIndexAnnotation) : index;
}

std::vector<Value> read_resource_list(const repo::SourceTree& tree, repo::LoadOptions& options,
                                      Loaded& loaded, Diagnostics& diagnostics) {
    const std::string text = std::move(*options.stream);
    options.stream.reset();
    SourceMap scratch;
    Value root = parse(text, scratch, diagnostics);
    if (diagnostics.has_errors() || !check_envelope(root, scratch, diagnostics)) {
        loaded.sources.add(std::string(kStdin), text);
        return {};
    }
    std::optional<Layout> layout = lay_out(scratch, root);
    if (!layout || !stands_alone(*layout, root)) {  // JSON, flow style, anchors
        std::string canonical;
        write_yaml(root, canonical);
        SourceMap again;
        root = parse(std::move(canonical), again, diagnostics);
        layout = lay_out(again, root);
        CHECK(layout.has_value());
    }
    // Positions are the same as in the parsed text: it is the first source, and has the same
    // length.
    ResourceList& list = loaded.resource_list.emplace();
    list.source = loaded.sources.add(std::string(kStdin), std::move(layout->text));
    list.root = std::move(root);
    list.items = std::move(layout->items);
    list.dash_column = layout->dash_column;
    name_parts(list, loaded.sources);
    const Value* config = list.root.find("functionConfig");
    FunctionConfig read = read_function_config(tree, config == nullptr ? Value() : config->clone(),
                                               loaded.sources, diagnostics);
    apply_config(read, options, list);
    check_output(list, diagnostics);
    classify_items(list);
    refuse_nothing(list, options, diagnostics);
    return std::move(read.layers);
}

std::vector<RawDocument> input_items(const ResourceList& list) {
    std::vector<RawDocument> parts;
    for (const ListItem& item : list.items) {
        if (!item.is_ours) {
            parts.push_back(item.range);
        }
    }
    return parts;
}

void mark_local_items(Loaded& loaded) {
    const std::vector<ListItem>& items = loaded.resource_list->items;
    for (Document& document : loaded.documents) {
        const auto behind = std::ranges::upper_bound(
            items, document.range.begin, {}, [](const ListItem& item) { return item.range.begin; });
        document.reachable = !std::prev(behind)->is_local;
    }
}

}  // namespace renderer::load
