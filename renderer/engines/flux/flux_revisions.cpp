#include "renderer/engines/flux/flux_revisions.h"

#include <algorithm>
#include <cstddef>

#include "renderer/core/text_of.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/nearest.h"
#include "renderer/engines/helm/release_parts.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kTags = "refs/tags/";

// Returns nothing if a variable decides.
std::optional<std::string> revision_in(const Value& source) {
    const std::string_view commit = text_of(source, {"spec", "ref", "commit"});
    const std::string_view name = text_of(source, {"spec", "ref", "name"});
    std::string revision = first_text({commit, name, text_of(source, {"spec", "ref", "tag"})});
    if (revision.find("${") != std::string::npos) {
        return std::nullopt;
    }
    return commit.empty() && !name.empty() ? std::string(tag_of_ref(name)) : revision;
}

}  // namespace

std::string_view tag_of_ref(std::string_view ref) {
    return ref.starts_with(kTags) ? ref.substr(kTags.size()) : std::string_view();
}

void FluxRevisions::learn(const std::vector<EngineObject>& objects,
                          const std::vector<EngineObject>& instances) {
    sources_.clear();
    for (const EngineObject& instance : instances) {
        if (const Value* sync = git_sync(instance.root)) {
            const std::string_view name = text_of(*sync, {"name"});
            sources_[std::string(name.empty() ? "flux-system" : name)].push_back(
                {.file = instance.file,
                 .ns = {},
                 .is_instance = true,
                 .revision = std::string(tag_of_ref(text_of(*sync, {"ref"})))});
        }
    }
    for (const EngineObject& object : objects) {
        // One without its own fields is a patch.
        if (is_kind(object.root, kSourceGroup, "GitRepository") && has_own_field(object.root)) {
            sources_[std::string(text_of(object.root, {"metadata", "name"}))].push_back(
                {.file = object.file,
                 .ns = std::string(text_of(object.root, {"metadata", "namespace"})),
                 .revision = revision_in(object.root)});
        }
    }
}

std::optional<std::string> FluxRevisions::find(std::string_view source, const std::string& file,
                                               const std::string& cluster,
                                               const std::set<std::string>& applied) const {
    const std::size_t slash = source.find('/');
    const std::string_view ns = source.substr(0, slash);
    std::vector<const Source*> known;
    const auto named = sources_.find(source.substr(slash + 1));
    if (named != sources_.end()) {
        // One that nothing applies may be applied by hand, if it is the only one.
        const bool is_single = named->second.size() == 1;
        for (const Source& one : named->second) {
            const bool is_here = is_single || one.is_instance || applied.contains(one.file);
            if (is_here && (ns.empty() || one.ns.empty() || one.ns == ns)) {
                known.push_back(&one);
            }
        }
    }
    keep_nearest(known, [&](const Source* one) {
        const bool is_of_cluster = !cluster.empty() && repo::is_within(one->file, cluster);
        return static_cast<std::size_t>(is_of_cluster);
    });
    keep_nearest_file(known, file);
    const bool agree = std::ranges::all_of(
        known, [&](const Source* one) { return one->revision == known.front()->revision; });
    return agree && !known.empty() ? known.front()->revision : std::nullopt;
}

}  // namespace renderer::engines
