// The generators of ApplicationSets, as far as the tree determines their results: `list`, `git`,
// `clusters`, and `matrix` and `merge` of them. Source: argo-cd applicationset/generators.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/argo/set_git.h"
#include "renderer/engines/argo/set_template.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

struct GeneratedParameters {
    std::vector<Value> sets;           // one for each Application
    const Value* overrides = nullptr;  // template of the generator; null if it has none
};

class SetGenerators {
public:
    // All arguments must outlive this object. `unresolved` receives the first reason why there may
    // be other Applications.
    SetGenerators(const GitOpsTree& repository, ParameterFiles& files, const SetTemplate& shape,
                  std::string& unresolved)
        : repository_(repository), files_(files), shape_(shape), unresolved_(unresolved) {}

    // Runs one of the set's generators. `overrides` point into `generator`.
    std::vector<GeneratedParameters> run(const Value& generator);

private:
    void leave(std::string why);
    void fail(std::string why);
    bool has_time(std::size_t found);

    std::vector<Value> generate(const Member& kind, const Value* selector, int depth);
    std::vector<Value> nested(const Value& generator, const Value& outer, int depth);
    std::optional<Value> interpolated(const Value& generator, const Value& outer);
    std::optional<Value> interpolated_field(const Member& field, bool has_values,
                                            const Value& outer, std::string& failure);
    Value interpolated_values(const Value& values, const Value& outer);
    void select(const Value* selector, std::vector<Value>& found);
    bool add_values(const Value& generator, Value& parameters);

    void list(const Value& generator, std::vector<Value>& found);
    void git(const Value& generator, std::vector<Value>& found);
    void clusters(const Value& generator, std::vector<Value>& found);
    void product(const Value& matrix, int depth, std::vector<Value>& found);
    bool combine(Value& second, const Value& first);
    void merge(const Value& generator, int depth, std::vector<Value>& found);

    const GitOpsTree& repository_;
    ParameterFiles& files_;
    const SetTemplate& shape_;
    std::string& unresolved_;
    std::size_t failures_ = 0;
    std::size_t steps_ = 0;
};

}  // namespace renderer::engines
