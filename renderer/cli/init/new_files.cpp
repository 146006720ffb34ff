#include "renderer/cli/init/new_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/cli/schemas.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/plan/release.h"
#include "renderer/repo/config_file.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::cli {
namespace {

constexpr std::string_view kFolder = "tailscale";
constexpr std::string_view kSchemas = ".tailrender";
constexpr std::string_view kImages =
    R"(# Put in your registry: no public one has these images. Without proxyImage, proxies run Tailscale's own image.
image: {repository: registry.example.com/tailrender-runtime}
# proxyImage: {repository: registry.example.com/tailrender-proxy}
)";
constexpr std::string_view kCredential =
    "kubectl create secret generic operator-oauth -n tailscale --from-literal=client_id=... "
    "--from-literal=client_secret=...";

std::string indented(std::string_view text, std::size_t columns) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n') + 1;
        out.append(columns, ' ').append(text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

std::string settings(std::size_t columns) {
    return indented("proxyConfig:\n  defaultTags: tag:k8s\ntailrender:\n" + indented(kImages, 2),
                    columns);
}

std::string with_comment(std::string_view comment, const Value& object) {
    std::string text = fmt::format("# {}\n", comment);
    write_yaml(object, text);
    return text;
}

class Maker {
public:
    Maker(const Repository& repository, const repo::SourceTree& tree, const std::string& top,
          const std::string& cluster)
        : found_(repository), tree_(tree), top_(top), cluster_(cluster) {}

    Additions run() {
        switch (found_.applier) {
            case Applier::Flux:
            case Applier::ArgoCd:
                add_folder();
                break;
            case Applier::Fleet:
                add_config(false);
                add_fleet_bundle();
                additions_.by_hand.push_back(
                    "let the GitRepo select rendered/CLUSTER, and nothing else");
                end_with_tree();
                break;
            case Applier::Kubectl:
                add_config(true);
                end_with_tree();
                additions_.commands.insert(
                    additions_.commands.begin(),
                    "tailrender install --set "
                    "tailrender.image.repository=registry.example.com/tailrender-runtime | "
                    "kubectl apply -f -");
                additions_.commands.back() += " && kubectl apply -k rendered/home";
                break;
        }
        return std::move(additions_);
    }

private:
    [[nodiscard]] bool exists(const std::string& path) const {
        return tree_.kind(repo::join_path(top_, path)) != repo::EntryKind::Missing;
    }

    [[nodiscard]] std::string below_top(const std::string& path) const {
        const std::string relative = repo::relative_path(path, repo::normal_path(top_));
        return relative.empty() ? "." : relative;
    }

    // A cluster of the tree is named from its top, wherever init runs.
    [[nodiscard]] std::string cluster_argument() const {
        std::string path = repo::normal_path(cluster_);
        const bool is_known = std::ranges::find(found_.clusters, path) != found_.clusters.end();
        return is_known ? path : below_top(cluster_);
    }

    void add(const std::string& path, std::string text) {
        additions_.files.push_back({.path = path, .text = std::move(text)});
    }

    // Adds the schema, and returns the line by which editors find it. Returns "" for a file that
    // the user has, and where what applies the top would take the schema for a manifest.
    std::string modeline(std::string_view schema, const std::string& file) {
        const std::string path = fmt::format("{}/{}.schema.json", kSchemas, schema);
        const bool is_applied =
            !found_.applied_by(repo::normal_path(repo::join_path(top_, kSchemas))).empty();
        if (is_applied || (exists(file) && !exists(path))) {
            return "";
        }
        add(path, schema_text(schema));
        const auto depth = static_cast<std::size_t>(std::ranges::count(file, '/'));
        std::string up;
        for (std::size_t i = 0; i < depth; ++i) {
            up += "../";
        }
        return fmt::format("# yaml-language-server: $schema={}{}\n", up, path);
    }

    // True if the kustomization of a directory lists the name, or if there is none.
    [[nodiscard]] bool is_listed(const std::string& dir, std::string_view name) const {
        for (const std::string_view kustomization : repo::kKustomizationNames) {
            const std::string path = repo::join_path(dir, kustomization);
            if (!exists(path)) {
                continue;
            }
            SourceMap sources;
            Diagnostics ignored;
            const repo::ConfigFile file =
                repo::read_config(tree_, repo::join_path(top_, path), {}, sources, ignored);
            const auto names = items_of(file.root.is_map() ? file.root.find("resources") : nullptr);
            return std::ranges::any_of(
                names, [&](const Value& one) { return repo::normal_path(text_of(one)) == name; });
        }
        return true;
    }

    void add_folder() {
        const bool is_one_of_many = found_.applier == Applier::Flux && found_.clusters.size() > 1;
        const std::string folder =
            is_one_of_many
                ? fmt::format("{}/{}", kFolder, repo::base_name(repo::normal_path(cluster_)))
                : std::string(kFolder);
        const std::string values = folder + "/values.yaml";
        add(values,
            modeline(kValuesSchema, values) +
                "# Settings of the controller and of all proxies; keys of the operator's chart, "
                "and `tailrender`.\n" +
                settings(0));
        add(folder + "/kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"
            "- controller.yaml\n- rendered\n");
        for (const std::string_view name : {"controller.yaml", "rendered"}) {
            if (!is_listed(folder, name)) {
                additions_.by_hand.push_back(
                    fmt::format("add {} to the resources of {}/kustomization.yaml", name, folder));
            }
        }
        add_object(folder);
        const std::string arguments = fmt::format(
            "--only generated {}--values {}",
            is_one_of_many ? fmt::format("--cluster {} ", cluster_argument()) : "", values);
        additions_.render = arguments;
        additions_.check = fmt::format("{} -o {}/rendered", arguments, folder);
        additions_.commands = {
            fmt::format("tailrender install --values {} > {}/controller.yaml", values, folder),
            fmt::format("tailrender render . {}", additions_.check), std::string(kCredential)};
    }

    // Adds the object that applies the folder, unless one does.
    void add_object(const std::string& folder) {
        const std::string dir = below_top(found_.objects_dir);
        const std::string path = repo::join_path(dir, "tailscale.yaml");
        if (!exists(path) &&
            !found_.applied_by(repo::normal_path(repo::join_path(top_, folder))).empty()) {
            return;
        }
        add(path, with_comment(
                      "The one object that tailrender needs. It prunes, since a device stays "
                      "reachable otherwise after its source was deleted.",
                      found_.applier == Applier::Flux ? flux_object(folder) : application(folder)));
        if (!is_listed(dir, "tailscale.yaml")) {
            additions_.by_hand.push_back(
                fmt::format("add tailscale.yaml to the resources of the kustomization in {}", dir));
        } else if (!found_.is_dir_applied) {
            additions_.by_hand.push_back(fmt::format(
                "kubectl apply -f {}, unless something applies {}", shell_word(path), dir));
        }
    }

    [[nodiscard]] Value flux_object(const std::string& folder) const {
        const Value* source = found_.model.at({"spec", "sourceRef"});
        const std::string_view ns = text_of(found_.model, {"metadata", "namespace"});
        return Value::map(
            {{"apiVersion", "kustomize.toolkit.fluxcd.io/v1"},
             {"kind", "Kustomization"},
             {"metadata",
              Value::map({{"name", "tailscale"}, {"namespace", ns.empty() ? "flux-system" : ns}})},
             {"spec", Value::map({{"interval", "10m"},
                                  {"path", "./" + folder},
                                  {"prune", true},
                                  {"sourceRef", source != nullptr
                                                    ? source->clone()
                                                    : Value::map({{"kind", "GitRepository"},
                                                                  {"name", "flux-system"}})}})}});
    }

    [[nodiscard]] Value application(const std::string& folder) const {
        const auto text = [&](std::initializer_list<std::string_view> path,
                              std::string_view fallback) {
            const std::string_view own = text_of(found_.model, path);
            return std::string(own.empty() ? fallback : own);
        };
        Value source =
            Value::map({{"repoURL", text({"spec", "source", "repoURL"},
                                         "https://git.example.com/acme/home.git")},
                        {"targetRevision", text({"spec", "source", "targetRevision"}, "HEAD")},
                        {"path", folder}});
        Value destination = Value::map({{"namespace", "tailscale"}});
        const std::string name = text({"spec", "destination", "name"}, "");
        if (name.empty()) {
            destination.add("server", text({"spec", "destination", "server"},
                                           "https://kubernetes.default.svc"));
        } else {
            destination.add("name", name);
        }
        return Value::map(
            {{"apiVersion", "argoproj.io/v1alpha1"},
             {"kind", "Application"},
             {"metadata", Value::map({{"name", "tailscale"},
                                      {"namespace", text({"metadata", "namespace"}, "argocd")}})},
             {"spec", Value::map({{"project", text({"spec", "project"}, "default")},
                                  {"source", std::move(source)},
                                  {"destination", std::move(destination)},
                                  {"syncPolicy",
                                   Value::map({{"automated", Value::map({{"prune", true}})},
                                               {"syncOptions",
                                                Value::list({"ServerSideApply=true"})}})}})}});
    }

    // Adds the list of clusters. `with_values`: nothing else has the settings.
    void add_config(bool with_values) {
        std::string text =
            modeline(kConfigSchema, std::string(engines::kConfigFile)) + "clusters:\n";
        for (const std::string& name :
             found_.clusters.empty() ? std::vector<std::string>{"home"} : found_.clusters) {
            Value entry = Value::map({{"name", name}});
            std::string line;
            write_yaml(entry, line);
            text += "- " + line;
            if (with_values) {
                text += "  values:\n" + settings(4);
            }
        }
        add(std::string(engines::kConfigFile), std::move(text));
    }

    void add_fleet_bundle() {
        if (!found_.operators.empty()) {
            return;  // its bundle is rendered
        }
        const std::string folder = "tailscale-operator";
        const plan::TailscaleVersion version = plan::default_release().version;
        Value helm = Value::map({{"releaseName", "tailscale-operator"},
                                 {"repo", "https://pkgs.tailscale.com/helmcharts"},
                                 {"chart", "tailscale-operator"},
                                 {"version", fmt::format("1.{}.{}", version.minor, version.patch)},
                                 {"valuesFiles", Value::list({"values.yaml"})}});
        add(folder + "/fleet.yaml",
            with_comment("Rendered as the controller: no chart is installed.",
                         Value::map({{"name", "tailscale-operator"},
                                     {"defaultNamespace", "tailscale"},
                                     {"helm", std::move(helm)}})));
        const std::string values = folder + "/values.yaml";
        add(values, modeline(kValuesSchema, values) + settings(0));
    }

    void end_with_tree() {
        additions_.check = "-o rendered";
        additions_.commands = {std::string(kCredential), "tailrender render . -o rendered"};
    }

    const Repository& found_;
    const repo::SourceTree& tree_;
    const std::string& top_;
    const std::string& cluster_;
    Additions additions_;
};

}  // namespace

Additions additions_for(const Repository& repository, const repo::SourceTree& tree,
                        const std::string& top, const std::string& cluster) {
    return Maker(repository, tree, top, cluster).run();
}

}  // namespace renderer::cli
