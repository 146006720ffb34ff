#include "renderer/engines/includes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/standing.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

// Collects what is in a directory and not part of any unit.
class Rest {
public:
    Rest(const GitOpsTree& repository, KustomizationReader& reader,
         const std::vector<BuildUnit>& units, const std::string& dir)
        : repository_(repository), reader_(reader) {
        unit_.name = std::string(kIncluded) + repo::relative_path(dir, repository.root());
        unit_.dir = dir;
        unit_.loads_any = repository.argo_loads_any();
        for (const BuildUnit& unit : units) {
            claimed_.insert(unit.claims.begin(), unit.claims.end());
        }
    }

    BuildUnit run() {
        add_builds();
        for (const repo::WalkedDir* dir : repository_.dirs()) {
            if (is_wanted(*dir)) {
                add_manifests(*dir);
            }
        }
        return std::move(unit_);
    }

private:
    [[nodiscard]] bool is_wanted(const repo::WalkedDir& dir) const {
        return !dir.in_chart && !dir.is_outside && repo::is_within(dir.path, unit_.dir);
    }

    // Adds the kustomizations that no other one refers to. A component is not applied alone.
    void add_builds() {
        std::map<std::string, std::set<std::string>> builds;  // by directory
        for (const repo::WalkedDir* dir : repository_.dirs()) {
            if (is_wanted(*dir) && !dir->kustomizations.empty() &&
                !claimed_.contains(file_of(*dir))) {
                builds[dir->path] =
                    find_build_files(repository_.tree(), reader_, repository_.root(), dir->path)
                        .paths;
            }
        }
        std::set<std::string> named;
        for (const auto& [dir, files] : builds) {
            for (const auto& [other, other_files] : builds) {
                const bool is_mutual = files.contains(file_of(*repository_.find(other)));
                if (dir != other && other_files.contains(file_of(*repository_.find(dir))) &&
                    (!is_mutual || other < dir)) {
                    named.insert(dir);
                }
            }
        }
        for (auto& [dir, files] : builds) {
            const Kustomization* file = reader_.find(dir);
            if (!named.contains(dir) && file != nullptr && !is_component(*file)) {
                unit_.builds.push_back(dir);
            }
            parts_.merge(files);
        }
        unit_.claims = parts_;
    }

    static std::string file_of(const repo::WalkedDir& dir) {
        return repo::join_path(dir.path, dir.kustomizations.front());
    }

    void add_manifests(const repo::WalkedDir& dir) {
        for (const std::string& name : dir.files) {
            const std::string path = repo::join_path(dir.path, name);
            const bool is_kustomization =
                std::ranges::find(dir.kustomizations, name) != dir.kustomizations.end();
            if (repo::is_manifest_name(name) && !is_kustomization && !claimed_.contains(path) &&
                unit_.claims.insert(path).second) {
                unit_.manifests.push_back(path);
            }
        }
    }

    const GitOpsTree& repository_;
    KustomizationReader& reader_;
    BuildUnit unit_;
    std::set<std::string> claimed_;  // by other units
    std::set<std::string> parts_;    // of builds
};

constexpr std::string_view kIncludeFlag = "--include";
constexpr std::string_view kIgnoreFlag = "--ignore";

// A directory that a flag or a key of .tailrender.yaml names.
struct NamedDir {
    std::string_view flag;
    Pos pos;  // of the key; unknown for a flag
    std::string spelled;
    std::string path;  // "" = there is no such directory
};

// True for a directory that is not read because a name begins with a dot, or one below it.
bool is_below_hidden(const DirList& dirs, const std::string& path) {
    return std::ranges::any_of(dirs, [&](const repo::WalkedDir* dir) {
        return std::ranges::any_of(dir->hidden_dirs, [&](const std::string& name) {
            return repo::is_within(path, repo::join_path(dir->path, name));
        });
    });
}

// Paths in .tailrender.yaml are relative to it; those of flags may be.
std::vector<NamedDir> named_dirs(const DirList& dirs, const std::string& root,
                                 const std::vector<std::string>& given,
                                 const std::vector<NamedPath>& configured, std::string_view flag) {
    const auto is_directory = [&](const std::string& path) {
        return std::ranges::find(dirs, path, &repo::WalkedDir::path) != dirs.end() ||
               (flag == kIgnoreFlag && is_below_hidden(dirs, path));
    };
    std::vector<NamedDir> named;
    const auto add = [&](Pos pos, const std::string& spelled, const std::string& path) {
        named.push_back({flag, pos, spelled, is_directory(path) ? path : std::string()});
    };
    const auto below = [&](const std::string& path) {
        return repo::normal_path(repo::join_path(root, path));
    };
    for (const std::string& path : given) {
        const std::string whole = repo::normal_path(path);
        add({}, path, is_directory(whole) ? whole : below(path));
    }
    for (const NamedPath& one : configured) {
        add(one.pos, one.path, below(one.path));
    }
    return named;
}

std::vector<std::string> known_of(const std::vector<NamedDir>& named) {
    std::vector<std::string> known;
    for (const NamedDir& one : named) {
        if (!one.path.empty()) {
            known.push_back(one.path);
        }
    }
    return known;
}

}  // namespace

bool UnitChoice::ignores_below(const std::string& dir) const {
    return std::ranges::any_of(
        ignores, [&](const std::string& ignored) { return repo::is_within(dir, ignored); });
}

UnitChoice unit_choice(const DirList& dirs, const std::string& root,
                       const repo::LoadOptions& options, const Cluster& cluster) {
    return {
        .includes =
            known_of(named_dirs(dirs, root, options.includes, cluster.includes, kIncludeFlag)),
        .ignores = known_of(named_dirs(dirs, root, options.ignores, cluster.ignores, kIgnoreFlag))};
}

std::vector<std::string> hidden_includes(const repo::SourceTree& tree, const std::string& root,
                                         const repo::LoadOptions& options, const Cluster& cluster) {
    std::vector<std::string> hidden;
    const auto add = [&](const std::string& path) {
        const std::string dir = repo::normal_path(path);
        const bool is_found = repo::has_hidden_name(repo::relative_path(dir, root)) &&
                              repo::is_within(dir, root) &&
                              tree.kind(dir) == repo::EntryKind::Directory;
        if (is_found) {
            hidden.push_back(dir);
        }
        return is_found;
    };
    for (const std::string& path : options.includes) {
        if (!add(path)) {
            add(repo::join_path(root, path));
        }
    }
    for (const NamedPath& one : cluster.includes) {
        add(repo::join_path(root, one.path));
    }
    return hidden;
}

void check_named_dirs(const repo::SourceTree& tree, const DirList& dirs, const std::string& root,
                      const repo::LoadOptions& options, const Cluster& cluster,
                      Diagnostics& diagnostics) {
    std::vector<std::string> known;
    for (const repo::WalkedDir* dir : dirs) {
        known.push_back(repo::relative_path(dir->path, root));
    }
    const auto check = [&](const NamedDir& one, bool is_ignored) {
        const auto is_directory = [&](const std::string& path) {
            return tree.kind(repo::normal_path(path)) == repo::EntryKind::Directory;
        };
        // What is ignored may be a directory that only another cluster names.
        if (!one.path.empty() ||
            (is_ignored && (is_directory(repo::join_path(root, one.spelled)) ||
                            (repo::is_within(repo::normal_path(one.spelled), root) &&
                             is_directory(one.spelled))))) {
            return;
        }
        const bool is_harmless = is_ignored && one.pos.known();
        const std::string_view near = nearest(one.spelled, {known.begin(), known.end()});
        Finding finding = diagnostics.say(is_harmless ? Severity::Warning : Severity::Error,
                                          "missing-path", one.pos, "no such directory in the tree");
        finding.found(fmt::format("\"{}\"", one.spelled))
            .expected(fmt::format("a directory below {}", root))
            .hint(!near.empty() ? did_you_mean(near)
                  : is_harmless ? "remove it"
                                : "");
        if (!one.pos.known()) {
            finding.where(one.flag);
        }
    };
    for (const NamedDir& one :
         named_dirs(dirs, root, options.includes, cluster.includes, kIncludeFlag)) {
        check(one, false);
    }
    for (const NamedDir& one :
         named_dirs(dirs, root, options.ignores, cluster.ignores, kIgnoreFlag)) {
        check(one, true);
    }
}

void add_includes(const GitOpsTree& repository, KustomizationReader& reader,
                  const std::vector<std::string>& includes, std::vector<BuildUnit>& units) {
    for (const std::string& dir : includes) {
        units.push_back(Rest(repository, reader, units, dir).run());
    }
}

}  // namespace renderer::engines
