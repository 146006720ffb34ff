#include "renderer/plan/install/chart_stream.h"

#include <fmt/format.h>

#include "renderer/core/text_of.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/settings/settings_decoder.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kNoPermissions = "the controller would have no permissions";
constexpr std::string_view kChartRule = "install: the chart's document, for our controller";

bool is(const Document& document, std::string_view kind, std::string_view name) {
    return text_of(document.kind) == kind && text_of(document.name) == name;
}

void replace(const Document& document, Value root, Installation& made, Diagnostics& diagnostics) {
    cut_document(document, "replaced by the controller's", made.edits, diagnostics);
    made.replacements.push_back(
        {.root = std::move(root),
         .origin = {document.kind.pos(), document.object_name(), kChartRule},
         .bundle = document.bundle,
         .generator = "install"});
}

void replace_deployment(const load::Loaded& loaded, const Document& document,
                        const Settings& settings, Installation& made, Diagnostics& diagnostics) {
    Value root = load::read_document(loaded, document, diagnostics);
    Value* container = operator_container(root);
    if (container != nullptr) {
        make_controller(*container, settings);
        replace(document, std::move(root), made, diagnostics);
    }
}

void replace_rules(const load::Loaded& loaded, const Document& document, Value rules,
                   Installation& made, Diagnostics& diagnostics) {
    Value root = load::read_document(loaded, document, diagnostics);
    if (root.is_map()) {
        root.put("rules", std::move(rules));
        replace(document, std::move(root), made, diagnostics);
    }
}

// The operator serves the Kubernetes API itself and so may impersonate. The controller does not
// serve it, and no account in its namespace impersonates where there is another namespace for that.
void take_from_controller(const load::Loaded& loaded, const Document& document,
                          const Settings& settings, Installation& made, Diagnostics& diagnostics) {
    Value root = load::read_document(loaded, document, diagnostics);
    Value subjects = Value::list();
    for (const Value& subject : items_of(root.find("subjects"))) {
        if (text_of(subject.find("name")) != settings.names.name) {
            Value& kept = subjects.append(subject.clone());
            if (settings.has_api_namespace() && text_of(kept.find("kind")) == "ServiceAccount" &&
                text_of(kept.find("name")) == kAuthProxyAccount) {
                kept.put("namespace", settings.api_ns);
            }
        }
    }
    if (subjects.size() < items_of(root.find("subjects")).size() || settings.has_api_namespace()) {
        root.put("subjects", std::move(subjects));
        replace(document, std::move(root), made, diagnostics);
    }
}

void move_account(const load::Loaded& loaded, const Document& document, const Settings& settings,
                  Installation& made, Diagnostics& diagnostics) {
    Value root = load::read_document(loaded, document, diagnostics);
    if (Value* metadata = root.find("metadata"); metadata != nullptr) {
        metadata->put("namespace", settings.api_ns);
        replace(document, std::move(root), made, diagnostics);
    }
}

void report_missing(const Document& deployment, std::string_view kind, std::string_view name,
                    std::string_view consequence, Diagnostics& diagnostics) {
    about(deployment, diagnostics)
        .error("incomplete-operator", deployment.kind.pos(),
               fmt::format("the operator is in this stream, but its {} \"{}\" is not: {}", kind,
                           name, consequence))
        .hint("render all templates of the chart at once");
}

}  // namespace

void cut_document(const Document& document, std::string reason, std::vector<Edit>& edits,
                  Diagnostics& diagnostics) {
    if (document.list != kNone) {
        about(document, diagnostics)
            .error("not-supported", document.kind.pos(),
                   "an object of the operator cannot be an item of a List")
            .hint("make it a separate document");
        return;
    }
    edits.push_back({.source = document.source,
                     .begin = document.range.begin,
                     .end = document.range.end,
                     .replacement = {},
                     .reason = std::move(reason)});
}

Installation plan_chart_stream(const load::Loaded& loaded, const classify::Inventory& inventory,
                               const Settings& settings, Diagnostics& diagnostics) {
    Installation made;
    const classify::OperatorInput& stock = inventory.stock_operator;
    bool cluster_role = false;
    bool role = false;
    bool account = !flag_at(settings.chart, {"apiServerProxyConfig", "mode"});
    for (const Document* document : stock.parts) {
        if (document == stock.deployment) {
            replace_deployment(loaded, *document, settings, made, diagnostics);
        } else if (is(*document, "ClusterRole", settings.names.cluster)) {
            cluster_role = true;
            replace_rules(loaded, *document, controller_cluster_rules(), made, diagnostics);
        } else if (is(*document, "Role", settings.names.name)) {
            role = true;
            replace_rules(loaded, *document, controller_rules(settings), made, diagnostics);
        } else if (is(*document, "ClusterRoleBinding", kAuthProxyClusterRole)) {
            take_from_controller(loaded, *document, settings, made, diagnostics);
        }
        if (is(*document, "ServiceAccount", kAuthProxyAccount)) {
            account = true;
            if (settings.has_api_namespace()) {
                move_account(loaded, *document, settings, made, diagnostics);
            }
        }
    }
    const auto require = [&](bool found, std::string_view kind, std::string_view name,
                             std::string_view consequence) {
        if (!found) {
            report_missing(*stock.deployment, kind, name, consequence, diagnostics);
        }
    };
    require(cluster_role, "ClusterRole", settings.names.cluster, kNoPermissions);
    require(role, "Role", settings.names.name, kNoPermissions);
    require(account, "ServiceAccount", kAuthProxyAccount, "the API proxy would not start");
    return made;
}

}  // namespace renderer::plan
