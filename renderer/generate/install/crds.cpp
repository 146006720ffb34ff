#include "renderer/generate/install/crds.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/check.h"
#include "renderer/generate/install/crd_texts.h"
#include "renderer/schema/type_table.h"

namespace renderer {

namespace {

constexpr std::string_view kGroup = "tailscale.com";
constexpr std::string_view kVersion = "v1alpha1";

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
    if (names.empty()) {
        return;
    }
    Value list = Value::list();
    for (const std::string_view name : names) {
        list.append(name);
    }
    schema.add(Value::borrowed(key), std::move(list));
}

void add_limits(Value& schema, const Limits& limits) {
    add_number(schema, "minimum", limits.min);
    add_number(schema, "maximum", limits.max);
    add_number(schema, "minLength", limits.min_length);
    add_number(schema, "maxLength", limits.max_length);
    add_number(schema, "minItems", limits.min_items);
    add_number(schema, "maxItems", limits.max_items);
    add_names(schema, "enum", limits.choices);
    add_names(schema, "x-kubernetes-list-map-keys", limits.unique);
    put_if(schema, !limits.unique.empty(), "x-kubernetes-list-type", "map");
    put_if(schema, limits.is_cidr, "format", "cidr");
    put_if(schema, !limits.pattern_text.empty(), "pattern", limits.pattern_text);
}

Value schema_of(const ValueType& type, const std::string& path);

Value struct_schema(const StructType& type, const std::string& path) {
    Value schema = typed("object");
    Value properties = Value::map();
    std::vector<std::string_view> required;
    for (const TypedField& field : type.fields) {
        properties.add(field.name, schema_of(*field.type, fmt::format("{}.{}", path, field.name)));
        if (field.required) {
            required.push_back(field.name);
        }
    }
    schema.add("properties", std::move(properties));
    add_names(schema, "required", required);
    return schema;
}

Value bare_schema(const ValueType& type, const std::string& path) {
    switch (type.builtin) {
        case Builtin::Any:
        case Builtin::Object:
            return open_map();
        case Builtin::String:
            return typed("string");
        case Builtin::Int32:
            return typed("integer", "int32");
        case Builtin::Int64:
            return typed("integer", "int64");
        case Builtin::Number:
            return typed("number");
        case Builtin::Bool:
            return typed("boolean");
        case Builtin::IntOrString:
        case Builtin::Quantity:
            return int_or_string();
        case Builtin::Bytes:
            return typed("string", "byte");
        case Builtin::Time:
            return typed("string", "date-time");
        case Builtin::Struct:
            return struct_schema(*type.fields, path);
        case Builtin::List: {
            Value schema = typed("array");
            schema.add("items", schema_of(*type.element, path + "[]"));
            return schema;
        }
        case Builtin::Map: {
            Value schema = typed("object");
            schema.add("additionalProperties", schema_of(*type.element, path + "{}"));
            return schema;
        }
    }
    return {};
}

std::string_view text_of(std::string_view path) {
    const auto texts = crd_texts();
    const auto found = std::ranges::find(texts, path, &CrdText::path);
    return found == texts.end() ? std::string_view() : found->text;
}

Value schema_of(const ValueType& type, const std::string& path) {
    Value schema = bare_schema(type, path);
    if (type.limits != nullptr) {
        add_limits(schema, *type.limits);
    }
    const std::string_view text = text_of(path);
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

// What the API server fills in itself is left to it.
Value root_schema(const CrdNames& names) {
    TypeTable table(kubernetes_versions().back());
    const ValueType* type = table.find(fmt::format("{}/{}", kGroup, kVersion), names.kind);
    CHECK(type != nullptr && type->builtin == Builtin::Struct);
    const TypedField* spec = type->fields->find("spec");
    CHECK(spec != nullptr);
    Value properties =
        Value::map({{"apiVersion", typed("string")},
                    {"kind", typed("string")},
                    {"metadata", typed("object")},
                    {"spec", schema_of(*spec->type, fmt::format("{}.spec", names.kind))},
                    {"status", open_map()}});
    return Value::map({{"type", "object"},
                       {"description", Value::borrowed(text_of(names.kind))},
                       {"properties", std::move(properties)},
                       {"required", Value::list({"spec"})}});
}

Value columns(const CrdNames& names) {
    Value list = Value::list();
    for (const CrdColumn& column : names.columns) {
        list.append(Value::map({{"name", Value::borrowed(column.name)},
                                {"type", Value::borrowed(column.type)},
                                {"jsonPath", Value::borrowed(column.path)}}));
    }
    return list;
}

Value version(const CrdNames& names) {
    return Value::map({{"name", Value::borrowed(kVersion)},
                       {"served", true},
                       {"storage", true},
                       {"subresources", Value::map({{"status", Value::map()}})},
                       {"additionalPrinterColumns", columns(names)},
                       {"schema", Value::map({{"openAPIV3Schema", root_schema(names)}})}});
}

}  // namespace

Value crd(std::string_view kind) {
    const auto all = crd_names();
    const auto names = std::ranges::find(all, kind, &CrdNames::kind);
    CHECK(names != all.end());
    Value spelled = Value::map({{"kind", Value::borrowed(names->kind)},
                                {"listKind", fmt::format("{}List", names->kind)},
                                {"plural", Value::borrowed(names->plural)},
                                {"singular", Value::borrowed(names->singular)}});
    if (!names->short_name.empty()) {
        spelled.add("shortNames", Value::list({names->short_name}));
    }
    return Value::map(
        {{"apiVersion", "apiextensions.k8s.io/v1"},
         {"kind", "CustomResourceDefinition"},
         {"metadata", Value::map({{"name", fmt::format("{}.{}", names->plural, kGroup)}})},
         {"spec",
          Value::map({{"group", Value::borrowed(kGroup)},
                      {"names", std::move(spelled)},
                      {"scope", Value::borrowed(names->namespaced ? "Namespaced" : "Cluster")},
                      {"versions", Value::list({version(*names)})}})}});
}

}  // namespace renderer
