#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "renderer/core/text_of.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/fleet/fleet_subdirectory.h"
#include "renderer/engines/helm/operator_dependency.h"
#include "renderer/engines/kustomize/exposing_patches.h"
#include "renderer/engines/kustomize/unbuilt_exposures.h"
#include "renderer/engines/select/select.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// Fleet accepts no other name.
constexpr std::string_view kKustomizationFile = "kustomization.yaml";

class FleetSelection {
public:
    FleetSelection(const SelectContext& context, const FleetFile& fleet, const DirList& dirs)
        : context_(context),
          out_(context.build.selection),
          diagnostics_(context.build.diagnostics),
          fleet_(fleet),
          dirs_(dirs),
          root_(*dirs.front()),
          kustomize_dir_(repo::normal_path(repo::join_path(root_.path, fleet.kustomize_dir()))) {}

    void run() {
        files_ = bundle_files(context_.build.tree, dirs_);
        const bool is_chart = fleet_.has_chart() || root_.has_chart;
        const bool is_ours =
            fleet_.has_chart() && fleet_.is_operator_chart() &&
            operator_dependencies(context_.build.tree, context_.root, chart_dir()).empty();
        Bundle bundle = make_bundle(fleet_, root_.relative, context_.options.default_namespace,
                                    (!is_chart || is_ours) && !fleet_.is_left_alone);
        bundle.operator_chart = is_ours;
        if (is_chart && bundle.chart.empty()) {
            bundle.chart = repo::join_path(root_.relative, "Chart.yaml");
        }
        rule_ = {.forced = bundle.forced_namespace,
                 .fallback = bundle.default_namespace,
                 .forced_pos = bundle.forced_namespace_pos};
        warn_unnamed();
        index_ = static_cast<std::uint32_t>(out_.bundles.size());
        if (fleet_.has_chart() && !root_.has_chart && is_mistyped_operator_chart(bundle.chart)) {
            refuse_mistyped_chart(bundle.chart, bundle.chart_pos, diagnostics_);
        }
        if (!bundle.rendered) {
            for (const Value* options : fleet_.options()) {
                find_not_copied(*options, bundle.not_copied);
            }
            add_chart(bundle);
            out_.bundles.push_back(std::move(bundle));
            copy_files();
            warn_of_build_that_is_copied();
            refuse_patches_of_chart(out_.bundles.back().chart);
            return;
        }
        out_.bundles.push_back(std::move(bundle));
        warn_image_scans();
        warn_of_directory();
        if (is_ours) {
            take_operator();
        }
        const std::size_t errors = diagnostics_.error_count();
        const bool is_kustomized = has_kustomization();
        if (is_kustomized) {
            run_kustomization();
        }
        if (is_kustomized || is_ours || diagnostics_.error_count() != errors) {
            add_unreached();
        } else {
            add_raw();
        }
        if (is_ours) {
            find_oauth_below();
        }
    }

private:
    void warn_unnamed() {
        if (!repo::text_of(fleet_.root, "name").empty() || context_.options.output_dir.empty()) {
            return;
        }
        diagnostics_
            .warning("unnamed-bundle", fleet_.pos,
                     "this bundle has no name, so Fleet derives one from the GitRepo's name and "
                     "the path")
            .found(fmt::format("\"{}\" is written instead", bundle_slug(root_.relative)))
            .hint(
                "set \"name\" to the bundle's current name; a renamed bundle is deleted and "
                "installed again");
    }

    void warn_image_scans() {
        const auto scans = repo::list_of(fleet_.root, "imageScans");
        if (scans.empty() || context_.options.output_dir.empty()) {
            return;
        }
        diagnostics_
            .warning("fleet-image-scans", scans.front().pos(),
                     "Fleet writes image tags into the tree that it deploys, and each render "
                     "overwrites that tree")
            .found("imageScans, left out of the rendered fleet.yaml")
            .hint("use a tool that writes new tags into the sources");
    }

    InputFile input(const BundleFile& file) {
        return {.path = file.path(),
                .bundle_path = file.relative,
                .bundle = index_,
                .rule = out_.add_rule(rule_)};
    }

    // Finds paths outside of the bundle, which Fleet reads from the repository.
    void find_not_copied(const Value& options, std::vector<NamedPath>& found) const {
        const auto check = [&](const Value& path) {
            if (!is_in_bundle(repo::normal_path(text_of(path)))) {
                found.push_back({path.pos(), std::string(text_of(path))});
            }
        };
        std::ranges::for_each(items_of(options.at({"helm", "valuesFiles"})), check);
        if (const Value* chart = options.at({"helm", "chart"});
            chart != nullptr && is_local_chart(text_of(*chart))) {
            check(*chart);
        }
        if (const Value* dir = options.at({"kustomize", "dir"})) {
            check(*dir);
        }
    }

    [[nodiscard]] bool is_in_bundle(const std::string& path) const {
        return path == "." || std::ranges::any_of(files_, [&](const BundleFile& file) {
                   return repo::is_within(file.relative, path);
               });
    }

    [[nodiscard]] bool is_local_chart(std::string_view chart) const {
        return chart.starts_with('.') ||
               (!chart.empty() && context_.build.tree.kind(repo::join_path(root_.path, chart)) !=
                                      repo::EntryKind::Missing);
    }

    void copy_files() {
        for (const BundleFile& file : files_) {
            InputFile& copy = out_.files.emplace_back(input(file));
            copy.copied_whole = true;
            copy.left_alone = fleet_.is_left_alone;
        }
    }

    void take_operator() {
        if (out_.operator_bundle) {
            const Bundle& first = out_.bundles[*out_.operator_bundle];
            diagnostics_
                .error("second-operator", out_.bundles[index_].chart_pos,
                       "two bundles install the operator's chart")
                .hint("keep one of the bundles, or select bundles in .tailrender.yaml")
                .note({.pos = first.chart_pos, .text = "the first bundle installs it here"});
            return;
        }
        out_.operator_bundle = index_;
        add_chart_values(context_.build.tree, fleet_, context_.cluster, root_.path,
                         context_.build.sources, out_.values, out_.values_from, diagnostics_);
    }

    // Returns the directory of the chart, if the chart is in the tree.
    [[nodiscard]] std::string chart_dir() const {
        return repo::normal_path(repo::join_path(root_.path, fleet_.helm_text("chart")));
    }

    // Adds a chart in the tree, because it may depend on the operator's chart.
    void add_chart(const Bundle& bundle) {
        if (fleet_.has_chart() ? !is_local_chart(fleet_.helm_text("chart")) : !root_.has_chart) {
            return;
        }
        const std::string dir = chart_dir();
        ChartRelease& release = out_.in_fleet.emplace_back();
        release.pos = fleet_.pos;
        release.object = repo::join_path(root_.path, root_.fleet_files.front());
        release.chart = release.dir = release.files_dir = dir;
        release.ns =
            bundle.forced_namespace.empty() ? bundle.default_namespace : bundle.forced_namespace;
        Diagnostics discarded;  // Fleet reports these errors
        add_chart_values(context_.build.tree, fleet_, context_.cluster, root_.path,
                         context_.build.sources, release.values, release.values_from, discarded);
    }

    // Returns kustomize.dir, or nullptr if it is not set.
    [[nodiscard]] const Value* explicit_dir() const {
        return fleet_.merged.at({"kustomize", "dir"});
    }

    // True if the directory has a kustomization. Fleet runs kustomize only on a file of exactly
    // that name, and silently ignores other names.
    bool has_kustomization() {
        const std::string path = repo::join_path(kustomize_dir_, kKustomizationFile);
        if (context_.build.tree.kind(path) == repo::EntryKind::File) {
            return true;
        }
        const Value* dir = explicit_dir();
        const bool other_name = context_.build.reader.find(kustomize_dir_) != nullptr;
        if (!text_of(dir).empty() || other_name) {
            diagnostics_
                .error("fleet-kustomization", dir != nullptr ? dir->pos() : fleet_.pos,
                       fmt::format("Fleet finds no {} in \"{}\" and does not run kustomize",
                                   kKustomizationFile, kustomize_dir_))
                .expected(fmt::format("a file \"{}\"", path))
                .hint(other_name ? "rename the file" : "fix kustomize.dir");
        }
        return false;
    }

    void run_kustomization() {
        const BuildRequest request{.dir = kustomize_dir_,
                                   .boundary = root_.path,
                                   .bundle_dir = root_.path,
                                   .bundle = index_,
                                   .rule = rule_};
        const std::size_t first = out_.files.size();
        for (std::string& dir : run_build(context_.build, request)) {
            visited_.insert(std::move(dir));
        }
        for (std::size_t i = first; i < out_.files.size(); ++i) {
            listed_.insert(out_.files[i].path);
        }
        check_operator_namespace();
        if (visited_.contains(root_.path)) {
            warn_of_subdirectories(context_.build.tree, *context_.build.reader.find(root_.path),
                                   diagnostics_);
        }
    }

    // Warns only of subdirectories, because the kustomization is copied and not executed here.
    void warn_of_build_that_is_copied() {
        if (kustomize_dir_ != root_.path) {
            return;
        }
        KustomizationReader reader(context_.build.tree, context_.build.sources);
        if (const Kustomization* file = reader.find(kustomize_dir_)) {
            warn_of_subdirectories(context_.build.tree, *file, diagnostics_);
        }
    }

    // Refuses patches of the chart's objects: Fleet applies the kustomization to the chart's
    // output, and tailrender does not execute it.
    void refuse_patches_of_chart(const std::string& chart) {
        KustomizationReader reader(context_.build.tree, context_.build.sources);
        PatchesOfBuild found = patches_of_build({.tree = context_.build.tree,
                                                 .reader = reader,
                                                 .places = reader,
                                                 .changes = nullptr,
                                                 .dir = kustomize_dir_},
                                                context_.build.sources);
        for (UnbuiltExposure& one : found.unbuilt) {
            found.applied.push_back(std::move(one.patch));
        }
        for (const ExposingPatch& patch : found.applied) {
            refuse_exposure(patch, diagnostics_)
                .expected(fmt::format(
                    "no patch in this bundle: it has chart {}, and is copied as it is", chart))
                .hint("write the Service or the Ingress yourself, in a bundle without a chart");
        }
    }

    // Fleet accepts only "." and no kustomize.dir for the bundle's own directory.
    void warn_of_directory() {
        const std::string_view text = text_of(explicit_dir());
        if (!text.empty() && text != "." && fleet_.kustomize_dir() == ".") {
            diagnostics_
                .warning("fleet-kustomize-dir", explicit_dir()->pos(),
                         "Fleet fails: there is no kustomization in that directory")
                .found(fmt::format("\"{}\"", text))
                .expected("\".\", or no kustomize.dir at all");
        }
    }

    // Refuses an overlay whose `namespace` would also move the objects of the operator's chart.
    void check_operator_namespace() {
        const Bundle& bundle = out_.bundles[index_];
        const Kustomization* file = context_.build.reader.find(kustomize_dir_);
        if (!bundle.operator_chart || file == nullptr) {
            return;
        }
        const std::string& ns =
            bundle.forced_namespace.empty() ? bundle.default_namespace : bundle.forced_namespace;
        const std::string_view overwrite = repo::text_of(file->root, "namespace");
        if (!overwrite.empty() && overwrite != ns) {
            diagnostics_
                .error("not-supported", file->root.find("namespace")->pos(),
                       "this overlay moves the operator's chart to another namespace")
                .found(fmt::format("namespace \"{}\"", overwrite))
                .expected(ns.empty() ? "no namespace, and defaultNamespace in fleet.yaml"
                                     : fmt::format("\"{}\", as in fleet.yaml", ns))
                .hint("set defaultNamespace in fleet.yaml instead");
        }
    }

    [[nodiscard]] bool is_config(const BundleFile& file) const {
        return file.dir == &root_ &&
               std::ranges::find(root_.fleet_files, file.name) != root_.fleet_files.end();
    }

    // Adds files that Fleet does not apply. They may hold facts, so they are read, but their errors
    // are ignored.
    void add_unreached() {
        for (const BundleFile& file : files_) {
            if (repo::is_manifest_name(file.name) && !file.dir->in_chart && !is_config(file) &&
                !is_kustomization(file) && !listed_.contains(file.path())) {
                add_unreached(file);
            }
        }
    }

    void add_unreached(const BundleFile& file) {
        InputFile& unreached = out_.files.emplace_back(input(file));
        unreached.reachable = false;
        unreached.lenient = true;
    }

    static bool is_kustomization(const BundleFile& file) {
        return std::ranges::find(file.dir->kustomizations, file.name) !=
               file.dir->kustomizations.end();
    }

    void add_raw() {
        refuse_overlays();
        for (const BundleFile& file : files_) {
            if (!repo::is_manifest_name(file.name) || is_config(file) ||
                fleet_.is_values_file(file.relative)) {
                continue;
            }
            if (file.dir->in_chart) {
                ++out_.skipped_files;
            } else if (file.relative.starts_with("overlays/")) {
                if (!is_kustomization(file)) {
                    add_unreached(file);
                }
            } else if (is_kustomization(file)) {
                refuse_kustomization(file);
            } else {
                refuse_template(file);
                out_.files.push_back(input(file));
            }
        }
    }

    void refuse_overlays() {
        if (const auto overlays = items_of(fleet_.merged.at({"yaml", "overlays"}));
            !overlays.empty()) {
            diagnostics_
                .error("not-supported", overlays.front().pos(),
                       "\"yaml.overlays\" is not supported by tailrender")
                .expected("a kustomization")
                .hint("write the overlay as a kustomization and set kustomize.dir to it");
        }
    }

    void refuse_kustomization(const BundleFile& file) {
        diagnostics_
            .error("fleet-kustomization", {},
                   "Fleet does not build this kustomization, but applies every manifest of the "
                   "bundle")
            .where(file.path())
            .expected("kustomize.dir in fleet.yaml")
            .hint("set kustomize.dir to the directory, or exclude it in .fleetignore");
    }

    // Refuses templates: Helm renders `templates/` of a bundle even without a chart.
    void refuse_template(const BundleFile& file) {
        if (!file.relative.starts_with("templates/")) {
            return;
        }
        const Result<std::string> text = context_.build.tree.read(file.path());
        if (text && text->find("{{") != std::string::npos) {
            diagnostics_
                .error("not-supported", {},
                       "Fleet renders \"templates/\" with Helm, tailrender does not")
                .where(file.path())
                .found("a template in a bundle without a chart")
                .hint("add a Chart.yaml, or move the file out of \"templates/\"");
        }
    }

    // Looks for the OAuth env file in other kustomizations: it is often listed in a bootstrap
    // directory that Fleet does not apply.
    void find_oauth_below() {
        KustomizationReader reader(context_.build.tree, context_.build.sources);
        for (const repo::WalkedDir* dir : dirs_) {
            if (dir->kustomizations.empty() || visited_.contains(dir->path) ||
                (!text_of(explicit_dir()).empty() && !repo::is_within(dir->path, kustomize_dir_))) {
                continue;
            }
            if (const Kustomization* file = reader.find(dir->path)) {
                find_oauth(context_.build, *file);
            }
        }
    }

    const SelectContext& context_;
    Selection& out_;
    Diagnostics& diagnostics_;
    const FleetFile& fleet_;
    const DirList& dirs_;
    const repo::WalkedDir& root_;
    std::string kustomize_dir_;
    std::uint32_t index_ = 0;
    NamespaceRule rule_;
    std::vector<BundleFile> files_;
    std::set<std::string> visited_, listed_;
};

}  // namespace

void select_fleet(const SelectContext& context, const FleetFile& fleet, const DirList& dirs) {
    FleetSelection(context, fleet, dirs).run();
}

}  // namespace renderer::engines
