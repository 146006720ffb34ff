// Checks whether the tailnet's policy file allows what is rendered, if it is in the repository
// (JSON with comments, `tagOwners` at its top). Source: tailscale.com/kb/1337/policy-syntax,
// kb/1236/kubernetes-operator.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "renderer/core/yaml_reader.h"
#include "renderer/lint/families.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

using Tags = std::map<std::string, Pos, std::less<>>;  // with the places that use them

// Turns HuJSON into JSON of the same length. Trailing commas are allowed in YAML.
std::string without_comments(std::string text) {
    bool quoted = false;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (quoted && text[i] == '\\') {
            ++i;
        } else if (quoted) {
            quoted = text[i] != '"';
        } else if (text[i] == '"') {
            quoted = true;
        } else if (text[i] == '/' && (text[i + 1] == '/' || text[i + 1] == '*')) {
            const bool line = text[i + 1] == '/';
            const std::size_t found = text.find(line ? "\n" : "*/", i + 2);
            const std::size_t end =
                found == std::string::npos ? text.size() : found + (line ? 0 : 2);
            for (; i < end; ++i) {
                text[i] = text[i] == '\n' ? '\n' : ' ';
            }
            --i;
        } else if (text[i] == '\t') {
            text[i] = ' ';
        }
    }
    return text;
}

Tags operator_tags(const plan::Plan& plan) {
    Tags tags;
    for (const Value& tag : items_of(plan.settings.chart.at({"operatorConfig", "defaultTags"}))) {
        tags.emplace(text_of(&tag), tag.pos());
    }
    return tags;
}

Tags proxy_tags(const plan::Plan& plan, bool only_funnel) {
    Tags tags;
    plan::for_each_of<plan::ProxyPlan>(
        plan.workloads, [&](const plan::Workload& workload, const plan::ProxyPlan& proxy) {
            for (const std::string& tag : workload.tags) {
                if ((!only_funnel || proxy.funnel) && workload.tailnet.empty()) {
                    tags.emplace(tag, workload.origin.pos);
                }
            }
        });
    return tags;
}

bool names_one(const Value* list, const Tags& tags) {
    return std::ranges::any_of(items_of(list),
                               [&](const Value& item) { return tags.contains(text_of(&item)); });
}

void check_tag_owners(const LintContext& context, const Value& owners) {
    const Tags ours = operator_tags(context.input.plan);
    for (const auto& [tag, pos] : proxy_tags(context.input.plan, false)) {
        const Value* owner = owners.find(tag);
        if (names_one(owner, ours) || names_one(owner, {{tag, pos}})) {
            continue;
        }
        std::vector<std::string_view> names;
        for (const auto& [name, place] : ours) {
            names.push_back(name);
        }
        context
            .error("policy-tag-owner", owner != nullptr ? owner->pos() : owners.pos(),
                   owner == nullptr
                       ? fmt::format("no one may assign \"{}\" to a device", tag)
                       : fmt::format("the controller may not assign \"{}\" to a device", tag))
            .expected(fmt::format("\"{}\": [\"{}\"]", tag, fmt::join(names, "\", \"")))
            .note({.pos = pos, .text = "requests the tag"});
    }
}

void check_funnel(const LintContext& context, const Value& policy) {
    const Tags tags = proxy_tags(context.input.plan, true);
    if (tags.empty()) {
        return;
    }
    const bool allowed =
        std::ranges::any_of(repo::list_of(policy, "nodeAttrs"), [&](const Value& entry) {
            const Value* targets = entry.find("target");
            return names_one(entry.find("attr"), {{"funnel", {}}}) &&
                   (names_one(targets, tags) || names_one(targets, {{"*", {}}}));
        });
    if (!allowed) {
        const Member* attributes = policy.find_member("nodeAttrs");
        context
            .error("policy-funnel", attributes != nullptr ? attributes->key.pos() : policy.pos(),
                   "the policy does not let the proxies use Funnel")
            .expected(fmt::format(R"({{"target": ["{}"], "attr": ["funnel"]}} in nodeAttrs)",
                                  tags.begin()->first))
            .note({.pos = tags.begin()->second, .text = "requests Funnel"});
    }
}

}  // namespace

void check_tailnet_policy(const LintContext& context) {
    for (const repo::WalkedDir& dir : context.repository.dirs) {
        for (const std::string& name : dir.files) {
            if (!name.ends_with(".hujson") && !name.ends_with(".json")) {
                continue;
            }
            const std::string path = repo::join_path(dir.path, name);
            Result<std::string> text = context.repository.tree.read(path);
            if (!text || text->find("tagOwners") == std::string::npos) {
                continue;
            }
            Diagnostics quiet;
            const SourceId source =
                context.loaded.sources.add(path, without_comments(std::move(*text)));
            const Value policy = read_yaml(context.loaded.sources, source, quiet);
            if (const Value* owners = repo::map_of(policy, "tagOwners")) {
                check_tag_owners(context, *owners);
                check_funnel(context, policy);
            }
        }
    }
}

}  // namespace renderer::lint
