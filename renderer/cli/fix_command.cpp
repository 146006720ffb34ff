#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/descriptor.h"
#include "renderer/cli/commands.h"
#include "renderer/emit/edits.h"
#include "renderer/repo/link_guard.h"
#include "renderer/repo/paths.h"

namespace renderer::cli {

namespace {

Error cannot_write(const std::string& path, int reason) {
    return Error{{.rule = "write-failed",
                  .where = path,
                  .message = fmt::format("cannot write this file: {}", std::strerror(reason))}};
}

// Replaces a source. The new text is first written to a temporary file beside it, so if one file
// cannot be written, no source changes. A symbolic link stays a link, and the file keeps its mode
// and owner.
class Rewrite {
public:
    static Result<Rewrite> prepare(const std::string& path, std::string_view text) {
        Rewrite one;
        one.target_ = repo::canonical_path(path);
        one.temporary_ = fmt::format("{}.{}.tailrender", one.target_, ::getpid());
        Descriptor file(one.temporary_, O_WRONLY | O_CREAT | O_EXCL);
        if (file.get() < 0) {
            one.temporary_.clear();
            return cannot_write(path, errno);
        }
        struct stat old = {};
        const bool is_like =
            ::stat(one.target_.c_str(), &old) == 0 &&
            (::geteuid() != 0 || ::fchown(file.get(), old.st_uid, old.st_gid) == 0) &&
            ::fchmod(file.get(), old.st_mode & 07777U) == 0;
        if (!is_like || !write_all(file.get(), text) || ::fsync(file.get()) != 0 || !file.close()) {
            return cannot_write(path, errno);
        }
        return one;
    }
    Rewrite(Rewrite&& other) noexcept
        : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})) {}
    Rewrite& operator=(Rewrite&&) = delete;
    ~Rewrite() {
        if (!temporary_.empty()) {
            ::unlink(temporary_.c_str());
        }
    }

    Result<Unit> finish() {
        if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
            return cannot_write(target_, errno);
        }
        temporary_.clear();
        return Unit{};
    }

private:
    Rewrite() = default;
    std::string target_, temporary_;
};

// Checks that the file is below `root`, because a kustomization may name files outside of it.
Result<Unit> check_place(const std::string& path, const std::string& root) {
    if (repo::is_within(repo::canonical_path(path), repo::canonical_path(root))) {
        return Unit{};
    }
    return Error{{.rule = "source-edit",
                  .where = path,
                  .message = "this file is outside the path to fix",
                  .found = fmt::format("PATH \"{}\"", root),
                  .hint = "fix a directory that holds both"}};
}

}  // namespace

Result<int> run_fix(const Options& options, ClusterRuns& runs, Console& console) {
    repo::LoadOptions load = options.load;
    load.only_generated = true;
    load.fixes_sources = true;
    if (!runs.render_one(std::move(load))) {
        return runs.fail(console);
    }
    const Run& run = runs.last();
    std::map<SourceId, std::vector<Edit>> by_source;
    for (const Edit& edit : run.plan.edits) {
        if (edit.in_source) {
            by_source[edit.source].push_back(edit);
        }
    }
    const SourceMap& sources = run.loaded.sources;
    std::vector<Rewrite> files;
    std::string told;
    for (const auto& [source, edits] : by_source) {
        const std::string path(sources.path(source));
        const std::string_view text = sources.text(source);
        std::string fixed;
        emit::EditIndex(edits).append(fixed, text, source, {0, text.size()});
        TRY(check_place(path, options.load.path));
        files.push_back(TRY(Rewrite::prepare(path, fixed)));
        for (const Edit& edit : edits) {
            told += fmt::format("{}: {}\n", sources.describe(sources.pos(source, edit.begin)),
                                edit.reason);
        }
    }
    for (Rewrite& file : files) {
        if (Result<Unit> done = file.finish(); !done) {
            return runs.refuse(std::move(done.error().diagnostic), console,
                               "some sources may be fixed, and others not, until a run succeeds");
        }
    }
    runs.print_diagnostics(console);
    if (!options.quiet) {
        console.err(told.empty() ? "nothing to fix\n" : told);
    }
    return 0;
}

}  // namespace renderer::cli
