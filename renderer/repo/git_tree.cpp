#include "renderer/repo/git_tree.h"

#include <fmt/format.h>
#include <git2/sys/repository.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "renderer/base/sha256.h"
#include "renderer/git/git.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/git_attributes.h"
#include "renderer/repo/lfs_pointer.h"
#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // the limit of Linux

// The object at a path of the revision, after following symbolic links.
struct Found {
    enum class What { Missing, File, Directory, Submodule, Outside };
    What what = What::Missing;
    git_oid id{};
    std::string path = {};  // resolved; relative to the top, or absolute if outside
};

// The names of a path that were not looked up yet. The names of a symbolic link's target are pushed
// in front of those after the link.
class Names {
public:
    explicit Names(const std::string& path) { push_front(path); }

    void push_front(const std::string& path) {
        std::vector<std::string> names;
        for (const fs::path& name : fs::path(path).relative_path()) {
            if (!name.empty() && name != ".") {
                names.push_back(name.string());
            }
        }
        left_.insert(left_.end(), names.rbegin(), names.rend());
    }
    std::optional<std::string> next() {
        if (left_.empty()) {
            return std::nullopt;
        }
        std::string name = std::move(left_.back());
        left_.pop_back();
        return name;
    }
    [[nodiscard]] bool empty() const { return left_.empty(); }
    // Takes all names that are left, and returns their path below `dir`.
    std::string rest(std::string dir) {
        while (const std::optional<std::string> name = next()) {
            dir = join_path(dir, *name);
        }
        return dir;
    }

private:
    std::vector<std::string> left_;  // in reverse: the last one is next
};

Error not_found(const std::string& path) {
    return {{.rule = "unreadable",
             .where = path,
             .message = "cannot read: no such file in the revision"}};
}

Error refused(const Found& found, const std::string& path) {
    if (found.what == Found::What::Submodule) {
        return {{.rule = "git-submodule",
                 .where = path,
                 .message = "submodules are not read: their files are in another repository",
                 .found = fmt::format("commit {} of a submodule", git::hex_id(found.id)),
                 .expected = "files of the revision itself",
                 .hint = "check the revision out with \"git submodule update --init\" and render "
                         "the directory"}};
    }
    return {{.rule = "symbolic-link",
             .where = path,
             .message = "symbolic link to a path outside the repository",
             .found = fmt::format("\"{}\"", found.path),
             .hint = "replace the link by the file, or remove it"}};
}

EntryKind found_kind(Found::What what) {
    switch (what) {
        case Found::What::File:
            return EntryKind::File;
        case Found::What::Directory:
        case Found::What::Submodule:  // reading it reports the error
            return EntryKind::Directory;
        case Found::What::Outside:
            return EntryKind::Other;
        case Found::What::Missing:
            break;
    }
    return EntryKind::Missing;
}

bool is_refused(const Found& found) {
    return found.what == Found::What::Submodule || found.what == Found::What::Outside;
}

}  // namespace

// Two threads must not use an object of libgit2 at a time: hold `guard` around every call.
struct GitTree::State {
    State(const std::vector<std::string>& named, const std::vector<std::string>& dirs)
        : disk(named, dirs) {}

    git::FoundRepository repository;
    git_oid commit{};
    std::string commit_id;
    git::GitTreeObject top;
    DiskTree disk;
    mutable std::mutex guard;
    // Absolute directories as the user typed them, and their paths in the tree.
    mutable std::vector<std::pair<std::string, std::string>> known;

    std::optional<std::string> inside(const std::string& path) const;
    Found find(const std::string& path) const;
    Result<std::string> blob_text(const git_oid& id, const std::string& path) const;
    Result<std::string> file_text(const Found& found, const std::string& path) const;
    Result<std::string> lfs_object(const LfsPointer& pointer, const std::string& path) const;

private:
    std::string link_target(const git_tree_entry* entry) const;
};

// Returns the path in the tree, "" for its top, or no value for a path outside of the repository.
// Links above the repository are followed on the disk, those in it are followed in the tree.
std::optional<std::string> GitTree::State::inside(const std::string& path) const {
    std::error_code error;
    const std::string absolute = normal_path(fs::absolute(path, error).string());
    for (const auto& [dir, in_tree] : known) {
        if (absolute == dir) {
            return in_tree;
        }
        if (absolute.starts_with(dir + "/")) {
            return join_path(in_tree, absolute.substr(dir.size() + 1));
        }
    }
    for (std::size_t slash = absolute.find('/', 1);; slash = absolute.find('/', slash + 1)) {
        const std::string dir = absolute.substr(0, slash);
        const fs::path real = fs::canonical(dir, error);
        if (!error && is_within(real.string(), repository.root)) {
            known.emplace_back(dir, relative_path(real.string(), repository.root));
            return inside(path);
        }
        if (slash == std::string::npos) {
            return std::nullopt;
        }
    }
}

std::string GitTree::State::link_target(const git_tree_entry* entry) const {
    const Result<std::string> text = blob_text(*git_tree_entry_id(entry), "");
    return text ? *text : "";
}

Found GitTree::State::find(const std::string& path) const {
    Found found{.what = Found::What::Directory, .id = *git_tree_id(top.get())};
    Names names(path);
    int links = 0;
    while (const std::optional<std::string> name = names.next()) {
        if (*name == "..") {
            if (found.path.empty()) {
                return {.what = Found::What::Outside,
                        .path = names.rest(parent_path(repository.root))};
            }
            const std::string parent = parent_path(found.path);
            found = find(parent == "." ? "" : parent);
            continue;
        }
        const std::string below = join_path(found.path, *name);
        git_tree_entry* got = nullptr;
        const bool there = git_tree_entry_bypath(&got, top.get(), below.c_str()) == 0;
        const git::GitTreeEntry entry(got);
        if (!there) {
            return {.path = names.rest(below)};
        }
        if (git_tree_entry_filemode(got) == GIT_FILEMODE_LINK) {
            const std::string target = link_target(got);
            if (target.empty() || ++links > kMostLinks) {
                return {.path = names.rest(below)};
            }
            if (target.starts_with('/')) {
                const std::optional<std::string> in_tree = inside(target);
                if (!in_tree) {
                    return {.what = Found::What::Outside, .path = names.rest(target)};
                }
                found = find("");
                names.push_front(*in_tree);
            } else {
                names.push_front(target);
            }
            continue;
        }
        found = {.id = *git_tree_entry_id(got), .path = below};
        const git_object_t type = git_tree_entry_type(got);
        found.what = type == GIT_OBJECT_TREE   ? Found::What::Directory
                     : type == GIT_OBJECT_BLOB ? Found::What::File
                                               : Found::What::Submodule;
        if (found.what == Found::What::Submodule) {
            return found;  // its files are in another repository
        }
        if (found.what == Found::What::File && !names.empty()) {
            return {.path = names.rest(below)};
        }
    }
    return found;
}

Result<std::string> GitTree::State::blob_text(const git_oid& id, const std::string& path) const {
    git_blob* got = nullptr;
    if (git_blob_lookup(&got, repository.handle.get(), &id) != 0) {
        Error error = git::git_failure("cannot read the file of the revision", path);
        error.diagnostic.hint =
            "it is missing from a partial or damaged clone: try \"git fetch\" and \"git fsck\"";
        return error;
    }
    const git::GitBlob blob(got);
    return std::string(static_cast<const char*>(git_blob_rawcontent(got)),
                       static_cast<std::size_t>(git_blob_rawsize(got)));
}

Result<std::string> GitTree::State::lfs_object(const LfsPointer& pointer,
                                               const std::string& path) const {
    const std::string& id = pointer.sha256;
    const std::string file =
        fmt::format("{}lfs/objects/{}/{}/{}", git_repository_commondir(repository.handle.get()),
                    id.substr(0, 2), id.substr(2, 2), id);
    Result<std::string> text = DiskTree().read(file);  // may be outside of the roots of `disk`
    if (!text || text->size() != pointer.size || sha256_hex(*text) != id) {
        return lfs_pointer_error(path, fmt::format("git lfs fetch origin {}", commit_id));
    }
    return text;
}

// Returns the bytes that a checkout would write.
Result<std::string> GitTree::State::file_text(const Found& found, const std::string& path) const {
    std::string text = TRY(blob_text(found.id, path));
    if (const std::optional<LfsPointer> pointer = parse_lfs_pointer(text)) {
        return lfs_object(*pointer, path);
    }
    const Checkout checkout = TRY(checkout_of(repository.handle.get(), commit, found.path));
    const auto refuse = [&](const std::string& attribute) {
        return Error{{.rule = "git-attribute",
                      .where = path,
                      .message = "unsupported attribute: a checkout would change this file",
                      .found = fmt::format("attribute {}", attribute),
                      .hint = "check the revision out and render the directory"}};
    };
    if (!checkout.filter.empty() && checkout.filter != "lfs") {
        return refuse("filter=" + checkout.filter);
    }
    if (!checkout.encoding.empty()) {
        return refuse("working-tree-encoding=" + checkout.encoding);
    }
    if (checkout.ident && text.find("$Id") != std::string::npos) {
        return refuse("ident");
    }
    return with_line_ends(std::move(text), checkout.line_ends);
}

GitTree::GitTree(std::unique_ptr<State> state) : state_(std::move(state)) {}

GitTree::~GitTree() = default;

Result<std::shared_ptr<const GitTree>> GitTree::open(const std::string& path,
                                                     const std::string& revision,
                                                     const std::vector<std::string>& named,
                                                     std::vector<std::string> dirs) {
    dirs.push_back(path);
    auto state = std::make_unique<State>(named, dirs);
    state->repository = TRY(git::find_repository(path));
    git_repository* repository = state->repository.handle.get();
    const git::GitCommit commit = TRY(git::find_commit(repository, revision));
    state->commit = *git_commit_id(commit.get());
    state->commit_id = git::hex_id(state->commit);
    git_tree* top = nullptr;
    if (git_commit_tree(&top, commit.get()) != 0) {
        return git::git_failure("cannot read the tree of the revision", "--rev");
    }
    state->top.reset(top);
    // An empty index: libgit2 would mix the attributes of the index with those of the commit.
    git_index* index = nullptr;
    if (git_index_new(&index) != 0) {
        return git::git_failure("cannot create an index", "--rev");
    }
    const git::GitIndex empty(index);
    if (git_repository_set_index(repository, index) != 0) {
        return git::git_failure("cannot detach the index", "--rev");
    }
    return std::shared_ptr<const GitTree>(new GitTree(std::move(state)));
}

Result<std::string> GitTree::read(const std::string& path) const {
    const std::scoped_lock lock(state_->guard);
    const std::optional<std::string> in_tree = state_->inside(path);
    if (!in_tree) {
        return state_->disk.read(path);
    }
    const Found found = state_->find(*in_tree);
    if (is_refused(found)) {
        return refused(found, path);
    }
    if (found.what == Found::What::Directory) {
        return Error{
            {.rule = "unreadable", .where = path, .message = "cannot read: Is a directory"}};
    }
    return found.what == Found::What::File ? state_->file_text(found, path) : not_found(path);
}

Result<std::vector<Entry>> GitTree::list(const std::string& dir) const {
    const std::scoped_lock lock(state_->guard);
    const std::optional<std::string> in_tree = state_->inside(dir);
    if (!in_tree) {
        return state_->disk.list(dir);
    }
    const Found found = state_->find(*in_tree);
    if (is_refused(found)) {
        return refused(found, dir);
    }
    if (found.what != Found::What::Directory) {
        return not_found(dir);
    }
    git_tree* got = nullptr;
    if (git_tree_lookup(&got, state_->repository.handle.get(), &found.id) != 0) {
        return git::git_failure("cannot read the directory of the revision", dir);
    }
    const git::GitTreeObject tree(got);
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < git_tree_entrycount(got); ++i) {
        const git_tree_entry* entry = git_tree_entry_byindex(got, i);
        const std::string name = git_tree_entry_name(entry);
        const git_object_t type = git_tree_entry_type(entry);
        const bool is_link = git_tree_entry_filemode(entry) == GIT_FILEMODE_LINK;
        EntryKind kind = type == GIT_OBJECT_BLOB ? EntryKind::File : EntryKind::Directory;
        if (is_link) {
            kind = found_kind(state_->find(join_path(found.path, name)).what);
        }
        entries.push_back({.name = name, .kind = kind, .is_link = is_link});
    }
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
}

EntryKind GitTree::kind(const std::string& path) const {
    const std::scoped_lock lock(state_->guard);
    const std::optional<std::string> in_tree = state_->inside(path);
    if (!in_tree) {
        return state_->disk.kind(path);
    }
    return found_kind(state_->find(*in_tree).what);
}

std::string GitTree::real_path(const std::string& path) const {
    const std::scoped_lock lock(state_->guard);
    const std::optional<std::string> in_tree = state_->inside(path);
    if (!in_tree) {
        return state_->disk.real_path(path);
    }
    std::string missing;  // relative to the longest part that exists
    std::string part = *in_tree;
    Found found = state_->find(part);
    while (found.what == Found::What::Missing && !part.empty()) {
        missing = join_path(base_name(part), missing);
        part = part.find('/') == std::string::npos ? "" : parent_path(part);
        found = state_->find(part);
    }
    const std::string real = found.what == Found::What::Outside
                                 ? normal_path(found.path)
                                 : join_path(state_->repository.root, found.path);
    return join_path(real, missing);
}

const std::string& GitTree::commit() const {
    return state_->commit_id;
}

std::string GitTree::path_in_repository(const std::string& path) const {
    const std::scoped_lock lock(state_->guard);
    const std::optional<std::string> in_tree = state_->inside(path);
    return in_tree ? state_->find(*in_tree).path : path;
}

}  // namespace renderer::repo
