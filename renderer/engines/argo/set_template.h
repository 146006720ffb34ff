// The templates of an ApplicationSet, with goTemplate and without, and what its parameters are.
// Source: argo-cd applicationset/utils/utils.go, applicationset/generators/
// generator_spec_processor.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/core/value.h"
#include "renderer/engines/templates/template_value.h"

namespace renderer {

// Fills parameters into texts. Where there is no result, `failure` says why.
class SetTemplate {
public:
    explicit SetTemplate(const Value& set);

    // Parameters are a tree then, and one map of texts otherwise: `path.basename`, `path[0]`.
    [[nodiscard]] bool is_go() const { return is_go_; }

    // Without goTemplate what is not known stays.
    std::optional<std::string> fill(std::string_view text, const Value& parameters,
                                    std::string& failure) const {
        return fill(text, parameters, is_strict_, failure);
    }

    // A key that is not there is a failure, whatever the set says.
    std::optional<std::string> fill_strictly(std::string_view text, const Value& parameters,
                                             std::string& failure) const {
        return fill(text, parameters, true, failure);
    }

    // All texts and keys of a value; without parameters it stays as it is.
    std::optional<Value> filled(const Value& shape, const Value& parameters,
                                std::string& failure) const;

private:
    std::optional<std::string> fill(std::string_view text, const Value& parameters, bool strict,
                                    std::string& failure) const;

    bool is_go_;
    bool is_strict_ = false;
    std::string unknown_option_ = {};  // of goTemplateOptions
    TemplateTypes types_ = {};
};

// One map of texts: `a.b` and `list.0` for what is within others.
Value flattened(const Value& parameters);

// Maps are merged; what `over` has wins.
void overlay(Value& base, const Value& over);

// What a template does not say it has of another.
void complete(Value& shape, const Value& other);

}  // namespace renderer
