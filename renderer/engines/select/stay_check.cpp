#include "renderer/engines/select/stay_check.h"

#include <algorithm>
#include <string>

#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/deciding_variables.h"
#include "renderer/engines/select/select_build.h"
#include "renderer/engines/unit_build.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// True for a text with a release of Flux or k3s whose chart may be at hand: in a directory of this
// tree, or, if `has_dirs`, in one of --charts.
bool may_install_chart(std::string_view text, bool has_dirs) {
    return installs_chart_of_source(text) ||
           (has_dirs && (text.find("HelmRelease") != std::string_view::npos ||
                         text.find(kHelmOfK3s) != std::string_view::npos));
}

}  // namespace

bool has_charts(const PlainBuild& build, const BuildFiles& read) {
    return std::ranges::any_of(read.paths, [&](const std::string& path) {
        const Kustomization* file = build.reader.find_file(path);
        return file != nullptr && file->root.find("helmCharts") != nullptr;
    });
}

bool StayCheck::may_stay(const PlainBuild& build, const BuildFiles& read,
                         const Diagnostics& found) const {
    const bool has_place = context_.options.only_generated ||
                           (!context_.options.one_stream && !build.dir.relative.empty());
    return has_place && !read.mentions_tailscale && !read.leaves_root &&
           !(has_chart_dirs() && has_charts(build, read)) && !may_expose(build, read) &&
           (needs_kustomize(found) || !mentioned_below(build.dir));
}

bool StayCheck::may_expose(const PlainBuild& build, const BuildFiles& read) const {
    const std::vector<std::string>& words = context_.options.input_words;
    const UnitVariables* variables = build.unit->variables.get();
    const bool has_words = !words.empty() || variables != nullptr;
    const bool has_dirs = has_chart_dirs();
    const bool may_install =
        context_.options.only_generated && (has_dirs || charts_mention_tailscale());
    return (has_words || may_install) &&
           std::ranges::any_of(read.paths, [&](const std::string& path) {
               const Result<std::string> text = build.tree.read(path);
               return text && ((has_words && repo::mentions_input(*text, words)) ||
                               (variables != nullptr &&
                                may_be_input_by_variable(*text, *variables, words)) ||
                               (may_install && may_install_chart(*text, has_dirs)));
           });
}

// Returns true if charts may be in a directory of --charts. Their templates may mention Tailscale.
bool StayCheck::has_chart_dirs() const {
    const repo::LoadOptions& options = context_.options;
    return options.only_generated &&
           (!options.chart_dirs.empty() || !options.configured_chart_dirs.empty());
}

bool StayCheck::charts_mention_tailscale() const {
    if (!charts_mention_) {
        charts_mention_ = std::ranges::any_of(dirs_, [&](const repo::WalkedDir* dir) {
            return dir->in_chart && (!context_.options.input_words.empty() ||
                                     repo::mentions_tailscale(context_.build.tree, *dir));
        });
    }
    return *charts_mention_;
}

bool StayCheck::mentioned_below(const repo::WalkedDir& top) const {
    return std::ranges::any_of(dirs_, [&](const repo::WalkedDir* dir) {
        return repo::is_within(dir->path, top.path) &&
               repo::mentions_tailscale(context_.build.tree, *dir);
    });
}

}  // namespace renderer::engines
