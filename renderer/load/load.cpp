// The order of loading on one page. Modes differ only in the source of the documents.
#include "renderer/load/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/base/white_space.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/engines/engines.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/engines/helm/values_files.h"
#include "renderer/engines/includes.h"
#include "renderer/load/applied_twice.h"
#include "renderer/load/binding_subjects.h"
#include "renderer/load/documents.h"
#include "renderer/load/encrypted_inputs.h"
#include "renderer/load/hidden_exposures.h"
#include "renderer/load/judge_unread_values.h"
#include "renderer/load/kept_documents.h"
#include "renderer/load/krm/resource_list.h"
#include "renderer/load/last_scalar.h"
#include "renderer/load/lock_file.h"
#include "renderer/load/name_references.h"
#include "renderer/load/namespaces.h"
#include "renderer/load/operator_release.h"
#include "renderer/load/other_languages.h"
#include "renderer/load/render_charts.h"
#include "renderer/load/repeated_ids.h"
#include "renderer/load/resource_sets.h"
#include "renderer/load/splice.h"
#include "renderer/load/unread_settings.h"
#include "renderer/load/unset_variables.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/fetch/chart_fetcher.h"
#include "renderer/repo/paths.h"

namespace renderer::load {

namespace {

// Adds the documents of a --context directory as facts: they are neither applied nor written.
void add_context(const repo::SourceTree& tree, const std::string& dir,
                 const engines::Cluster& cluster, engines::Selection& selection, SourceMap& sources,
                 Diagnostics& diagnostics) {
    const engines::Cluster all{
        .name = cluster.name, .configured = cluster.configured, .labels = cluster.labels};
    engines::Selection context = engines::select_inputs(tree, repo::normal_path(dir), {}, all,
                                                        nullptr, sources, diagnostics);
    for (engines::InputFile& file : context.files) {
        if (!file.reachable || file.copied_whole) {
            continue;
        }
        engines::NamespaceRule rule = context.rules[file.rule];
        rule.edits = false;
        file.bundle = 0;
        file.bundle_path = file.path;
        file.build = kNone;
        file.rule = selection.add_rule(rule);
        file.reachable = false;
        selection.files.push_back(std::move(file));
    }
}

void sort_files(std::vector<engines::InputFile>& files) {
    std::ranges::stable_sort(files, {}, [](const engines::InputFile& file) {
        return std::tie(file.bundle, file.bundle_path, file.path);
    });
}

// Drops a file that is both an input and a fact, or part of builds that write it to the same path.
void drop_repeated(std::vector<engines::InputFile>& files) {
    std::ranges::stable_sort(files, {}, [](const engines::InputFile& file) {
        return std::tuple(std::string_view(file.path), !file.reachable,
                          std::string_view(file.bundle_path));
    });
    const auto same = [](const engines::InputFile& a, const engines::InputFile& b) {
        return a.path == b.path && (!b.reachable || a.bundle_path == b.bundle_path);
    };
    files.erase(std::unique(files.begin(), files.end(), same), files.end());
}

// A copied bundle keeps its fleet.yaml, but its default name depends on its directory, which
// changes. So the name is written into the file.
void pin_names(Loaded& loaded, Diagnostics& diagnostics) {
    for (const SourceFile& file : loaded.files) {
        const engines::Bundle& bundle = loaded.bundles[file.bundle];
        if (!file.copied_whole || (file.path != "fleet.yaml" && file.path != "fleet.yml")) {
            continue;
        }
        const Value root = read_yaml(loaded.sources, file.source, diagnostics);
        const bool is_config = root.is_map() && root.find("apiVersion") == nullptr;
        if (is_config && root.find("name") == nullptr) {
            const RawDocument whole{0, loaded.sources.text(file.source).size()};
            if (std::optional<Edit> edit = insert_member({loaded.sources, file.source, whole, root},
                                                         root, "name", bundle.name)) {
                edit->reason = fmt::format("name of bundle {}", bundle.name);
                loaded.edits.push_back(std::move(*edit));
            }
        }
    }
}

// True if any text that was read has `${NAME}`, `${NAME:=x}` or `${#NAME}`.
bool is_used(std::string_view name, const SourceMap& sources) {
    for (std::size_t i = 0; i < sources.count(); ++i) {
        const std::string_view text = sources.text(static_cast<SourceId>(i));
        for (std::size_t at = text.find(name); at != std::string_view::npos;
             at = text.find(name, at + 1)) {
            const std::string_view before = text.substr(0, at);
            const std::string_view after = text.substr(at + name.size());
            if ((before.ends_with("${") || before.ends_with("${#")) &&
                (after.empty() || !engines::is_variable_name(after.substr(0, 1)))) {
                return true;
            }
        }
    }
    return false;
}

void warn_unused_substitutes(const repo::LoadOptions& options, const Loaded& loaded,
                             Diagnostics& diagnostics) {
    for (std::string_view text : options.substitutes) {
        const std::string_view name = take(text, '=');
        if (!is_used(name, loaded.sources)) {
            diagnostics
                .warning("unused-substitute", {},
                         fmt::format("\"${{{}}}\" is not used in what is rendered", name))
                .where("--substitute")
                .hint("remove it, or correct the name");
        }
    }
}

// Notes the submodules of the tree that are not checked out: their directories are empty. Source:
// git-scm.com/docs/gitmodules.
void note_submodules(const repo::SourceTree& tree, Loaded& loaded) {
    const Result<std::string> text = tree.read(repo::join_path(loaded.root, ".gitmodules"));
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    while (!rest.empty()) {
        std::string_view value = take(rest, '\n');
        const std::string_view key = trim(take(value, '='));
        const std::string path = repo::normal_path(std::string(trim(value)));
        if (key == "path" && !repo::has_files(tree, repo::join_path(loaded.root, path))) {
            loaded.standings.unreadable.emplace(path, "the submodule is not checked out");
        }
    }
}

void load_files(const std::shared_ptr<const engines::LocalSources>& local,
                const repo::LoadOptions& options, const engines::Cluster& cluster, Loaded& loaded,
                Diagnostics& diagnostics) {
    const repo::SourceTree& tree = local->tree();
    engines::Selection selection =
        engines::select_inputs(tree, repo::normal_path(options.path), options, cluster, local,
                               loaded.sources, diagnostics);
    for (const std::string& dir : options.context_dirs) {
        add_context(tree, dir, cluster, selection, loaded.sources, diagnostics);
    }
    loaded.root = repo::normal_path(options.path);
    drop_repeated(selection.files);
    sort_files(selection.files);
    loaded.bundles = std::move(selection.bundles);
    loaded.operator_bundle = selection.operator_bundle;
    loaded.oauth_env = std::move(selection.oauth_env);
    loaded.generated_inputs = std::move(selection.generated);
    loaded.values = std::move(selection.values);
    loaded.skipped_files = selection.skipped_files;
    loaded.left_alone = std::move(selection.left_alone);
    diagnostics.append(std::move(selection.unlisted));
    loaded.kustomize_version = std::move(selection.kustomize_version);
    loaded.standings = std::move(selection.standings);
    note_submodules(tree, loaded);
    const std::vector<std::uint32_t> file_of =
        read_documents(tree, selection.files, options, loaded, diagnostics);
    apply_namespaces(selection.files, file_of, selection.rules, loaded, diagnostics);
    mark_kept(selection.files, file_of, options.skip_suspended, loaded, diagnostics);
    if (selection.has_units) {
        note_repeated_ids(selection, file_of, loaded);
        drop_applied_twice(selection.files, file_of, loaded);
        note_units(selection.files, file_of, loaded);
    }
    for (const auto& [unit, why] : selection.unbuilt) {
        loaded.standings.all.push_back({.name = unit.first,
                                        .liveness = engines::Liveness::Broken,
                                        .reason = why,
                                        .cluster = unit.second});
    }
    // Only objects of the unbuilt part may be lost: no unit can have any others.
    for (const auto& [file, part] : selection.unbuilt_parts) {
        loaded.standings.all.push_back(
            {file, engines::Liveness::Absent, fmt::format("{} is not built", part), true});
    }
    loaded.standings.remotes = std::move(selection.remotes);
    loaded.standings.unfetched = std::move(selection.unfetched);
    follow_accounts(selection.files, file_of, selection, loaded, diagnostics);
    rewrite_references(selection.files, file_of, selection, loaded, diagnostics);
    strip_last_scalars(selection.files, file_of, loaded);
    pin_names(loaded, diagnostics);
    check_edits(loaded.sources, loaded.edits, diagnostics);
    // This comes last because `file_of` does not cover the sources that it adds.
    add_resource_sets(tree, selection, file_of, options, loaded, diagnostics);
    const InstalledOperators operators =
        find_operator_release(tree, selection, options, loaded, diagnostics);
    note_unread_settings(tree, selection, operators, loaded);
    RenderedCharts charts = render_charts(tree, selection, operators, options, loaded, diagnostics);
    // A file of --values has settings, not values of a chart.
    std::erase_if(selection.chart_files, [&](const engines::ChartFile& file) {
        return std::ranges::any_of(options.values_files, [&](const std::string& path) {
            return repo::normal_path(path) == repo::normal_path(file.path);
        });
    });
    warn_hidden_exposures(tree,
                          {.files = std::move(selection.chart_files),
                           .patches = std::move(selection.patches),
                           .rendered = std::move(charts),
                           .root = options.path,
                           .has_operator = operators.is_any,
                           .words = options.input_words},
                          options.threads, loaded, diagnostics);
    warn_unused_substitutes(options, loaded, diagnostics);
    std::ranges::move(selection.exposing_programs, std::back_inserter(selection.other_languages));
    std::ranges::sort(selection.other_languages);
    warn_other_languages(std::move(selection.other_languages), loaded, diagnostics);
    refuse_encrypted_inputs(loaded, diagnostics);
    report_variable_faults(selection.files, file_of, loaded, diagnostics);
    note_undecided(loaded);
    if (!options.lints) {
        warn_unset_variables(selection.files, file_of, loaded, diagnostics);
    }
    if (!diagnostics.has_errors()) {
        local->warn_unused(diagnostics);
    }
}

// Nothing else gives these documents their namespace, unlike helm for a stream.
void load_items(const repo::LoadOptions& options, Loaded& loaded, Diagnostics& diagnostics) {
    loaded.keeps_custom_resources = loaded.resource_list->is_package;
    read_parts(loaded.resource_list->source, input_items(*loaded.resource_list), options.threads,
               loaded, diagnostics);
    mark_local_items(loaded);
    apply_namespaces({.fallback = options.default_namespace}, loaded, diagnostics);
    check_edits(loaded.sources, loaded.edits, diagnostics);
}

void load_stream(const repo::SourceTree& tree, repo::LoadOptions& options,
                 const engines::Cluster& cluster, Loaded& loaded, Diagnostics& diagnostics) {
    loaded.is_stream = true;
    loaded.bundles.emplace_back().default_namespace = options.default_namespace;
    if (loaded.resource_list) {
        load_items(options, loaded, diagnostics);
    } else {
        loaded.keeps_custom_resources = true;
        read_stream(std::move(*options.stream), options.threads, loaded, diagnostics);
        Diagnostics ignored;  // nothing is edited (Helm does that), so nothing can fail
        apply_namespaces({.fallback = options.default_namespace, .edits = false}, loaded, ignored);
    }
    find_operator_release(tree, {}, options, loaded, diagnostics);
    warn_hidden_exposures(tree, {}, options.threads, loaded, diagnostics);
    if (options.context_dirs.empty()) {
        return;
    }
    engines::Selection selection;
    for (const std::string& dir : options.context_dirs) {
        add_context(tree, dir, cluster, selection, loaded.sources, diagnostics);
    }
    const std::vector<std::uint32_t> file_of =
        read_documents(tree, selection.files, options, loaded, diagnostics);
    apply_namespaces(selection.files, file_of, selection.rules, loaded, diagnostics);
}

}  // namespace

Loaded load_tree(const repo::SourceTree& tree, repo::LoadOptions options,
                 Diagnostics& diagnostics) {
    Loaded loaded;
    std::vector<Value> layers;
    if (options.resource_list) {
        layers = read_resource_list(tree, options, loaded, diagnostics);
        if (diagnostics.has_errors()) {
            return loaded;
        }
    }
    engines::Cluster cluster = engines::load_cluster(tree, options, loaded.sources, diagnostics);
    if (diagnostics.has_errors()) {
        return loaded;  // the result depends on the cluster
    }
    if (options.fetcher != nullptr) {
        options.fetcher = options.fetcher->for_another_load();
    }
    engines::give_facts(cluster, options);
    const auto local =
        std::make_shared<const engines::LocalSources>(tree, options, cluster, diagnostics);
    loaded.only_generated = options.only_generated;
    loaded.lints = options.lints;
    loaded.fixes_sources = options.fixes_sources;
    loaded.cluster = cluster.name;
    loaded.cluster_level = cluster.configured;
    loaded.policy_file = cluster.policy_file;
    loaded.kubernetes_version = options.kubernetes_version.empty()
                                    ? std::move(cluster.kubernetes_version)
                                    : Value(options.kubernetes_version);
    options.kubernetes_version = spelling_of(loaded.kubernetes_version);
    load_lock(tree, options, loaded, diagnostics);
    if (options.install) {
        engines::Bundle& bundle = loaded.bundles.emplace_back();
        bundle.default_namespace = options.default_namespace;
        bundle.operator_chart = true;
        bundle.chart = "tailscale-operator";
        loaded.operator_bundle = 0;
    } else if (options.stream) {
        load_stream(tree, options, cluster, loaded, diagnostics);
    } else {
        load_files(local, options, cluster, loaded, diagnostics);
    }
    if (options.fetcher != nullptr) {
        loaded.fetched_charts = options.fetcher->fetched();
    }
    const std::size_t given = loaded.values.size();
    std::ranges::move(cluster.layers, std::back_inserter(loaded.values));
    std::ranges::move(layers, std::back_inserter(loaded.values));
    for (const std::string& path : options.values_files) {
        engines::add_values_file(tree, path, {}, loaded.sources, loaded.values, diagnostics);
    }
    engines::add_sets(options.sets, loaded.sources, loaded.values, diagnostics);
    judge_unread_values(given, loaded);
    return loaded;
}

Loaded load(repo::LoadOptions options, Diagnostics& diagnostics) {
    const std::shared_ptr<const repo::SourceTree> tree = repo::source_tree(options);
    return load_tree(*tree, std::move(options), diagnostics);
}

std::vector<std::string> cluster_names(const repo::LoadOptions& options) {
    return engines::cluster_names(*repo::source_tree(options), options);
}

}  // namespace renderer::load
