#include "renderer/engines/kustomize/kustomize_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/base/confinement.h"
#include "renderer/base/parallel.h"
#include "renderer/base/sandbox.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/private_copy.h"

namespace renderer {

namespace {

// Of kubectl, where the user may have set other options for `kubectl kustomize`.
constexpr const char* kNoPreferences = "KUBERC=off";
// What both programs do without options, said so that nothing else decides it.
constexpr const char* kWithoutHelm = "--enable-helm=false";
constexpr const char* kOwnFiles = "--load-restrictor=LoadRestrictionsRootOnly";
constexpr const char* kAnyFiles = "--load-restrictor=LoadRestrictionsNone";

// "v5.8.1", or in the lines of kubectl "Kustomize Version: v5.8.1".
std::string kustomize_version_in(std::string_view text) {
    constexpr std::string_view kLabel = "Kustomize Version: ";
    const std::size_t label = text.find(kLabel);
    text.remove_prefix(label == std::string_view::npos ? 0 : label + kLabel.size());
    return std::string(text.starts_with('v') ? text.substr(0, text.find('\n')) : "");
}

// Symbolic links to files stay links: kustomize looks where they lead. False: `path` cannot be
// made.
Result<bool> copy_file(const PrivateCopy& copy, const SourceTree& tree, KustomizationReader& reader,
                       const std::string& root, const std::string& path,
                       const std::set<Orphan>& orphans, std::vector<LeftOut>& left_out) {
    const std::string content = TRY(content_for_copy(tree, reader, path, orphans, left_out));
    const std::string place = relative_path(path, normal_path(root));
    const std::string real_root = tree.real_path(root);
    const std::string target = relative_path(tree.real_path(path), real_root);
    const std::string folder = relative_path(tree.real_path(parent_path(path)), real_root);
    const bool is_link = target != join_path(folder, base_name(path));
    const std::string& file = is_link ? target : place;
    return (!is_link || copy.link(place, target)) && (copy.has(file) || copy.write(file, content));
}

// The annotation that kustomize gives to what its helm made, and takes away in the end.
// Source: kustomize v5.8.1 api/konfig/general.go, api/internal/builtins/NamespaceTransformer.go.
constexpr std::string_view kMarkOfHelm =
    "apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata: {name: made-by-helm}\n"
    "annotations: {internal.config.kubernetes.io/helm-generated: \"true\"}\n"
    "fieldSpecs: [{path: metadata/annotations, create: true}]\n";

// False: it cannot be made.
Result<bool> wrap_file(const PrivateCopy& copy, const SourceTree& tree, const std::string& root,
                       const std::string& path, bool is_made_by_helm) {
    const std::string place = fmt::format("{}{}", relative_path(path, normal_path(root)), kWrapped);
    const std::string text = TRY(tree.read(path));
    Value kustomization = Value::map({{"resources", Value::list({base_name(path)})}});
    if (is_made_by_helm) {
        kustomization.put("transformers", Value::list({kMarkOfHelm}));
    }
    std::string list;
    write_yaml(kustomization, list);
    return copy.write(join_path(place, base_name(path)), text) &&
           copy.write(join_path(place, "kustomization.yaml"), list);
}

// The file that was wrapped.
std::string unwrapped(const std::string& path) {
    const std::string dir = parent_path(path);
    const bool is_wrapped = base_name(dir) == fmt::format("{}{}", base_name(path), kWrapped);
    return is_wrapped ? dir.substr(0, dir.size() - kWrapped.size()) : path;
}

// kustomize shows what it does not understand, also of the files of a Secret.
bool has_secrets(const SourceTree& tree, const BuildFiles& files) {
    return std::ranges::any_of(files.paths, [&](const std::string& path) {
        const Result<std::string> text = tree.read(path);
        return text && names_secrets(*text);
    });
}

// What the program makes of a directory of the copy.
struct CopyBuild {
    SandboxRun run;
    std::vector<DocumentOrigin> origins;
};

// At one time it builds the directory, and for the annotations once more through another one.
CopyBuild build_copy(const std::vector<std::string>& arguments, const PrivateCopy& copy,
                     const std::string& dir, const std::string& root) {
    const std::string tree = fmt::format("../{}", base_name(copy.path()));
    const bool asks_origins = copy.write_beside("origins/kustomization.yaml",
                                                kustomization_with_origins(join_path(tree, dir)));
    const std::array<std::string, 2> places = {copy.path(), copy.parent()};
    const std::array<std::string, 2> built = {join_path(copy.path(), dir),
                                              join_path(copy.parent(), "origins")};
    std::array<SandboxRun, 2> runs;
    for_each_parallel(asks_origins ? 2 : 1, 2, [&](std::size_t i) {
        std::vector<std::string> all = arguments;
        all.push_back(built[i]);
        runs[i] = run_in_sandbox({std::move(all), {kNoPreferences}, {.directory = places[i]}}, {});
    });
    CopyBuild made = {.run = std::move(runs[0]), .origins = {}};
    const SandboxRun& annotated = runs[1];
    if (asks_origins && made.run.exit_code == 0 && annotated.exit_code == 0 &&
        annotated.refusal.empty()) {
        made.origins = origins_of(made.run.output, annotated.output);
    }
    for (DocumentOrigin& origin : made.origins) {
        const std::string path = normal_path(origin.file);
        origin.file =
            is_within(path, tree) ? unwrapped(join_path(root, relative_path(path, tree))) : "";
    }
    return made;
}

Error cannot_copy(const std::string& dir, std::string found) {
    return Error{{.rule = "kustomize-failed",
                  .where = dir,
                  .message = "cannot copy the files of this kustomization",
                  .found = std::move(found),
                  .hint = "set TMPDIR to a directory with space"}};
}

}  // namespace

Result<std::string> find_kustomize(const std::string& choice, std::string_view search_path) {
    return find_program({.flag = "--kustomize",
                         .names = {"kustomize", "kubectl"},
                         .expected = "kustomize or kubectl"},
                        choice, search_path);
}

KustomizeProgram kustomize_at(const std::string& path) {
    const bool is_kubectl = base_name(path).starts_with("kubectl");
    std::vector<std::string> question = {path, "version"};
    if (is_kubectl) {
        question.emplace_back("--client");
    }
    return {.path = path,
            .verb = {is_kubectl ? "kustomize" : "build"},
            .version = kustomize_version_in(
                run_in_sandbox({question, {kNoPreferences}, {.directory = parent_path(path)}}, {})
                    .output)};
}

Result<KustomizeBuild> run_kustomize(const KustomizeProgram& program, const SourceTree& tree,
                                     KustomizationReader& reader, const BuildFiles& files,
                                     const std::string& root, const std::string& dir,
                                     bool loads_any) {
    std::vector<std::string> arguments = {program.path};
    arguments.insert(arguments.end(), program.verb.begin(), program.verb.end());
    arguments.emplace_back(loads_any && keeps_files_apart() ? kAnyFiles : kOwnFiles);
    arguments.emplace_back(kWithoutHelm);
    std::set<Orphan> orphans;
    while (true) {
        const PrivateCopy copy;
        KustomizeBuild build;
        for (const std::string& path : files.paths) {
            if (!TRY(copy_file(copy, tree, reader, root, path, orphans, build.left_out))) {
                return cannot_copy(dir, copy.path().empty() ? "no temporary directory" : path);
            }
            const bool is_of_helm = reader.made_by_helm.contains(path);
            const bool is_copy = is_manifest_name(path) &&
                                 !is_kustomization_name(base_name(path)) &&
                                 reader.is_local_copy(path);
            if ((is_copy || is_of_helm) && !TRY(wrap_file(copy, tree, root, path, is_of_helm))) {
                return cannot_copy(dir, path);
            }
        }
        CopyBuild made = build_copy(arguments, copy, relative_path(dir, normal_path(root)), root);
        const SandboxRun& run = made.run;
        if (run.exit_code == 0 && run.refusal.empty()) {
            build.stream = std::move(made.run.output);
            build.origins = std::move(made.origins);
            return build;
        }
        Orphan orphan = build.left_out.empty() ? Orphan() : orphan_of(run.errors);
        orphan.dir = orphan.dir.empty()
                         ? dir
                         : normal_path(join_path(root, relative_path(orphan.dir, copy.path())));
        if (orphan.object.empty() || !orphans.insert(std::move(orphan)).second) {
            return Error{
                {.rule = "kustomize-failed",
                 .where = dir,
                 .message = "kustomize cannot build this directory",
                 .found = failure_of(run, copy.path(), root, has_secrets(tree, files)),
                 .hint = fmt::format("{} {} {}", program.path, program.verb.front(), dir)}};
        }
    }
}

}  // namespace renderer
