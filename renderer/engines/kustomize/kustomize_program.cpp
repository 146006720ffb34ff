#include "renderer/engines/kustomize/kustomize_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/base/confinement.h"
#include "renderer/base/parallel.h"
#include "renderer/base/sandbox.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// Disables kubectl's preferences, which may set other options for `kubectl kustomize`.
constexpr const char* kNoPreferences = "KUBERC=off";
// The defaults of both programs are passed explicitly, so that nothing else can change them.
constexpr const char* kWithoutHelm = "--enable-helm=false";
constexpr const char* kOwnFiles = "--load-restrictor=LoadRestrictionsRootOnly";
constexpr const char* kAnyFiles = "--load-restrictor=LoadRestrictionsNone";

// Returns "v5.8.1" from the output of kustomize, or from kubectl's "Kustomize Version: v5.8.1".
std::string kustomize_version_in(std::string_view text) {
    constexpr std::string_view kLabel = "Kustomize Version: ";
    const std::size_t label = text.find(kLabel);
    text.remove_prefix(label == std::string_view::npos ? 0 : label + kLabel.size());
    return std::string(text.starts_with('v') ? text.substr(0, text.find('\n')) : "");
}

struct CopyOf {
    const repo::PrivateCopy& copy;
    const repo::SourceTree& tree;
    KustomizationReader& reader;
    const std::string& root;
    const Kustomization* asked;  // gets the field that asks for origins; may be null
};

// Copies a file. A symbolic link to a file stays a link, because kustomize checks its target.
// Returns false if the copy of `path` cannot be written.
Result<bool> copy_file(const CopyOf& of, const std::string& path, const std::set<Orphan>& orphans,
                       std::vector<LeftOut>& left_out) {
    std::string content = TRY(content_for_copy(of.tree, of.reader, path, orphans, left_out));
    if (of.asked != nullptr && of.asked->path == path) {
        content = asking_for_origins(std::move(content), of.asked->root);
    }
    const std::string place = repo::relative_path(path, repo::normal_path(of.root));
    const std::string real_root = of.tree.real_path(of.root);
    const std::string target = repo::relative_path(of.tree.real_path(path), real_root);
    const std::string folder =
        repo::relative_path(of.tree.real_path(repo::parent_path(path)), real_root);
    const bool is_link = target != repo::join_path(folder, repo::base_name(path));
    const std::string& file = is_link ? target : place;
    return (!is_link || of.copy.link(place, target)) &&
           (of.copy.has(file) || of.copy.write(file, content));
}

// A transformer that adds the annotation with which kustomize marks objects that helm made.
// kustomize removes it at the end.
// Source: kustomize v5.8.1 api/konfig/general.go, api/internal/builtins/NamespaceTransformer.go.
constexpr std::string_view kMarkOfHelm =
    "apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata: {name: made-by-helm}\n"
    "annotations: {internal.config.kubernetes.io/helm-generated: \"true\"}\n"
    "fieldSpecs: [{path: metadata/annotations, create: true}]\n";

// Writes a directory that wraps the file (kWrapped). Returns false if it cannot be written.
Result<bool> wrap_file(const repo::PrivateCopy& copy, const repo::SourceTree& tree,
                       const std::string& root, const std::string& path, bool is_made_by_helm) {
    const std::string place =
        fmt::format("{}{}", repo::relative_path(path, repo::normal_path(root)), kWrapped);
    const std::string text = TRY(tree.read(path));
    Value kustomization = Value::map({{"resources", Value::list({repo::base_name(path)})}});
    if (is_made_by_helm) {
        kustomization.put("transformers", Value::list({kMarkOfHelm}));
    }
    std::string list;
    write_yaml(kustomization, list);
    return copy.write(repo::join_path(place, repo::base_name(path)), text) &&
           copy.write(repo::join_path(place, "kustomization.yaml"), list);
}

// Returns the path of the file that a directory wraps, or `path` itself if it is not wrapped.
std::string unwrapped(const std::string& path) {
    const std::string dir = repo::parent_path(path);
    const bool is_wrapped =
        repo::base_name(dir) == fmt::format("{}{}", repo::base_name(path), kWrapped);
    return is_wrapped ? dir.substr(0, dir.size() - kWrapped.size()) : path;
}

// Returns true if a file may have a Secret, so that messages of kustomize may contain its values:
// they quote text that kustomize cannot parse.
bool has_secrets(const repo::SourceTree& tree, const BuildFiles& files) {
    return std::ranges::any_of(files.paths, [&](const std::string& path) {
        const Result<std::string> text = tree.read(path);
        return text && repo::names_secrets(*text);
    });
}

// Takes the origins out of the output. Their files become paths of the tree.
KustomizeBuild with_origins(std::string_view printed, const Kustomization& asked) {
    BuildWithOrigins taken = take_origins(printed, asked.root);
    for (DocumentOrigin& origin : taken.origins) {
        origin.file = origin.file.empty()
                          ? std::string()
                          : unwrapped(repo::normal_path(repo::join_path(asked.dir, origin.file)));
    }
    return {.stream = std::move(taken.stream), .origins = std::move(taken.origins), .left_out = {}};
}

Error cannot_copy(const std::string& dir, std::string found) {
    return Error{{.rule = "kustomize-failed",
                  .where = dir,
                  .message = "cannot copy the files of this kustomization",
                  .found = std::move(found),
                  .hint = "set TMPDIR to a directory with space"}};
}

std::string key_of(const KustomizeJob& job) {
    return fmt::format("{}\n{}\n{}", job.root, job.dir, job.loads_any);
}

// Runs one job. It runs kustomize again if that fails on a patch of an object that was left out, or
// does not support the field that asks for origins.
class JobRun {
public:
    JobRun(const KustomizeProgram& program, const KustomizeJob& job)
        : program_(program), job_(job), asked_(job.reader.find(job.dir)) {
        if (asked_ != nullptr && !can_ask_origins(asked_->root)) {
            asked_ = nullptr;
        }
    }

    // Unlocks `turn` while the program runs.
    Result<KustomizeBuild> to_end(std::unique_lock<std::mutex>& turn) {
        while (true) {
            (void)TRY(prepare());
            turn.unlock();
            execute();
            turn.lock();
            if (std::optional<Result<KustomizeBuild>> made = conclude()) {
                return std::move(*made);
            }
        }
    }

private:
    // Makes the copy.
    Result<Unit> prepare() {
        copy_ = std::make_unique<repo::PrivateCopy>(*program_.copies);
        left_out_.clear();
        const CopyOf of{*copy_, job_.tree, job_.reader, job_.root, asked_};
        for (const std::string& path : job_.files.paths) {
            if (!TRY(copy_file(of, path, orphans_, left_out_))) {
                return cannot_copy(job_.dir,
                                   copy_->path().empty() ? "no temporary directory" : path);
            }
            const bool is_of_helm = job_.reader.made_by_helm.contains(path);
            const bool is_copy = repo::is_manifest_name(path) &&
                                 !repo::is_kustomization_name(repo::base_name(path)) &&
                                 job_.reader.is_local_copy(path);
            if ((is_copy || is_of_helm) &&
                !TRY(wrap_file(*copy_, job_.tree, job_.root, path, is_of_helm))) {
                return cannot_copy(job_.dir, path);
            }
        }
        return Unit{};
    }

    void execute() {
        std::vector<std::string> arguments = {program_.path};
        arguments.insert(arguments.end(), program_.verb.begin(), program_.verb.end());
        arguments.emplace_back(job_.loads_any && keeps_files_apart() ? kAnyFiles : kOwnFiles);
        arguments.emplace_back(kWithoutHelm);
        arguments.push_back(repo::join_path(
            copy_->path(), repo::relative_path(job_.dir, repo::normal_path(job_.root))));
        run_ = run_in_sandbox(
            {std::move(arguments), {kNoPreferences}, {.directory = copy_->path()}}, {});
        run_.errors = repo::without_log_prefix(std::move(run_.errors));
    }

    // Returns the result, or nothing if kustomize has to run again.
    std::optional<Result<KustomizeBuild>> conclude() {
        if (run_.exit_code == 0 && run_.refusal.empty()) {
            KustomizeBuild build;
            if (asked_ == nullptr) {
                build.stream = std::move(run_.output);
            } else {
                build = with_origins(run_.output, *asked_);
            }
            build.left_out = std::move(left_out_);
            return build;
        }
        Orphan orphan = left_out_.empty() ? Orphan() : orphan_of(run_.errors);
        orphan.dir = orphan.dir.empty()
                         ? job_.dir
                         : repo::normal_path(repo::join_path(
                               job_.root, repo::relative_path(orphan.dir, copy_->path())));
        if (!orphan.object.empty() && orphans_.insert(std::move(orphan)).second) {
            return std::nullopt;
        }
        if (asked_ != nullptr && run_.refusal.empty() &&
            run_.errors.find("buildMetadata") != std::string::npos) {
            asked_ = nullptr;
            return std::nullopt;
        }
        return Error{
            {.rule = "kustomize-failed",
             .where = job_.dir,
             .message = "kustomize cannot build this directory",
             .found = repo::failure_of(run_, copy_->path(), job_.root,
                                       has_secrets(job_.tree, job_.files)),
             .hint = fmt::format("{} {} {}", program_.path, program_.verb.front(), job_.dir)}};
    }

    const KustomizeProgram& program_;
    const KustomizeJob& job_;
    const Kustomization* asked_;  // gets the field that asks for origins; may be null
    std::unique_ptr<repo::PrivateCopy> copy_;
    std::set<Orphan> orphans_;
    std::vector<LeftOut> left_out_;
    SandboxRun run_;
};

}  // namespace

Result<std::string> find_kustomize(const std::string& choice, std::string_view search_path) {
    return repo::find_program({.flag = "--kustomize",
                               .names = {"kustomize", "kubectl"},
                               .expected = "kustomize or kubectl"},
                              choice, search_path);
}

KustomizeProgram kustomize_at(const std::string& path) {
    const bool is_kubectl = repo::base_name(path).starts_with("kubectl");
    std::vector<std::string> question = {path, "version"};
    if (is_kubectl) {
        question.emplace_back("--client");
    }
    return {.path = path,
            .verb = {is_kubectl ? "kustomize" : "build"},
            .version = std::async(std::launch::async, [=] {
                return kustomize_version_in(
                    run_in_sandbox(
                        {question, {kNoPreferences}, {.directory = repo::parent_path(path)}}, {})
                        .output);
            })};
}

Result<KustomizeBuild> run_kustomize(const KustomizeProgram& program, const KustomizeJob& job) {
    auto& kept = job.reader.kept_builds;
    if (const auto known = kept.find(key_of(job)); known != kept.end()) {
        if (--known->second.takers > 0) {
            return *known->second.build;
        }
        Result<KustomizeBuild> build = std::move(*known->second.build);
        kept.erase(known);
        return build;
    }
    std::mutex alone;
    std::unique_lock turn(alone);
    return JobRun(program, job).to_end(turn);
}

void run_kustomize_ahead(const KustomizeProgram& program, const std::vector<KustomizeJob>& jobs,
                         unsigned threads, Steps& steps) {
    std::vector<const KustomizeJob*> waiting;
    for (const KustomizeJob& job : jobs) {
        const auto [kept, is_new] = job.reader.kept_builds.try_emplace(key_of(job));
        if (is_new) {
            waiting.push_back(&job);
        } else {
            kept->second.takers += kept->second.build == nullptr ? 1 : 0;
        }
    }
    steps.begin("building kustomizations", waiting.size());
    // Only the programs run in parallel, because the jobs share readers, which are used in order.
    std::mutex turns;
    auto next = waiting.begin();
    for_each_parallel(waiting.size(), threads, [&](std::size_t /*step*/) {
        std::unique_lock turn(turns);
        while (next != waiting.end()) {
            const KustomizeJob& job = **next++;
            auto build =
                std::make_shared<Result<KustomizeBuild>>(JobRun(program, job).to_end(turn));
            job.reader.kept_builds[key_of(job)].build = std::move(build);
            steps.done();
        }
    });
}

void keep_kustomize_build(const KustomizeJob& job, const KustomizeBuild& build) {
    job.reader.kept_builds[key_of(job)].build = std::make_shared<Result<KustomizeBuild>>(build);
}

}  // namespace renderer::engines
