// The templates of an ApplicationSet, with or without goTemplate, and its parameters. Source:
// argo-cd applicationset/utils/utils.go, applicationset/generators/generator_spec_processor.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"
#include "renderer/engines/templates/template_value.h"

namespace renderer::engines {

// Fills parameters into templates. Where there is no result, `failure` has the reason.
class SetTemplate {
public:
    explicit SetTemplate(const Value& set);

    // True with goTemplate: parameters are a tree. Otherwise they are one map of strings:
    // `path.basename`, `path[0]`.
    [[nodiscard]] bool is_go() const { return is_go_; }

    // Fills one string. Without goTemplate, unknown parameters are left as they are.
    std::optional<std::string> fill(std::string_view text, const Value& parameters,
                                    std::string& failure) const {
        return fill(text, parameters, is_strict_, failure);
    }

    // As fill(), but a missing key is always a failure.
    std::optional<std::string> fill_strictly(std::string_view text, const Value& parameters,
                                             std::string& failure) const {
        return fill(text, parameters, true, failure);
    }

    // Fills all strings and keys of a value. Without parameters the value is unchanged.
    std::optional<Value> filled(const Value& shape, const Value& parameters,
                                std::string& failure) const;

private:
    std::optional<std::string> fill(std::string_view text, const Value& parameters, bool strict,
                                    std::string& failure) const;

    bool is_go_;
    bool is_strict_ = false;
    std::string unknown_option_ = {};  // in goTemplateOptions
    TemplateTypes types_ = {};
};

// Converts parameters to one map of strings, with keys such as `a.b` and `list.0`.
Value flattened(const Value& parameters);

// Merges maps recursively; values of `over` take precedence.
void overlay(Value& base, const Value& over);

// Adds the fields of another template that are missing or zero in `shape`.
void complete(Value& shape, const Value& other);

}  // namespace renderer::engines
