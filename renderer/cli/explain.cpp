#include "renderer/cli/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/cli/append_format.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/json_reports.h"
#include "renderer/cli/report.h"
#include "renderer/plan/workload/api_proxy.h"
#include "renderer/policy/needs.h"

namespace renderer::cli {
namespace {

// Compares kinds as kubectl does: `asked` may have any case, be plural, or be a short name.
bool matches_kind(std::string_view kind, std::string_view asked) {
    using Short = std::pair<std::string_view, std::string_view>;
    constexpr std::array kShorts = {Short{"svc", "Service"},      Short{"ing", "Ingress"},
                                    Short{"sts", "StatefulSet"},  Short{"cm", "ConfigMap"},
                                    Short{"ns", "Namespace"},     Short{"sa", "ServiceAccount"},
                                    Short{"deploy", "Deployment"}};
    const std::string one = lower_case(kind);
    const std::string other = lower_case(asked);
    const auto* found = std::ranges::find(kShorts, std::string_view(other), &Short::first);
    return other == one || other == one + "s" || other == one + "es" ||
           (found != kShorts.end() && found->second == kind);
}

// "Kind/name" also stands for every "Kind/namespace/name".
bool matches(std::string_view full, std::string_view asked) {
    const std::string_view kind = take(full, '/');
    const std::string_view asked_kind = take(asked, '/');
    const bool is_name = full == asked || full.substr(full.find('/') + 1) == asked;
    return is_name && !asked.empty() && matches_kind(kind, asked_kind);
}

std::vector<const Object*> all_objects(const Run& run) {
    std::vector<const Object*> all;
    for (const auto* objects :
         {&run.objects, &run.plan.replacements, &run.loaded.generated_inputs}) {
        for (const Object& object : *objects) {
            all.push_back(&object);
        }
    }
    return all;
}

bool is_foreign(const Document& document) {
    return document.reachable && document.kind.is_string();
}

const Document* document_at(const Run& run, Pos pos) {
    const SourceId source = run.loaded.sources.source_of(pos);
    const std::size_t offset = run.loaded.sources.offset_of(pos);
    for (const Document& document : run.loaded.documents) {
        if (document.source == source && document.range.begin <= offset &&
            offset < document.range.end) {
            return &document;
        }
    }
    return nullptr;
}

void add_line(const Run& run, Pos pos, Explanation& to) {
    const SourceMap& sources = run.loaded.sources;
    to.lines.push_back({place_of(pos, sources), std::string(sources.locate(pos).text)});
}

// Adds the line where the parent begins, then all of its lines that mention Tailscale.
void add_input(const Run& run, Pos pos, Explanation& to) {
    if (!pos.known()) {
        return;
    }
    add_line(run, pos, to);
    const Document* document = document_at(run, pos);
    if (document == nullptr) {
        return;
    }
    const SourceMap& sources = run.loaded.sources;
    const auto [first, last] = document->range;
    const std::string_view text = sources.text(document->source);
    for (const std::string_view line : split(text.substr(first, last - first), '\n')) {
        const auto offset = static_cast<std::size_t>(line.data() - text.data());
        const Pos begin = sources.pos(document->source, offset);
        const std::size_t content = std::min(line.find_first_not_of(' '), line.size());
        const bool comment = line.substr(content).starts_with('#');
        if (!comment && line.find("tailscale") != std::string_view::npos &&
            (sources.offset_of(pos) < offset || sources.offset_of(pos) > offset + line.size())) {
            add_line(run, begin, to);
        }
    }
}

std::vector<std::string> names_of_children(const std::vector<const Object*>& all,
                                           const Origin& origin, const Object* except) {
    std::vector<std::string> names;
    for (const Object* object : all) {
        if (object->origin.parent == origin.parent && object->origin.rule == origin.rule &&
            object != except) {
            names.push_back(object->object_name());
        }
    }
    return names;
}

void add_origin(const Run& run, const Origin& origin, Explanation& to) {
    to.rule = origin.rule;
    to.parent = origin.parent;
    add_input(run, origin.pos, to);
}

// Returns the tailnet policy that the workload needs, or "" if it does not serve the Kubernetes
// API.
std::string policy_of(const plan::Plan& plan, const plan::Workload& workload) {
    const auto* group = workload.as<plan::ProxyGroupPlan>();
    if (const auto* proxy = workload.as<plan::ApiProxyPlan>()) {
        return plan::api_proxy_policy(workload.tags, plan.settings, proxy->impersonates, "");
    }
    const auto offered =
        std::ranges::find_if(plan.offered, [&](const plan::OfferedService& service) {
            return group != nullptr && service.offer == plan::Offer::KubeApi &&
                   service.group == workload.name;
        });
    return offered == plan.offered.end()
               ? std::string()
               : plan::api_proxy_policy(workload.tags, plan.settings, group->input.api_auth,
                                        offered->name());
}

void add_policy(const Run& run, const Origin& origin, Explanation& to) {
    for (const plan::Workload& workload : run.plan.workloads) {
        if (workload.origin.parent == origin.parent && workload.origin.rule == origin.rule) {
            to.policy += policy_of(run.plan, workload);
        }
    }
}

Explanation explain_object(const Run& run, const std::vector<const Object*>& all,
                           const Object& object) {
    Explanation found{.object = object.object_name(), .generator = std::string(object.generator)};
    add_origin(run, object.origin, found);
    found.together = names_of_children(all, object.origin, &object);
    add_policy(run, object.origin, found);
    return found;
}

void add_edits(const Run& run, const Document& document, Explanation& to) {
    for (const Edit& edit : run.plan.edits) {
        if (edit.source == document.source && edit.begin >= document.range.begin &&
            edit.begin <= document.range.end) {
            to.edits.push_back(edit.reason);
        }
    }
}

// Adds an explanation for each rule that makes objects of this parent.
void explain_parents(const Run& run, const std::vector<const Object*>& all, std::string_view asked,
                     std::vector<Explanation>& out) {
    std::set<std::pair<std::string_view, std::string_view>> done;
    for (const Object* object : all) {
        const Origin& origin = object->origin;
        if (!origin.parent.empty() && matches(origin.parent, asked) &&
            done.emplace(origin.parent, origin.rule).second) {
            Explanation& found = out.emplace_back(Explanation{.object = origin.parent});
            add_origin(run, origin, found);
            found.makes = names_of_children(all, origin, nullptr);
            add_policy(run, origin, found);
            const Document* document = origin.pos.known() ? document_at(run, origin.pos) : nullptr;
            if (document != nullptr) {
                add_edits(run, *document, found);
            }
        }
    }
}

// Adds Tailscale Services that pods of a group serve. They have no objects of their own.
void explain_served(const Run& run, std::string_view asked, std::vector<Explanation>& out) {
    for (const plan::OfferedService& service : run.plan.offered) {
        if (!matches(service.origin.parent, asked)) {
            continue;
        }
        Explanation& found = out.emplace_back(Explanation{.object = service.origin.parent});
        add_origin(run, service.origin, found);
        found.offers = service.name();
        for (const plan::Workload& workload : run.plan.workloads) {
            if (workload.as<plan::ProxyGroupPlan>() != nullptr && workload.name == service.group) {
                found.served_by.push_back(
                    fmt::format("{}, of {}", object_name("StatefulSet", workload.ns, workload.name),
                                workload.origin.parent));
            }
        }
    }
}

void explain_foreign(const Run& run, std::string_view asked, std::vector<Explanation>& out) {
    for (const Document& document : run.loaded.documents) {
        if (!is_foreign(document) || !matches(document.object_name(), asked)) {
            continue;
        }
        Explanation& found = out.emplace_back(Explanation{.object = document.object_name()});
        found.note = run.loaded.only_generated ? "is applied as it is" : "passes through";
        add_line(run, document.kind.pos(), found);
        add_edits(run, document, found);
    }
}

// Adds the API server proxy that `install` renders because of the same values.
void explain_elsewhere(const Run& run, std::string_view asked, std::vector<Explanation>& out) {
    const std::optional<plan::Workload>& proxy = run.plan.api_proxy_elsewhere;
    if (!proxy) {
        return;
    }
    const std::string name = object_name("StatefulSet", proxy->ns, proxy->name);
    if (matches(name, asked)) {
        Explanation& found = out.emplace_back(Explanation{.object = name});
        found.note = "is rendered with the controller, by tailrender install";
        add_origin(run, proxy->origin, found);
        found.policy = policy_of(run.plan, *proxy);
    }
}

// Returns the section of the tailnet policy that approves what is needed, or "".
std::string_view approving_section(policy::NeedKind kind) {
    switch (kind) {
        case policy::NeedKind::Route:
            return "autoApprovers.routes";
        case policy::NeedKind::ExitNode:
            return "autoApprovers.exitNode";
        case policy::NeedKind::Service:
            return "autoApprovers.services";
        case policy::NeedKind::TagOwner:
        case policy::NeedKind::Funnel:
            break;
    }
    return {};
}

void add_approvals(const Run& run, std::vector<Explanation>& found) {
    policy::Needs needs;
    policy::add_needs(run.plan, run.loaded.sources, {}, needs);
    for (const plan::TailnetPlan& tailnet : run.plan.tailnets) {
        policy::add_needs(run.plan, run.loaded.sources, tailnet.name, needs);
    }
    for (const policy::Need& need : needs.all) {
        const std::string_view section = approving_section(need.kind);
        for (Explanation& one : found) {
            const bool is_needed =
                std::ranges::any_of(need.reasons, [&](const policy::Reason& reason) {
                    return reason.object == one.object || reason.object == one.parent;
                });
            if (is_needed && !section.empty()) {
                one.approvals.push_back(fmt::format(
                    "{}{}{} for {}, or by hand in the admin console", section,
                    need.name.empty() ? "" : ": ", need.name, fmt::join(need.tags, " or ")));
            }
        }
    }
}

void append_names(std::string_view title, const std::vector<std::string>& names, std::string& out) {
    for (const std::string& name : names) {
        append_names_to(out, "  {:<9} {}\n", &name == &names.front() ? title : "", name);
    }
}

void append_field(std::string_view title, const std::string& text, std::string& out) {
    if (!text.empty()) {
        append_names_to(out, "  {:<9} {}\n", title, text);
    }
}

void append_explanation(const Explanation& one, std::string& out) {
    append_names_to(out, "{}\n", one.object);
    if (!one.note.empty()) {
        append_names_to(out, "  {}\n", one.note);
    }
    append_field("generator", one.generator, out);
    append_field("rule", one.rule, out);
    append_field("from", one.parent, out);
    for (const SourceLine& line : one.lines) {
        append_names_to(out, "    {} | {}\n", line.place, line.text);
    }
    append_names("together", one.together, out);
    append_names("makes", one.makes, out);
    append_field("offers", one.offers, out);
    for (const std::string& server : one.served_by) {
        append_field("served by", server, out);
    }
    append_names("approval", one.approvals, out);
    if (!one.policy.empty()) {
        append_field("policy", "the rules that the tailnet policy needs; the grant is an example",
                     out);
        for (const std::string_view line : split(one.policy, '\n')) {
            append_names_to(out, "    {}\n", line);
        }
    }
    for (const std::string& edit : one.edits) {
        append_field("edit", edit, out);
    }
}

// Compares names of one kind first: `svc/wbe` and `svc/shop/wbe` mean Service/shop/web.
std::string_view nearest_name(std::string_view asked,
                              const std::vector<std::string_view>& candidates) {
    std::string_view rest = asked;
    const std::string_view asked_kind = take(rest, '/');
    const std::string_view asked_name = rest.substr(rest.rfind('/') + 1);
    std::vector<std::string_view> names;
    std::vector<std::string_view> of_kind;
    for (const std::string_view candidate : candidates) {
        const bool is_of_kind = matches_kind(kind_of_name(candidate), asked_kind);
        if (is_of_kind) {
            of_kind.push_back(candidate);
            names.push_back(candidate.substr(candidate.rfind('/') + 1));
        }
    }
    const std::string_view near = nearest(asked_name, names);
    const auto found = std::ranges::find(names, near);
    if (!near.empty() && found != names.end()) {
        return of_kind[static_cast<std::size_t>(found - names.begin())];
    }
    // The kind may be the typo.
    for (const std::string_view candidate : candidates) {
        const std::string_view kind = kind_of_name(candidate);
        if (candidate.substr(candidate.rfind('/') + 1) == asked_name &&
            (of_kind.empty() || !nearest(asked_kind, {kind}).empty())) {
            return candidate;
        }
    }
    return nearest(asked, candidates);
}

Error unknown_object(const Run& run, const std::vector<const Object*>& all,
                     std::string_view asked) {
    std::set<std::string> names;
    for (const Object* object : all) {
        names.insert(object->object_name());
        names.insert(object->origin.parent);
    }
    for (const Document& document : run.loaded.documents) {
        if (is_foreign(document)) {
            names.insert(document.object_name());
        }
    }
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string_view near = nearest_name(asked, candidates);
    return Error{{.rule = "unknown-object",
                  .where = "explain",
                  .message = "object not found in the input or the output",
                  .found = fmt::format("\"{}\"", asked),
                  .expected = "Kind/namespace/name or Kind/name",
                  .hint = did_you_mean(near)}};
}

}  // namespace

Result<std::vector<Explanation>> explain(const Run& run, std::string_view object) {
    const std::vector<const Object*> all = all_objects(run);
    std::vector<Explanation> found;
    for (const Object* each : all) {
        if (matches(each->object_name(), object)) {
            found.push_back(explain_object(run, all, *each));
        }
    }
    explain_parents(run, all, object, found);
    for (const auto explain_rest : {explain_served, explain_foreign, explain_elsewhere}) {
        if (found.empty()) {
            explain_rest(run, object, found);
        }
    }
    if (found.empty()) {
        return unknown_object(run, all, object);
    }
    add_approvals(run, found);
    return found;
}

std::string explain_text(const std::vector<Explanation>& explanations) {
    std::string out;
    for (const Explanation& one : explanations) {
        append_explanation(one, out);
    }
    return out;
}

Result<int> run_explain(const Options& options, ClusterRuns& runs, Console& console) {
    if (!runs.render_one(options.load)) {
        return runs.fail(console);
    }
    const std::vector<Explanation> found = TRY(explain(runs.last(), options.object));
    const bool is_json = options.format == ReportFormat::Json;
    return console.show(is_json ? explain_json(found) : explain_text(found)) ? 0 : kErrors;
}

}  // namespace renderer::cli
