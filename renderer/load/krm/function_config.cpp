#include "renderer/load/krm/function_config.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/contract/domain.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/helm/values_files.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::load {

namespace {

constexpr std::string_view kKind = "TailscaleRender";

constexpr std::array kSpecFields = {
    repo::SchemaField{"repo cluster namespace output", repo::FieldType::Text},
    repo::SchemaField{"values", repo::FieldType::Map},
    repo::SchemaField{"set valuesFiles context", repo::FieldType::TextList},
    repo::SchemaField{"kubernetesVersion"},
    repo::SchemaField{"validate", repo::FieldType::Flag},
};

constexpr std::array kOwnFields = {
    repo::SchemaField{"apiVersion kind", repo::FieldType::Text},
    repo::SchemaField{"metadata", repo::FieldType::Map},
    repo::SchemaField{"spec", repo::FieldType::Section, kSpecFields},
};

// The values in a ConfigMap are scalars, even those that kpt writes for `key=true`.
constexpr std::array kDataFields = {
    repo::SchemaField{"repo cluster namespace values set valuesFiles context "
                      "kubernetesVersion validate output"},
};

constexpr std::array kFunctionFields = {
    repo::SchemaField{"apiVersion kind", repo::FieldType::Text},
    repo::SchemaField{"metadata", repo::FieldType::Map},
    repo::SchemaField{"immutable", repo::FieldType::Flag},
    repo::SchemaField{"data", repo::FieldType::Section, kDataFields},
};

bool is_scalar(const Value& value) {
    return value.is_string() || value.is_number() || value.is_bool();
}

std::string scalar_of(const Value& map, std::string_view key) {
    return std::string(spelling_of(map.find(key)));
}

// A path or an assignment, with its position.
struct Named {
    std::string text;
    Pos pos;
};

std::vector<Named> items_named(const Value& map, std::string_view key) {
    std::vector<Named> items;
    for (const Value& item : repo::list_of(map, key)) {
        items.push_back({std::string(item.text()), item.pos()});
    }
    return items;
}

std::vector<Named> lines_named(const Value& map, std::string_view key) {
    std::vector<Named> lines;
    const std::string text = scalar_of(map, key);
    for (const std::string_view line : split(text, '\n')) {
        if (!line.empty()) {
            lines.push_back({std::string(line), map.find(key)->pos()});
        }
    }
    return lines;
}

class ConfigReader {
public:
    ConfigReader(bool is_own, const repo::SourceTree& tree, SourceMap& sources,
                 Diagnostics& diagnostics)
        : entries_of_(is_own ? items_named : lines_named),
          is_own_(is_own),
          tree_(tree),
          sources_(sources),
          diagnostics_(diagnostics) {}

    // `from` is the `spec`, or the data of a ConfigMap, whose values are strings.
    FunctionConfig decode(const Value& from) {
        if (!is_own_) {
            check_scalars(from);
        }
        FunctionConfig read{.repo = scalar_of(from, "repo"),
                            .cluster = scalar_of(from, "cluster"),
                            .ns = scalar_of(from, "namespace"),
                            .kubernetes_version = scalar_of(from, "kubernetesVersion"),
                            .output = scalar_of(from, "output"),
                            .validate = flag(from, "validate")};
        for (Named& dir : entries_of_(from, "context")) {
            read.context_dirs.push_back(std::move(dir.text));
        }
        for (const Named& file : entries_of_(from, "valuesFiles")) {
            engines::add_values_file(tree_, file.text, file.pos, sources_, read.layers,
                                     diagnostics_);
        }
        add_values(from, read);
        std::vector<std::string> sets;
        for (Named& assignment : entries_of_(from, "set")) {
            sets.push_back(std::move(assignment.text));
        }
        engines::add_sets(sets, sources_, read.layers, diagnostics_);
        return read;
    }

private:
    void check_scalars(const Value& data) {
        for (const Member& member : data.members()) {
            if (!is_scalar(member.value)) {
                report_type(member.value, fmt::format("\"{}\" of a ConfigMap", member.name()),
                            "a string");
            }
        }
    }

    void report_type(const Value& value, std::string what, std::string_view expected) {
        diagnostics_.error("wrong-type", value.pos(), fmt::format("{} has the wrong type", what))
            .found(is_scalar(value) ? fmt::format("\"{}\"", spelling_of(value))
                                    : std::string(kind_name(value)))
            .expected(expected);
    }

    bool flag(const Value& from, std::string_view key) {
        const std::string text = scalar_of(from, key);
        if (!text.empty() && text != "true" && text != "false") {
            report_type(*from.find(key), fmt::format("\"{}\"", key), "\"true\" or \"false\"");
        }
        return text == "true";
    }

    // Adds the chart values. In a ConfigMap they are YAML in a string, which becomes a separate
    // source.
    void add_values(const Value& from, FunctionConfig& read) {
        if (is_own_) {
            if (const Value* values = repo::map_of(from, "values")) {
                read.layers.push_back(values->clone());
            }
            return;
        }
        const std::string text = scalar_of(from, "values");
        if (text.empty()) {
            return;
        }
        const SourceId source = sources_.add("<stdin>:data.values", text);
        Value values = read_yaml(sources_, source, diagnostics_);
        if (values.is_map()) {
            read.layers.push_back(std::move(values));
        } else if (!values.is_null()) {
            report_type(values, "\"values\"", "a map of Helm values");
        }
    }

    std::vector<Named> (*entries_of_)(const Value& map, std::string_view key);
    bool is_own_;
    const repo::SourceTree& tree_;
    SourceMap& sources_;
    Diagnostics& diagnostics_;
};

}  // namespace

FunctionConfig read_function_config(const repo::SourceTree& tree, const Value& config,
                                    SourceMap& sources, Diagnostics& diagnostics) {
    if (config.is_null()) {
        return {};
    }
    const std::string version = config.is_map() ? scalar_of(config, "apiVersion") : "";
    const std::string kind = config.is_map() ? scalar_of(config, "kind") : "";
    const bool is_own = version == kOwnVersion && kind == kKind;
    if (!is_own && !(version == "v1" && kind == "ConfigMap")) {
        diagnostics
            .error("function-config", config.pos(), "this functionConfig is for another function")
            .found(fmt::format("apiVersion \"{}\", kind \"{}\"", version, kind))
            .expected(fmt::format("apiVersion {}, kind {}; or a ConfigMap", kOwnVersion, kKind));
        return {};
    }
    const std::size_t before = diagnostics.error_count();
    repo::check_schema(config, is_own ? repo::Schema(kOwnFields) : repo::Schema(kFunctionFields),
                       is_own ? "a TailscaleRender" : "the ConfigMap of a function", diagnostics);
    if (diagnostics.error_count() != before) {
        return {};
    }
    ConfigReader reader(is_own, tree, sources, diagnostics);
    const Value empty = Value::map();
    const Value* given = repo::map_of(config, is_own ? "spec" : "data");
    const Value& from = given == nullptr ? empty : *given;
    return reader.decode(from);
}

}  // namespace renderer::load
