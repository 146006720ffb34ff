#include "renderer/plan/operator_settings.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "renderer/kube/name_grammar.h"
#include "renderer/plan/settings/settings_decoder.h"

namespace renderer::plan {

namespace {

// The operator's namespace, which is also the namespace of the generated objects.
struct OperatorNamespace {
    std::string name;
    Pos pos;
    std::string object = {};
};

OperatorNamespace operator_namespace(const load::Loaded& loaded,
                                     const classify::OperatorInput& stock) {
    if (const Document* deployment = stock.deployment) {
        const Pos pos = deployment->ns.pos();
        return {.name = deployment->effective_namespace,
                .pos = pos.known() ? pos : deployment->kind.pos(),
                .object = deployment->object_name()};
    }
    if (const std::optional<load::OperatorRelease>& release = loaded.operator_release) {
        return {.name = release->ns, .pos = release->pos, .object = release->object};
    }
    if (!loaded.operator_bundle) {
        return {};
    }
    const engines::Bundle& bundle = loaded.bundles[*loaded.operator_bundle];
    return bundle.forced_namespace.empty()
               ? OperatorNamespace{.name = bundle.default_namespace, .pos = bundle.pos}
               : OperatorNamespace{.name = bundle.forced_namespace,
                                   .pos = bundle.forced_namespace_pos};
}

std::vector<ReleaseSource> installed_releases(const load::Loaded& loaded) {
    std::vector<ReleaseSource> sources;
    if (const std::optional<load::OperatorRelease>& release = loaded.operator_release) {
        sources.push_back({.text = release->version,
                           .where = "the version of the operator's chart",
                           .pos = release->pos,
                           .object = release->object,
                           .is_replaced = release->document == kNone});
    } else if (loaded.operator_bundle) {
        const engines::Bundle& bundle = loaded.bundles[*loaded.operator_bundle];
        sources.push_back(
            {.text = bundle.chart_version, .where = "helm.version", .pos = bundle.chart_pos});
    }
    return sources;
}

// Values that are a text or a parameter in the release have no place of their own in a file.
void report_release_keys(const load::Loaded& loaded, Diagnostics& diagnostics) {
    Diagnostics found;
    for (const Value& values : loaded.release_values) {
        check_release_keys(values, found);
    }
    for (Diagnostic one : found.all()) {
        const std::string_view file = loaded.sources.locate(one.pos).path;
        if (!file.ends_with(".yaml") && !file.ends_with(".yml") && !file.ends_with(".json")) {
            one.pos = loaded.operator_release->pos;
        }
        one.object = loaded.operator_release->object;
        diagnostics.add(std::move(one));
    }
}

}  // namespace

Settings operator_settings(const load::Loaded& loaded, const classify::OperatorInput& stock,
                           Diagnostics& diagnostics) {
    std::vector<const Value*> layers = {&stock.values};
    for (const Value& values : loaded.values) {
        layers.push_back(&values);
    }
    const OperatorNamespace home = operator_namespace(loaded, stock);
    if (!home.name.empty() && !is_dns1123_label(home.name)) {
        diagnostics
            .error("invalid-object", home.pos, fmt::format("invalid namespace \"{}\"", home.name))
            .object(home.object)
            .expected(kDnsLabelGrammar);
    }
    report_release_keys(loaded, diagnostics);
    return decode_settings(layers, home.name, installed_releases(loaded), diagnostics);
}

}  // namespace renderer::plan
