#include "renderer/repo/disk_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "renderer/base/descriptor.h"
#include "renderer/repo/lfs_pointer.h"
#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace {

namespace fs = std::filesystem;

Error cannot_read(const std::string& path, const std::error_code& error) {
    return {{.rule = "unreadable",
             .where = path,
             .message = fmt::format("cannot read: {}", error.message())}};
}

Error not_a_file(const std::string& path) {
    return {{.rule = "unreadable",
             .where = path,
             .message = "cannot read: neither a file nor a directory"}};
}

Error leads_outside(const std::string& path) {
    return {{.rule = "symbolic-link",
             .where = path,
             .message = "symbolic link to a path outside the tree",
             .expected = "a target in the directory that is rendered, or in its repository",
             .hint = "replace the link by the file, or remove it"}};
}

Error is_outside(const std::string& path) {
    return {{.rule = "outside-tree",
             .where = path,
             .message = "this path is outside of the work tree",
             .expected = "a path in the repository that is rendered",
             .hint =
                 "move it into the repository, which is where \".git\" is; without \".git\", run "
                 "in the top directory. Only what the command line names may be elsewhere"}};
}

Error last_error(const std::string& path) {
    return cannot_read(path, std::error_code(errno, std::generic_category()));
}

std::size_t size_hint(int fd) {
    struct stat info {};
    return ::fstat(fd, &info) == 0 && info.st_size > 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

// A symbolic link to itself is broken, and so counts as missing.
EntryKind entry_kind(fs::file_type type, const std::error_code& error) {
    if (error == std::errc::too_many_symbolic_link_levels) {
        return EntryKind::Missing;
    }
    if (type == fs::file_type::regular) {
        return EntryKind::File;
    }
    if (type == fs::file_type::directory) {
        return EntryKind::Directory;
    }
    return type == fs::file_type::not_found ? EntryKind::Missing : EntryKind::Other;
}

// Fails if the kind of an entry cannot be read, except for hidden names and for broken links, which
// walk.h judges.
Result<Entry> entry_of(const fs::directory_entry& found) {
    std::error_code error;
    const std::string name(base_name(found.path().native()));
    if (!found.is_symlink(error)) {  // readdir gave the type
        if (found.is_regular_file(error)) {
            return Entry{.name = name, .kind = EntryKind::File};
        }
        if (found.is_directory(error)) {
            return Entry{.name = name, .kind = EntryKind::Directory};
        }
    }
    const fs::file_type type = found.status(error).type();
    const EntryKind kind = entry_kind(type, error);
    if (type == fs::file_type::none && kind != EntryKind::Missing && !name.starts_with('.')) {
        return cannot_read(found.path().string(), error);
    }
    std::error_code ignored;
    return Entry{.name = name, .kind = kind, .is_link = found.is_symlink(ignored)};
}

}  // namespace

DiskTree::DiskTree(const std::vector<std::string>& named, const std::vector<std::string>& roots,
                   const std::string& top)
    : links_(roots, top) {
    for (const std::string& path : named) {
        named_.insert(normal_path(path));
    }
}

bool DiskTree::is_named(const std::string& path) const {
    return named_.contains(normal_path(path));
}

// Reads until the end of the file instead of trusting its size, so that pipes work.
Result<std::string> DiskTree::read(const std::string& path) const {
    const bool may_wait = is_named(path);
    if (!may_wait && kind(path) == EntryKind::Other) {
        return not_a_file(path);
    }
    if (!may_wait) {
        TRY(check_inside(path));
    }
    const Descriptor file(path, O_RDONLY | O_NOCTTY | (may_wait ? 0 : O_NONBLOCK));
    if (file.get() < 0) {
        return last_error(path);
    }
    std::string text;
    text.reserve(size_hint(file.get()));
    if (!read_all(file.get(), text)) {
        return last_error(path);
    }
    if (parse_lfs_pointer(text)) {
        return lfs_pointer_error(path, "git lfs pull");
    }
    return text;
}

Result<Unit> DiskTree::check_inside(const std::string& path) const {
    switch (links_.judge(path, is_plain(path))) {
        case LinkGuard::Verdict::LinkLeaves:
            return leads_outside(path);
        case LinkGuard::Verdict::PathLeaves:
            return is_outside(path);
        case LinkGuard::Verdict::Allowed:
            break;
    }
    return Unit{};
}

Result<std::vector<Entry>> DiskTree::list(const std::string& dir) const {
    if (const LinkGuard::Verdict verdict = links_.judge(dir);
        verdict == LinkGuard::Verdict::PathLeaves) {
        return is_outside(dir);
    }
    {
        const std::scoped_lock lock(mutex_);
        if (const auto known = listed_.find(dir); known != listed_.end()) {
            return known->second;
        }
    }
    std::vector<Entry> entries;
    std::error_code error;
    fs::directory_iterator found(dir, error);
    while (!error && found != fs::directory_iterator()) {
        entries.push_back(TRY(entry_of(*found)));
        found.increment(error);
    }
    if (error) {
        return cannot_read(dir, error);
    }
    std::ranges::sort(entries, {}, &Entry::name);
    const std::scoped_lock lock(mutex_);
    return listed_.try_emplace(dir, std::move(entries)).first->second;
}

std::optional<Entry> DiskTree::listed(const std::string& path) const {
    const std::string_view name = base_name(path);
    const std::scoped_lock lock(mutex_);
    const auto known = listed_.find(parent_path(path));
    if (known == listed_.end() || name.empty() || name == "." || name == "..") {
        return std::nullopt;
    }
    const auto entry = std::ranges::lower_bound(known->second, name, {}, &Entry::name);
    return entry != known->second.end() && entry->name == name
               ? *entry
               : Entry{.name = std::string(name), .kind = EntryKind::Missing};
}

bool DiskTree::is_plain(const std::string& path) const {
    const std::optional<Entry> entry = listed(path);
    return entry && !entry->is_link &&
           (entry->kind == EntryKind::File || entry->kind == EntryKind::Directory);
}

EntryKind DiskTree::kind(const std::string& path) const {
    const std::optional<Entry> entry = listed(path);
    if (entry && entry->kind != EntryKind::Other) {
        return entry->kind;
    }
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    return type == fs::file_type::fifo && is_named(path) ? EntryKind::File
                                                         : entry_kind(type, error);
}

std::string DiskTree::real_path(const std::string& path) const {
    return links_.real_path(path, is_plain(path));
}

}  // namespace renderer::repo
