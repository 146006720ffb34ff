// For tests only: runs a stream through load, classify and plan, as if its documents were in files,
// with the settings of a values file and names for the images of this project.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <string_view>

#include "renderer/load/load.h"
#include "renderer/plan/model.h"
#include "renderer/plan/plan.h"
#include "renderer/plan/settings/settings_testing.h"

namespace renderer::plan {

struct Planned {
    Diagnostics diagnostics;
    load::Loaded loaded;
    classify::Inventory inventory;
    Plan plan;

    explicit Planned(std::string stream, std::string_view values = "") {
        read(std::move(stream), values);
        run();
    }
    // `change` may change the loaded documents before they are classified.
    template <typename Change>
    Planned(std::string stream, std::string_view values, Change change) {
        read(std::move(stream), values);
        change(loaded);
        run();
    }

    // Returns "3: error [rule] Object: message | found | expected | hint", then the notes,
    // indented; in the order of the diagnostics. Omits known holes of the default image, which
    // concern every Ingress.
    [[nodiscard]] std::string dump() const {
        std::string out;
        for (const Diagnostic& one : diagnostics.all()) {
            if (one.rule == "vulnerable-image") {
                continue;
            }
            out += fmt::format("{}: {} [{}] {}{}{}", line(one.pos),
                               one.severity == Severity::Error ? "error" : "warning", one.rule,
                               one.object, one.object.empty() ? "" : ": ", one.message);
            for (const std::string* part : {&one.found, &one.expected, &one.hint}) {
                out += part->empty() ? "" : " | " + *part;
            }
            out += '\n';
            for (const Note& note : one.notes) {
                out += fmt::format("  {}: {}: {}\n", line(note.pos), note.object, note.text);
            }
        }
        return out;
    }

    [[nodiscard]] const Workload& workload(std::size_t i = 0) const { return plan.workloads.at(i); }
    [[nodiscard]] const ProxyPlan& proxy(std::size_t i = 0) const {
        return std::get<ProxyPlan>(workload(i).feature);
    }

    // Returns the parents of all proxies, in the order of the plan.
    [[nodiscard]] std::string parents() const {
        std::vector<std::string> names;
        for_each_of<ProxyPlan>(plan.workloads, [&](const Workload& workload, const ProxyPlan&) {
            names.push_back(workload.origin.parent);
        });
        return fmt::format("{}", fmt::join(names, " "));
    }

private:
    void read(std::string stream, std::string_view values) {
        const auto options = std::make_unique<repo::LoadOptions>();
        options->stream = std::move(stream);
        loaded = load::load(std::move(*options), diagnostics);
        loaded.is_stream = false;
        loaded.values.push_back(parse(loaded.sources, kOwnImages, diagnostics));
        loaded.values.push_back(parse(loaded.sources, values, diagnostics));
    }
    void run() {
        inventory = classify::classify(
            loaded, validate::validate_inputs(loaded, false, 1, diagnostics), diagnostics);
        plan = plan::plan(loaded, inventory, diagnostics);
    }
    [[nodiscard]] std::uint32_t line(Pos pos) const {
        return pos.known() ? loaded.sources.locate(pos).line : 0;
    }
};

// Returns a Service that is exposed by annotation, with further annotations and its spec, both in
// flow style. Its lines: kind 2, annotations 3, spec 4.
inline std::string exposed(std::string_view annotations = "",
                           std::string_view spec = "ports: [{port: 80}]",
                           std::string_view name = "web") {
    return fmt::format(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: {}, namespace: shop, annotations: "
        "{{tailscale.com/expose: \"true\"{}{}}}}}\nspec: {{{}}}\n",
        name, annotations.empty() ? "" : ", ", annotations, spec);
}

// Returns an Ingress of class tailscale. Its lines: kind 2, metadata 3, spec 4.
inline std::string ingress(std::string_view spec, std::string_view annotations = "",
                           std::string_view name = "site") {
    return fmt::format(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: {}, namespace: shop, "
        "annotations: {{{}}}}}\nspec: {{ingressClassName: tailscale, {}}}\n",
        name, annotations, spec);
}

// Returns a Service that nothing exposes.
inline std::string service(std::string_view name, std::string_view spec) {
    return fmt::format(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: {}, namespace: shop}}\nspec: {{{}}}\n",
        name, spec);
}

constexpr std::string_view kSeparator = "---\n";

}  // namespace renderer::plan
