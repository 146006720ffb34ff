// For tests only: a stream through load, classify_operator, settings and plan_install.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "renderer/classify/operator_objects.h"
#include "renderer/load/load.h"
#include "renderer/plan/install/install.h"
#include "renderer/plan/settings/settings_testing.h"

namespace renderer::plan {

inline std::string read_testdata(std::string_view name) {
    std::ifstream file(std::string(TESTDATA) + "/" + std::string(name));
    EXPECT_TRUE(file.good()) << name;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// `tree`: as if the documents had been found in files. `chart`: fleet.yaml names the chart.
enum class Mode { Stream, Tree, Chart };

struct Installed {
    Diagnostics diagnostics;
    load::Loaded loaded;
    classify::Inventory inventory;
    Plan plan;

    Installed(std::string stream, Mode mode, std::string_view values = "",
              std::optional<engines::OAuthEnvFile> env = std::nullopt) {
        repo::LoadOptions options;
        options.stream = std::move(stream);
        loaded = load::load(options, diagnostics);
        loaded.is_stream = mode == Mode::Stream;
        loaded.keeps_custom_resources = loaded.is_stream;
        loaded.oauth_env = std::move(env);
        if (mode == Mode::Chart) {
            loaded.operator_bundle = 0;
            loaded.bundles[0].chart = "tailscale-operator";
            loaded.bundles[0].default_namespace = "tailscale";
        }
        loaded.values.push_back(parse(loaded.sources, kOwnImages, diagnostics));
        loaded.values.push_back(parse(loaded.sources, values, diagnostics));
        classify::classify_operator(loaded, inventory, diagnostics);
        for (const Document& document : loaded.documents) {
            if (document.kind.is_string() && document.kind.text() == "Namespace") {
                inventory.namespaces.push_back({&document, document.name.text()});
            }
        }
        decode(mode);
        Installation made = plan_install(loaded, inventory, plan.settings, diagnostics);
        plan.install = std::move(made.install);
        plan.replacements = std::move(made.replacements);
        plan.edits = std::move(made.edits);
        plan.summary = std::move(made.summary);
    }

    [[nodiscard]] std::string dump() const { return plan::dump(loaded.sources, diagnostics); }

    // Names of the documents that an edit takes out.
    [[nodiscard]] std::vector<std::string> cut() const {
        std::vector<std::string> names;
        for (const Document& document : loaded.documents) {
            for (const Edit& edit : plan.edits) {
                if (edit.source == document.source && edit.begin == document.range.begin &&
                    edit.end == document.range.end && edit.replacement.empty()) {
                    names.push_back(document.object_name());
                }
            }
        }
        return names;
    }

private:
    void decode(Mode mode) {
        std::vector<const Value*> layers = {&inventory.stock_operator.values};
        for (const Value& layer : loaded.values) {
            layers.push_back(&layer);
        }
        std::string ns = mode == Mode::Chart ? "tailscale" : "";
        if (inventory.stock_operator.deployment != nullptr) {
            ns = inventory.stock_operator.deployment->effective_namespace;
        }
        plan.settings = decode_settings(layers, ns, {}, diagnostics);
    }
};

}  // namespace renderer::plan
