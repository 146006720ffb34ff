#include "renderer/repo/json_schema.h"

#include <string_view>
#include <utility>

#include "renderer/base/split.h"

namespace renderer::repo {
namespace {

// Null counts as absent everywhere.
Value typed(std::string_view type) {
    return Value::map({{"type", Value::list({type, "null"})}});
}

Value texts_of(std::string_view type, std::string_view key) {
    Value schema = typed(type);
    schema.add(Value::borrowed(key), Value::map({{"type", "string"}}));
    return schema;
}

Value list_of_maps(Schema section, UnknownKeys unknown) {
    Value schema = typed("array");
    schema.add("items", json_schema(section, unknown));
    return schema;
}

Value type_schema(const SchemaField& field, UnknownKeys unknown) {
    switch (field.type) {
        case FieldType::Any:
            return Value::map();
        case FieldType::Text:
            return typed("string");
        case FieldType::Flag:
            return typed("boolean");
        case FieldType::TextOrFlag:
            return Value::map({{"type", Value::list({"string", "boolean", "null"})}});
        case FieldType::Number:
            return typed("number");
        case FieldType::Map:
            return typed("object");
        case FieldType::List:
            return typed("array");
        case FieldType::TextMap:
            return texts_of("object", "additionalProperties");
        case FieldType::TextList:
            return texts_of("array", "items");
        case FieldType::TextOrTextList: {
            Value schema = Value::map({{"type", Value::list({"string", "array", "null"})}});
            schema.add("items", Value::map({{"type", "string"}}));
            return schema;
        }
        case FieldType::Section:
            return json_schema(field.section, unknown);
        case FieldType::SectionList:
            return list_of_maps(field.section, unknown);
    }
    return Value::map();
}

// The empty text is no choice.
Value choices_of(const SchemaField& field) {
    Value values = Value::list();
    for (const std::string_view choice : split(field.choices, '|')) {
        values.append(choice);
        if (field.type == FieldType::TextOrFlag && (choice == "true" || choice == "false")) {
            values.append(choice == "true");
        }
    }
    values.append("");
    values.append(Value());
    return values;
}

Value field_schema(const SchemaField& field, UnknownKeys unknown) {
    Value schema = type_schema(field, unknown);
    if (!field.form.empty()) {
        schema.add("description", field.form);
    }
    if (field.choices.empty()) {
        return schema;
    }
    if (!field.is_open) {
        schema.add("enum", choices_of(field));
        return schema;
    }
    // Editors offer the choices, and take other values.
    return Value::map(
        {{"anyOf", Value::list({Value::map({{"enum", choices_of(field)}}), std::move(schema)})}});
}

}  // namespace

Value json_schema(Schema schema, UnknownKeys unknown) {
    Value properties = Value::map();
    for (const SchemaField& field : schema) {
        for (const std::string_view name : split(field.names, ' ')) {
            properties.add(name, field_schema(field, unknown));
        }
    }
    Value whole = typed("object");
    whole.add("properties", std::move(properties));
    if (unknown == UnknownKeys::Refused) {
        whole.add("additionalProperties", false);
    }
    return whole;
}

}  // namespace renderer::repo
