#include "renderer/schema/validator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/base64.h"
#include "renderer/base/utf8.h"
#include "renderer/contract/domain.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/quantity.h"
#include "renderer/schema/expected.h"
#include "renderer/schema/formats.h"
#include "renderer/schema/remedies.h"

namespace renderer::schema {

namespace {

// A value of another type counts as text: the wrong type is an error of its own.
bool has_text(const Value* value) {
    return value != nullptr && !value->is_null() && !(value->is_string() && value->text().empty());
}

bool will_be_replaced(const Value& value) {
    return value.is_string() && value.text().find("${") != std::string_view::npos;
}

bool fits_32_bits(std::int64_t number) {
    return number >= std::numeric_limits<std::int32_t>::min() &&
           number <= std::numeric_limits<std::int32_t>::max();
}

// The fields in the spec of a Service or Ingress that plan decodes.
constexpr std::string_view kSpecFields =
    " type clusterIP externalName loadBalancerClass ports ipFamilies ipFamilyPolicy "
    "ingressClassName rules defaultBackend tls ";

class Validator {
public:
    Validator(const Value& root, const ValueType& type, std::string_view version)
        : root_(type),
          kind_(text_of(root, {"kind"})),
          version_(version),
          kind_pos_(root.is_map() && root.find("kind") != nullptr ? root.find("kind")->pos()
                                                                  : root.pos()),
          is_custom_(text_of(root, {"apiVersion"}).starts_with(kOperatorDomain)) {}

    // Reviews are answered, not stored, so they need no name.
    void check_name(const Value& root) {
        const std::string_view api_version = text_of(root, {"apiVersion"});
        const bool is_review = api_version.starts_with("authentication.k8s.io/") ||
                               api_version.starts_with("authorization.k8s.io/");
        if (!is_review && !has_text(root.at({"metadata", "name"})) &&
            !has_text(root.at({"metadata", "generateName"}))) {
            report_missing("metadata.name", std::string(expected_of(Builtin::String)), root);
            faults_.back().is_shape = false;
        }
    }

    void check(const ValueType& type, const Value& value) {
        if (value.is_null() || type.builtin == Builtin::Any) {
            return;
        }
        if (will_be_replaced(value)) {
            check_unreplaced(type, value);
            return;
        }
        if (!has_type(type.builtin, value)) {
            report_type(type, value);
            return;
        }
        if (type.limits != nullptr) {
            check_limits(*type.limits, value);
        }
        if (type.builtin == Builtin::Struct) {
            check_fields(*type.fields, value);
        } else if (type.builtin == Builtin::List) {
            check_items(*type.element, value);
        } else if (type.builtin == Builtin::Map) {
            check_members(*type.element, value);
        }
    }

    std::vector<SchemaFault> take_faults() { return std::move(faults_); }

private:
    // One step of a path: a key, or an index when the key is empty.
    struct Step {
        std::string_view key;
        std::size_t index = 0;
        Pos pos;  // of the key
    };

    [[nodiscard]] bool has_type(Builtin builtin, const Value& value) const {
        switch (builtin) {
            case Builtin::Object:
            case Builtin::Struct:
            case Builtin::Map:
                return value.is_map();
            case Builtin::List:
                return value.is_list();
            case Builtin::String:
                return value.is_string();
            case Builtin::Number:
                return value.is_number();
            case Builtin::Bool:
                return value.is_bool();
            case Builtin::Int64:
                return whole_number(value).has_value();
            case Builtin::Int32:
                return is_int32(value);
            case Builtin::IntOrString:
                return value.is_string() ||
                       (is_custom_ ? whole_number(value).has_value() : is_int32(value));
            case Builtin::Quantity:
                return value.is_number() ||
                       (value.is_string() && canonical_quantity(value.text()).has_value());
            case Builtin::Bytes:
                return value.is_string() && decode_base64(value.text()).has_value();
            case Builtin::Time:
                return value.is_string() && is_rfc3339(value.text());
            case Builtin::Any:
                break;
        }
        return true;
    }

    static bool is_int32(const Value& value) {
        const std::optional<std::int64_t> number = whole_number(value);
        return number && fits_32_bits(*number);
    }

    void descend(const Step& step, const ValueType& type, const Value& value) {
        path_.push_back(step);
        check(type, value);
        path_.pop_back();
    }

    void check_unreplaced(const ValueType& type, const Value& value) {
        const std::size_t before = faults_.size();
        if (!has_type(type.builtin, value)) {
            report_type(type, value);
        } else if (type.limits != nullptr) {
            check_choice(*type.limits, value);
        }
        for (std::size_t i = before; i < faults_.size(); ++i) {
            faults_[i].may_change = true;
        }
    }

    // CRDs allow no null in maps. A wrong type in place of a text is reported at its key.
    void check_members(const ValueType& element, const Value& value) {
        for (const Member& member : value.members()) {
            const Step step = {member.name(), 0, member.key.pos()};
            const bool is_no_text = element.builtin == Builtin::String && !member.value.is_string();
            if (!is_custom_ || !(member.value.is_null() || is_no_text)) {
                descend(step, element, member.value);
                continue;
            }
            path_.push_back(step);
            report_type(element, member.value);
            if (is_no_text || !member.value.pos().known()) {
                faults_.back().diagnostic.pos = step.pos;
            }
            path_.pop_back();
        }
    }

    void check_fields(const StructType& type, const Value& value) {
        for (const Member& member : value.members()) {
            const TypedField* field = type.find(member.name());
            if (field != nullptr) {
                report_release(*field, member);
                descend({field->name, 0, member.key.pos()}, *field->type, member.value);
            } else if (!will_be_replaced(member.key)) {
                report_unknown(type, member);
            }
        }
        check_required(type, value);
    }

    void check_required(const StructType& type, const Value& value) {
        for (const TypedField& field : type.fields) {
            const Value* found = field.required ? value.find(field.name) : nullptr;
            if (field.required && (found == nullptr || found->is_null()) &&
                !is_misspelled(type, field.name, value)) {
                report_missing(field.name, expected_of(*field.type), value);
                if (is_custom_ && !path_.empty() && may_be_empty(*field.type)) {
                    faults_.back().diagnostic.hint =
                        fmt::format("\"{}: {{}}\" takes all defaults", field.name);
                }
            }
        }
    }

    // True if an unknown field has a similar name: that is reported already.
    [[nodiscard]] bool is_misspelled(const StructType& type, std::string_view name,
                                     const Value& value) const {
        return std::ranges::any_of(members_of(&value), [&](const Member& member) {
            return type.find(member.name()) == nullptr && !will_be_replaced(member.key) &&
                   !nearest(member.name(), {name}).empty();
        });
    }

    static bool may_be_empty(const ValueType& type) {
        return type.fields != nullptr &&
               std::ranges::none_of(type.fields->fields, &TypedField::required);
    }

    // Go reads null as an empty object or text. CRDs refuse it.
    void check_null_item(const ValueType& element, const Value& item) {
        if (is_custom_) {
            report_type(element, item);
        } else if (element.builtin == Builtin::Struct) {
            check_required(*element.fields, item);
        } else {
            report_type(element, item);
            faults_.back().may_change = true;
        }
    }

    void check_items(const ValueType& element, const Value& value) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            const Value& item = value.items()[i];
            path_.push_back({"", i, item.pos()});
            if (item.is_null()) {
                check_null_item(element, item);
            } else {
                check(element, item);
            }
            path_.pop_back();
        }
    }

    [[nodiscard]] std::string path() const {
        std::string text;
        for (const Step& step : path_) {
            if (step.key.empty()) {
                text += fmt::format("[{}]", step.index);
            } else if (step.key.find_first_of("./ ") != std::string_view::npos) {
                text += fmt::format("[{}]", step.key);
            } else {
                text += text.empty() ? "" : ".";
                text += step.key;
            }
        }
        return text;
    }

    // Returns the path of the map that the last field is in, as `kubectl explain` takes it.
    [[nodiscard]] std::string explained_path() const {
        std::string text = lower_case(kind_);
        for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
            text += path_[i].key.empty() ? "" : fmt::format(".{}", path_[i].key);
        }
        return text;
    }

    [[nodiscard]] std::string_view key() const {
        return path_.empty() ? std::string_view() : path_.back().key;
    }

    [[nodiscard]] Pos key_pos() const { return path_.empty() ? Pos() : path_.back().pos; }

    // True if the path is in the metadata that only load reads.
    [[nodiscard]] bool is_in_metadata() const {
        const bool is_map_of_texts =
            path_.size() == 2 && (path_[1].key == "labels" || path_[1].key == "annotations");
        return path_.size() > 1 && path_[0].key == "metadata" && !is_map_of_texts;
    }

    // True if a stage decodes the field: all fields of a custom resource, and those of a Service or
    // an Ingress that a proxy is planned by.
    [[nodiscard]] bool is_decoded() const {
        const bool is_parent = !is_custom_ && (kind_ == "Service" || kind_ == "Ingress");
        const bool is_spec = path_.size() > 1 && path_[0].key == "spec";
        return !is_in_metadata() &&
               (!is_parent || path_.size() < 2 || path_[0].key == "metadata" ||
                (is_spec &&
                 kSpecFields.find(fmt::format(" {} ", path_[1].key)) != std::string_view::npos));
    }

    void add(Diagnostic diagnostic, bool is_shape = false) {
        const Pos pos = diagnostic.pos;
        faults_.push_back({std::move(diagnostic), {pos, key_pos()}, is_shape && is_decoded()});
    }

    // True if a message may repeat the value: it is not that of a variable or of a Secret.
    [[nodiscard]] bool may_show() const {
        const bool is_parent = kind_ == "Service" || kind_ == "Ingress";
        return (is_custom_ || is_parent) && (path_.empty() || path_.back().key != "value");
    }

    void report_type(const ValueType& type, const Value& value) {
        const bool wants_number = type.builtin == Builtin::Int32 ||
                                  type.builtin == Builtin::Int64 || type.builtin == Builtin::Number;
        const bool is_whole = whole_number(value).has_value();
        Diagnostic fault = {.rule = "schema-type",
                            .pos = value.pos(),
                            .message = fmt::format("\"{}\" has the wrong type", path()),
                            .found = std::string(kind_name(value)),
                            .expected = std::string(expected_of(type.builtin))};
        if (type.builtin != Builtin::IntOrString || is_custom_) {
            fault.hint = type_hint(type, value, key(), may_show());
        }
        if (wants_number && value.is_number()) {
            fault.found =
                is_whole ? "a number of more than 32 bits" : fmt::format("{}", value.text());
        } else if (type.builtin == Builtin::Bytes && value.is_string()) {
            fault.found = "text that is not base64";
        }
        // A number that is only too large can still be decoded.
        add(std::move(fault), !is_whole || !(wants_number || type.builtin == Builtin::IntOrString));
    }

    void report_unknown(const StructType& type, const Member& member) {
        path_.push_back({member.name(), 0, member.value.pos()});
        Diagnostic fault = {.rule = std::string(kUnknownRule),
                            .pos = member.key.pos(),
                            .message = fmt::format("unknown field \"{}\"", path()),
                            .expected = fields_of(type)};
        const auto other = std::ranges::find(type.others, member.name(), &OtherField::name);
        if (const std::string_view near = nearest_key(member.name(), names_of(type));
            !near.empty()) {
            fault.hint = did_you_mean(near);
        } else if (const auto paths = paths_of_field(root_, member.name()); !paths.empty()) {
            fault.hint = fmt::format("did you mean \"{}\"?", fmt::join(paths, "\" or \""));
        } else if (fault.expected.empty()) {
            fault.hint = fmt::format("\"kubectl explain {}\" lists the fields", explained_path());
        }
        if (other != type.others.end()) {
            fault.hint =
                fmt::format("it exists in Kubernetes {} to {}; this cluster is assumed to have {}",
                            other->first, other->last, version_);
        }
        add(std::move(fault));
        path_.pop_back();
    }

    void report_release(const TypedField& field, const Member& member) {
        if (field.releases.first == 0) {
            return;
        }
        path_.push_back({member.name(), 0, member.value.pos()});
        add({.rule = std::string(kUnknownRule),
             .pos = member.key.pos(),
             .message = fmt::format("unknown field \"{}\"", path()),
             .hint = fmt::format("the operator knows it since 1.{}", field.releases.first)});
        faults_.back().unless = field.releases;
        path_.pop_back();
    }

    // What a custom resource or its spec lacks is reported at the first line.
    void report_missing(std::string_view name, std::string expected, const Value& value) {
        const std::string owner = path();
        const bool is_of_object = path_.size() < (is_custom_ ? 2 : 1);
        add({.rule = std::string(kRequiredRule),
             .pos = is_of_object ? kind_pos_ : value.pos(),
             .message = fmt::format("\"{}{}{}\" is missing", owner, owner.empty() ? "" : ".", name),
             .expected = std::move(expected)},
            true);
        faults_.back().missing = name;
    }

    void report_value(const Value& value, std::string found, std::string expected) {
        add({.rule = "schema-value",
             .pos = value.pos(),
             .message = fmt::format("invalid value of \"{}\"", path()),
             .found = std::move(found),
             .expected = std::move(expected)});
    }

    void check_limits(const Limits& limits, const Value& value) {
        if (value.is_string()) {
            check_text(limits, value);
        } else if (value.is_number()) {
            check_number(limits, value);
        } else if (value.is_list()) {
            check_count(limits, value);
            check_unique(limits, value);
            check_set(limits, value);
        }
    }

    // Returns true if the text is not one of the values that the type allows.
    bool check_choice(const Limits& limits, const Value& value) {
        const std::string_view text = value.text();
        if (limits.choices.empty() ||
            std::ranges::find(limits.choices, text) != limits.choices.end()) {
            return false;
        }
        report_value(value, fmt::format("\"{}\"", text), choices_of(limits));
        SchemaFault& fault = faults_.back();
        fault.is_shape = is_decoded();
        fault.diagnostic.hint = did_you_mean(nearest(text, limits.choices));
        return true;
    }

    void check_text(const Limits& limits, const Value& value) {
        const std::string_view text = value.text();
        const std::string found = fmt::format("\"{}\"", text);
        const std::size_t size = count_characters(text);
        if (check_choice(limits, value)) {
            return;
        }
        if (limits.min_length && size < *limits.min_length) {
            report_value(value, found, fmt::format("at least {} characters", *limits.min_length));
        } else if (limits.max_length && size > *limits.max_length) {
            report_value(value, fmt::format("{} characters", size),
                         fmt::format("at most {}", *limits.max_length));
        } else if (limits.is_cidr && !is_cidr(text)) {
            report_value(value, found, "a CIDR block, such as \"10.0.0.0/8\"");
        } else if (limits.pattern && !limits.pattern->matches(text)) {
            report_value(value, found,
                         limits.pattern_text.find("(ms|s|m|h)") != std::string_view::npos
                             ? std::string("a duration, such as \"10m\" or \"1h30m\"")
                         : limits.pattern_text.find("(ms|s|m)") != std::string_view::npos
                             ? std::string("a duration without hours, such as \"90m\" or \"5m30s\"")
                             : fmt::format("text that matches {}", limits.pattern_text));
        }
    }

    void check_number(const Limits& limits, const Value& value) {
        const std::optional<std::int64_t> number = whole_number(value);
        if (number && limits.min && *number < *limits.min) {
            report_value(value, std::string(value.text()), fmt::format("at least {}", *limits.min));
        } else if (number && limits.max && *number > *limits.max) {
            report_value(value, std::string(value.text()), fmt::format("at most {}", *limits.max));
        }
    }

    void check_count(const Limits& limits, const Value& value) {
        if (limits.min_items && value.size() < *limits.min_items) {
            report_value(value, fmt::format("{} items", value.size()),
                         fmt::format("at least {}", *limits.min_items));
        } else if (limits.max_items && value.size() > *limits.max_items) {
            report_value(value, fmt::format("{} items", value.size()),
                         fmt::format("at most {}", *limits.max_items));
        }
    }

    void check_unique(const Limits& limits, const Value& value) {
        std::set<std::vector<std::string_view>> seen;
        for (const Value& item : value.items()) {
            std::vector<std::string_view> key;
            for (const std::string_view name : limits.unique) {
                const Value* part = item.is_map() ? item.find(name) : nullptr;
                if (part != nullptr && (part->is_string() || part->is_number())) {
                    key.push_back(part->text());
                }
            }
            if (!key.empty() && key.size() == limits.unique.size() && !seen.insert(key).second) {
                report_value(item, fmt::format("a second \"{}\"", fmt::join(key, ", ")),
                             fmt::format("items with unique {}", fmt::join(limits.unique, ", ")));
            }
        }
    }

    void check_set(const Limits& limits, const Value& value) {
        std::set<std::string_view> seen;
        for (const Value& item : value.items()) {
            if (limits.is_set && item.is_string() && !seen.insert(item.text()).second) {
                report_value(item, fmt::format("a second \"{}\"", item.text()), "no item twice");
            }
        }
    }

    const ValueType& root_;
    std::string_view kind_, version_;
    Pos kind_pos_;
    bool is_custom_;  // a custom resource
    std::vector<Step> path_;
    std::vector<SchemaFault> faults_;
};

}  // namespace

std::vector<SchemaFault> validate(const Value& root, const ValueType& type,
                                  std::string_view version) {
    Validator validator(root, type, version);
    validator.check(type, root);
    if (root.is_map()) {
        validator.check_name(root);
    }
    return validator.take_faults();
}

}  // namespace renderer::schema
