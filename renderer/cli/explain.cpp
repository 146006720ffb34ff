#include "renderer/cli/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"
#include "renderer/cli/append_format.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/report.h"
#include "renderer/plan/workload/api_proxy.h"

namespace renderer {
namespace {

// As kubectl takes kinds: in any case, in the plural, or short.
bool is_kind(std::string_view kind, std::string_view asked) {
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
    return is_name && !asked.empty() && is_kind(kind, asked_kind);
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

void append_line(const Run& run, Pos pos, std::string& out) {
    const SourceMap& sources = run.loaded.sources;
    append_names_to(out, "    {} | {}\n", place_of(pos, sources), sources.locate(pos).text);
}

// The line where the parent begins, then every line of it that speaks to us.
void append_input(const Run& run, Pos pos, std::string& out) {
    if (!pos.known()) {
        return;
    }
    append_line(run, pos, out);
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
            append_line(run, begin, out);
        }
    }
}

void append_names(std::string_view title, const std::vector<const Object*>& objects,
                  const Object* except, std::string& out) {
    bool first = true;
    for (const Object* object : objects) {
        if (object != except) {
            append_names_to(out, "  {:<9} {}\n", first ? title : "", object->object_name());
            first = false;
        }
    }
}

std::vector<const Object*> children(const std::vector<const Object*>& all, const Origin& origin) {
    std::vector<const Object*> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const Object* object) {
        return object->origin.parent == origin.parent && object->origin.rule == origin.rule;
    });
    return found;
}

void append_origin(const Run& run, const Origin& origin, std::string& out) {
    append_names_to(out, "  {:<9} {}\n", "rule", origin.rule);
    if (!origin.parent.empty()) {
        append_names_to(out, "  {:<9} {}\n", "from", origin.parent);
    }
    append_input(run, origin.pos, out);
}

// "": it does not serve the Kubernetes API.
std::string policy_of(const Plan& plan, const Workload& workload) {
    const auto* group = workload.as<ProxyGroupPlan>();
    if (const auto* proxy = workload.as<ApiProxyPlan>()) {
        return api_proxy_policy(workload.tags, plan.settings, proxy->impersonates, "");
    }
    const auto offered = std::ranges::find_if(plan.offered, [&](const OfferedService& service) {
        return group != nullptr && service.offer == Offer::KubeApi &&
               service.group == workload.name;
    });
    return offered == plan.offered.end() ? std::string()
                                         : api_proxy_policy(workload.tags, plan.settings,
                                                            group->input.api_auth, offered->name());
}

// What the tailnet has to allow before the API proxy is of use to anyone.
void append_policy(const Plan& plan, const Workload& workload, std::string& out) {
    const std::string policy = policy_of(plan, workload);
    if (policy.empty()) {
        return;
    }
    append_names_to(
        out,
        "  {:<9} what the tailnet's has to allow; who may come, and as which group, is an "
        "example\n",
        "policy");
    for (const std::string_view line : split(policy, '\n')) {
        append_names_to(out, "    {}\n", line);
    }
}

void append_policy(const Run& run, const Origin& origin, std::string& out) {
    for (const Workload& workload : run.plan.workloads) {
        if (workload.origin.parent == origin.parent && workload.origin.rule == origin.rule) {
            append_policy(run.plan, workload, out);
        }
    }
}

void append_object(const Run& run, const std::vector<const Object*>& all, const Object& object,
                   std::string& out) {
    append_names_to(out, "{}\n  {:<9} {}\n", object.object_name(), "generator", object.generator);
    append_origin(run, object.origin, out);
    append_names("together", children(all, object.origin), &object, out);
    append_policy(run, object.origin, out);
}

void append_edits(const Run& run, const Document& document, std::string& out) {
    for (const Edit& edit : run.plan.edits) {
        if (edit.source == document.source && edit.begin >= document.range.begin &&
            edit.begin <= document.range.end) {
            append_names_to(out, "  {:<9} {}\n", "edit", edit.reason);
        }
    }
}

// Once for each rule that makes something of this parent.
void append_parents(const Run& run, const std::vector<const Object*>& all, std::string_view asked,
                    std::string& out) {
    std::set<std::pair<std::string_view, std::string_view>> done;
    for (const Object* object : all) {
        const Origin& origin = object->origin;
        if (!origin.parent.empty() && matches(origin.parent, asked) &&
            done.emplace(origin.parent, origin.rule).second) {
            append_names_to(out, "{}\n", origin.parent);
            append_origin(run, origin, out);
            append_names("makes", children(all, origin), nullptr, out);
            append_policy(run, origin, out);
            const Document* document = origin.pos.known() ? document_at(run, origin.pos) : nullptr;
            if (document != nullptr) {
                append_edits(run, *document, out);
            }
        }
    }
}

// Those that pods of a group serve, for which no object is made.
void append_served(const Run& run, std::string_view asked, std::string& out) {
    for (const OfferedService& service : run.plan.offered) {
        if (!matches(service.origin.parent, asked)) {
            continue;
        }
        append_names_to(out, "{}\n", service.origin.parent);
        append_origin(run, service.origin, out);
        append_names_to(out, "  {:<9} {}\n", "offers", service.name());
        for (const Workload& workload : run.plan.workloads) {
            if (workload.as<ProxyGroupPlan>() != nullptr && workload.name == service.group) {
                append_names_to(out, "  {:<9} {}, of {}\n", "served by",
                                object_name("StatefulSet", workload.ns, workload.name),
                                workload.origin.parent);
            }
        }
    }
}

void append_foreign(const Run& run, std::string_view asked, std::string& out) {
    for (const Document& document : run.loaded.documents) {
        if (!is_foreign(document) || !matches(document.object_name(), asked)) {
            continue;
        }
        append_names_to(out, "{}\n  {}\n", document.object_name(),
                        run.loaded.only_generated ? "is applied as it is" : "passes through");
        append_line(run, document.kind.pos(), out);
        append_edits(run, document, out);
    }
}

// What `install` renders because of the same values.
void append_elsewhere(const Run& run, std::string_view asked, std::string& out) {
    const std::optional<Workload>& proxy = run.plan.api_proxy_elsewhere;
    if (!proxy) {
        return;
    }
    const std::string name = object_name("StatefulSet", proxy->ns, proxy->name);
    if (matches(name, asked)) {
        append_names_to(out, "{}\n  is rendered with the controller, by tailrender install\n",
                        name);
        append_origin(run, proxy->origin, out);
        append_policy(run.plan, *proxy, out);
    }
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
    const std::string_view near = nearest(asked, candidates);
    return Error{{.rule = "unknown-object",
                  .where = "explain",
                  .message = "object not found in the input or the output",
                  .found = fmt::format("\"{}\"", asked),
                  .expected = "Kind/namespace/name or Kind/name",
                  .hint = did_you_mean(near)}};
}

}  // namespace

Result<std::string> explain(const Run& run, std::string_view object) {
    const std::vector<const Object*> all = all_objects(run);
    std::string out;
    for (const Object* each : all) {
        if (matches(each->object_name(), object)) {
            append_object(run, all, *each, out);
        }
    }
    append_parents(run, all, object, out);
    if (out.empty()) {
        append_served(run, object, out);
    }
    if (out.empty()) {
        append_foreign(run, object, out);
    }
    if (out.empty()) {
        append_elsewhere(run, object, out);
    }
    if (out.empty()) {
        return unknown_object(run, all, object);
    }
    return out;
}

Result<int> run_explain(const Options& options, ClusterRuns& runs, Console& console) {
    if (!runs.render_one(options.load)) {
        return runs.fail(console);
    }
    return console.show(TRY(explain(runs.last(), options.object))) ? 0 : 1;
}

}  // namespace renderer
