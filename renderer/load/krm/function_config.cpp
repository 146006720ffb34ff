#include "renderer/load/krm/function_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "renderer/core/yaml_reader.h"
#include "renderer/load/values/schema.h"
#include "renderer/load/values/values.h"

namespace renderer {

namespace {

constexpr std::array kSpecFields = {
    SchemaField{"repo cluster namespace output", FieldType::Text},
    SchemaField{"values", FieldType::Map},
    SchemaField{"set valuesFiles context", FieldType::TextList},
    SchemaField{"kubernetesVersion"},
    SchemaField{"validate", FieldType::Flag},
};

constexpr std::array kOwnFields = {
    SchemaField{"apiVersion kind", FieldType::Text},
    SchemaField{"metadata", FieldType::Map},
    SchemaField{"spec", FieldType::Section, kSpecFields},
};

// Of a ConfigMap the values are scalars, whatever kpt made of `key=true`.
constexpr std::array kDataFields = {
    SchemaField{"repo cluster namespace values set valuesFiles context "
                "kubernetesVersion validate output"},
};

constexpr std::array kConfigMapFields = {
    SchemaField{"apiVersion kind", FieldType::Text},
    SchemaField{"metadata", FieldType::Map},
    SchemaField{"immutable", FieldType::Flag},
    SchemaField{"data", FieldType::Section, kDataFields},
};

bool is_scalar(const Value& value) {
    return value.is_string() || value.is_number() || value.is_bool();
}

std::string scalar_text(const Value& value) {
    if (value.is_bool()) {
        return value.as_bool() ? "true" : "false";
    }
    return value.is_string() || value.is_number() ? std::string(value.text()) : std::string();
}

std::string scalar_of(const Value& map, std::string_view key) {
    const Value* value = map.find(key);
    return value == nullptr ? std::string() : scalar_text(*value);
}

// A path or an assignment, and where it is written.
struct Named {
    std::string text;
    Pos pos;
};

// One a line.
std::vector<Named> lines_of(const Value& map, std::string_view key) {
    std::vector<Named> lines;
    const Value* value = map.find(key);
    const std::string text = scalar_of(map, key);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin) {
            lines.push_back({text.substr(begin, end - begin), value->pos()});
        }
        begin = end + 1;
    }
    return lines;
}

std::vector<Named> texts_of(const Value& map, std::string_view key) {
    std::vector<Named> texts;
    for (const Value& item : list_of(map, key)) {
        texts.push_back({std::string(item.text()), item.pos()});
    }
    return texts;
}

class ConfigReader {
public:
    ConfigReader(const SourceTree& tree, SourceMap& sources, Diagnostics& diagnostics)
        : tree_(tree), sources_(sources), diagnostics_(diagnostics) {}

    FunctionConfig own(const Value& config) {
        const Value empty = Value::map();
        const Value* spec = map_of(config, "spec");
        const Value& from = spec == nullptr ? empty : *spec;
        FunctionConfig read = plain(from);
        read.validate = flag_of(from, "validate");
        add_contexts(texts_of(from, "context"), read);
        add_files(texts_of(from, "valuesFiles"), read);
        if (const Value* values = map_of(from, "values")) {
            read.layers.push_back(values->clone());
        }
        add_assignments(texts_of(from, "set"), read);
        return read;
    }

    FunctionConfig config_map(const Value& config) {
        const Value empty = Value::map();
        const Value* data = map_of(config, "data");
        const Value& from = data == nullptr ? empty : *data;
        for (const Member& member : from.members()) {
            if (!is_scalar(member.value)) {
                report_type(member.value, fmt::format("\"{}\" of a ConfigMap", member.name()),
                            "a string");
            }
        }
        FunctionConfig read = plain(from);
        read.validate = flag(from, "validate");
        add_contexts(lines_of(from, "context"), read);
        add_files(lines_of(from, "valuesFiles"), read);
        add_values(from, read);
        add_assignments(lines_of(from, "set"), read);
        return read;
    }

private:
    static FunctionConfig plain(const Value& from) {
        FunctionConfig read;
        read.repo = scalar_of(from, "repo");
        read.cluster = scalar_of(from, "cluster");
        read.ns = scalar_of(from, "namespace");
        read.kubernetes_version = scalar_of(from, "kubernetesVersion");
        read.output = scalar_of(from, "output");
        return read;
    }

    void report_type(const Value& value, std::string what, std::string_view expected) {
        diagnostics_.error("wrong-type", value.pos(), fmt::format("{} has the wrong type", what))
            .found(is_scalar(value) ? fmt::format("\"{}\"", scalar_text(value))
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

    static void add_contexts(const std::vector<Named>& dirs, FunctionConfig& read) {
        for (const Named& dir : dirs) {
            read.context_dirs.push_back(dir.text);
        }
    }

    void add_files(const std::vector<Named>& files, FunctionConfig& read) {
        for (const Named& file : files) {
            add_values_file(tree_, file.text, file.pos, sources_, read.layers, diagnostics_);
        }
    }

    // YAML inside of a string: a source of its own.
    void add_values(const Value& from, FunctionConfig& read) {
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

    void add_assignments(const std::vector<Named>& assignments, FunctionConfig& read) {
        std::vector<std::string> sets;
        sets.reserve(assignments.size());
        for (const Named& assignment : assignments) {
            sets.push_back(assignment.text);
        }
        add_sets(sets, sources_, read.layers, diagnostics_);
    }

    const SourceTree& tree_;
    SourceMap& sources_;
    Diagnostics& diagnostics_;
};

}  // namespace

FunctionConfig read_function_config(const SourceTree& tree, const Value& config, SourceMap& sources,
                                    Diagnostics& diagnostics) {
    if (config.is_null()) {
        return {};
    }
    const std::string version = config.is_map() ? scalar_of(config, "apiVersion") : "";
    const std::string kind = config.is_map() ? scalar_of(config, "kind") : "";
    const bool is_own = version == kFunctionConfigVersion && kind == kFunctionConfigKind;
    if (!is_own && !(version == "v1" && kind == "ConfigMap")) {
        diagnostics
            .error("function-config", config.pos(), "this functionConfig is for another function")
            .found(fmt::format("apiVersion \"{}\", kind \"{}\"", version, kind))
            .expected(fmt::format("apiVersion {}, kind {}; or a ConfigMap", kFunctionConfigVersion,
                                  kFunctionConfigKind));
        return {};
    }
    const std::size_t before = diagnostics.error_count();
    check_schema(config, is_own ? Schema(kOwnFields) : Schema(kConfigMapFields),
                 is_own ? "a TailscaleRender" : "the ConfigMap of a function", diagnostics);
    if (diagnostics.error_count() != before) {
        return {};
    }
    ConfigReader reader(tree, sources, diagnostics);
    return is_own ? reader.own(config) : reader.config_map(config);
}

}  // namespace renderer
