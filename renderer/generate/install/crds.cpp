#include "renderer/generate/install/crds.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/base/check.h"
#include "renderer/generate/install/crd_texts.h"
#include "renderer/schema/type_table.h"

namespace renderer::generate {

namespace {

Value typed(std::string_view type, std::string_view format = {}) {
    Value schema = Value::map({{"type", Value::borrowed(type)}});
    put_if(schema, !format.empty(), "format", Value::borrowed(format));
    return schema;
}

Value open_map() {
    Value schema = typed("object");
    schema.add("x-kubernetes-preserve-unknown-fields", true);
    return schema;
}

Value int_or_string() {
    return Value::map({{"anyOf", Value::list({typed("integer"), typed("string")})},
                       {"x-kubernetes-int-or-string", true}});
}

template <typename Number>
void add_number(Value& schema, std::string_view key, const std::optional<Number>& number) {
    if (number) {
        schema.add(Value::borrowed(key), static_cast<std::int64_t>(*number));
    }
}

void add_names(Value& schema, std::string_view key, const std::vector<std::string_view>& names) {
    if (!names.empty()) {
        schema.add(Value::borrowed(key), text_list(names));
    }
}

void add_limits(Value& schema, const schema::Limits& limits) {
    add_number(schema, "minimum", limits.min);
    add_number(schema, "maximum", limits.max);
    add_number(schema, "minLength", limits.min_length);
    add_number(schema, "maxLength", limits.max_length);
    add_number(schema, "minItems", limits.min_items);
    add_number(schema, "maxItems", limits.max_items);
    add_names(schema, "enum", limits.choices);
    add_names(schema, "x-kubernetes-list-map-keys", limits.unique);
    put_if(schema, !limits.unique.empty(), "x-kubernetes-list-type", "map");
    put_if(schema, limits.is_set, "x-kubernetes-list-type", "set");
    put_if(schema, limits.is_cidr, "format", "cidr");
    put_if(schema, !limits.pattern_text.empty(), "pattern", limits.pattern_text);
}

Value schema_of(const schema::ValueType& type, const std::string& path, int minor);

Value struct_schema(const schema::StructType& type, const std::string& path, int minor) {
    Value schema = typed("object");
    Value properties = Value::map();
    std::vector<std::string_view> required;
    for (const schema::TypedField& field : type.fields) {
        if (!field.releases.holds(minor)) {
            continue;
        }
        properties.add(field.name,
                       schema_of(*field.type, fmt::format("{}.{}", path, field.name), minor));
        if (field.required) {
            required.push_back(field.name);
        }
    }
    schema.add("properties", std::move(properties));
    add_names(schema, "required", required);
    return schema;
}

Value bare_schema(const schema::ValueType& type, const std::string& path, int minor) {
    switch (type.builtin) {
        case schema::Builtin::Any:
        case schema::Builtin::Object:
            return open_map();
        case schema::Builtin::String:
            return typed("string");
        case schema::Builtin::Int32:
            return typed("integer", "int32");
        case schema::Builtin::Int64:
            return typed("integer", "int64");
        case schema::Builtin::Number:
            return typed("number");
        case schema::Builtin::Bool:
            return typed("boolean");
        case schema::Builtin::IntOrString:
        case schema::Builtin::Quantity:
            return int_or_string();
        case schema::Builtin::Bytes:
            return typed("string", "byte");
        case schema::Builtin::Time:
            return typed("string", "date-time");
        case schema::Builtin::Struct:
            return struct_schema(*type.fields, path, minor);
        case schema::Builtin::List: {
            Value schema = typed("array");
            schema.add("items", schema_of(*type.element, path + "[]", minor));
            return schema;
        }
        case schema::Builtin::Map: {
            Value schema = typed("object");
            schema.add("additionalProperties", schema_of(*type.element, path + "{}", minor));
            return schema;
        }
    }
    return {};
}

std::string_view field_text(std::string_view path) {
    const auto texts = crd_texts();
    const auto found = std::ranges::find(texts, path, &CrdText::path);
    return found == texts.end() ? std::string_view() : found->text;
}

Value schema_of(const schema::ValueType& type, const std::string& path, int minor) {
    Value schema = bare_schema(type, path, minor);
    if (type.limits != nullptr) {
        add_limits(schema, *type.limits);
    }
    const std::string_view text = field_text(path);
    put_if(schema, !text.empty(), "description", Value::borrowed(text));
    Value rules = Value::list();
    for (const CrdRule& rule : crd_rules()) {
        if (rule.path == path) {
            rules.append(Value::map({{"rule", Value::borrowed(rule.rule)},
                                     {"message", Value::borrowed(rule.message)}}));
        }
    }
    if (rules.size() > 0) {
        schema.add("x-kubernetes-validations", std::move(rules));
    }
    return schema;
}

// Returns the schema without the parts that the API server fills in.
Value root_schema(const Kind& kind, int minor) {
    schema::TypeTable table(schema::kubernetes_versions().back());
    const schema::ValueType* type = table.find(kind.api_version, kind.name);
    CHECK(type != nullptr && type->builtin == schema::Builtin::Struct);
    const schema::TypedField* spec = type->fields->find("spec");
    CHECK(spec != nullptr);
    Value properties =
        Value::map({{"apiVersion", typed("string")},
                    {"kind", typed("string")},
                    {"metadata", typed("object")},
                    {"spec", schema_of(*spec->type, fmt::format("{}.spec", kind.name), minor)},
                    {"status", open_map()}});
    return Value::map({{"type", "object"},
                       {"description", Value::borrowed(field_text(kind.name))},
                       {"properties", std::move(properties)},
                       {"required", Value::list({"spec"})}});
}

Value column(std::string_view name, std::string_view type, std::string_view path) {
    return Value::map({{"name", Value::borrowed(name)},
                       {"type", Value::borrowed(type)},
                       {"jsonPath", Value::borrowed(path)}});
}

Value columns(const Kind& kind) {
    Value list = Value::list();
    for (const CrdColumn& one : crd_columns()) {
        if (one.kind == kind.name) {
            list.append(column(one.name, one.type, one.path));
        }
    }
    list.append(column("Age", "date", ".metadata.creationTimestamp"));
    return list;
}

Value version(const Kind& kind, int minor) {
    return Value::map({{"name", Value::borrowed(kind.version())},
                       {"served", true},
                       {"storage", true},
                       {"subresources", Value::map({{"status", Value::map()}})},
                       {"additionalPrinterColumns", columns(kind)},
                       {"schema", Value::map({{"openAPIV3Schema", root_schema(kind, minor)}})}});
}

}  // namespace

Value crd(const Kind& kind, int operator_minor) {
    Value names = Value::map({{"kind", Value::borrowed(kind.name)},
                              {"listKind", fmt::format("{}List", kind.name)},
                              {"plural", Value::borrowed(kind.plural)},
                              {"singular", lower_case(kind.name)}});
    if (!kind.short_name.empty()) {
        names.add("shortNames", Value::list({kind.short_name}));
    }
    const bool namespaced = kind.scope == Scope::Namespaced;
    return Value::map(
        {{"apiVersion", "apiextensions.k8s.io/v1"},
         {"kind", "CustomResourceDefinition"},
         {"metadata", Value::map({{"name", kind.crd_name()}})},
         {"spec", Value::map({{"group", Value::borrowed(kind.group())},
                              {"names", std::move(names)},
                              {"scope", Value::borrowed(namespaced ? "Namespaced" : "Cluster")},
                              {"versions", Value::list({version(kind, operator_minor)})}})}});
}

}  // namespace renderer::generate
