// Checks whether the tailnet's policy file allows what is rendered, if it is in the repository
// (HuJSON with `tagOwners` at its top). Routes and Tailscale Services may be approved by hand
// instead, so only tags and Funnel are checked.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/lint/families.h"
#include "renderer/policy/check.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

policy::Needs checked_needs(const LintContext& context) {
    policy::Needs needs;
    policy::add_needs(context.input.plan, context.loaded.sources, "", needs);
    std::erase_if(needs.all, [](const policy::Need& need) {
        const bool is_checked =
            need.kind == policy::NeedKind::TagOwner || need.kind == policy::NeedKind::Funnel;
        return !is_checked || need.reasons.empty();
    });
    return needs;
}

// A file that is not a policy may also have this text.
void check_policy_file(const LintContext& context, const std::string& path, std::string text,
                       const policy::Needs& needs) {
    Diagnostics quiet;
    SourceMap& sources = context.loaded.sources;
    const SourceId source = sources.add(path, std::move(text));
    const auto root = policy::read_hujson(sources, source, quiet);
    const auto sections =
        root ? policy::find_sections(*root, sources, source, quiet) : std::nullopt;
    if (sections && sections->tag_owners != nullptr) {
        policy::report_missing(*sections, policy::missing_needs(*sections, needs), sources, source,
                               policy::Places::OfBoth, context.diagnostics);
    }
}

}  // namespace

void check_tailnet_policy(const LintContext& context) {
    const policy::Needs needs = checked_needs(context);
    for (const repo::WalkedDir& dir : context.repository.dirs) {
        for (const std::string& name : dir.files) {
            if (!name.ends_with(".hujson") && !name.ends_with(".json")) {
                continue;
            }
            const std::string path = repo::join_path(dir.path, name);
            Result<std::string> text = context.repository.tree.read(path);
            if (text && text->find("agOwners") != std::string::npos) {
                check_policy_file(context, path, std::move(*text), needs);
            }
        }
    }
}

}  // namespace renderer::lint
