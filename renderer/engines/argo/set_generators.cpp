#include "renderer/engines/argo/set_generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/templates/template_functions.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kMostSets = 5000;  // per generator
constexpr std::size_t kMostElements = 100'000;
constexpr int kDeepestMatrix = 4;  // nested matrices

bool has_values(std::string_view kind) {
    return kind == "git" || kind == "clusters";
}

// Returns the generators of an item. There should be one, but Argo CD accepts several at the top
// level.
std::vector<const Member*> kinds_of(const Value& generator) {
    std::vector<const Member*> kinds;
    for (const Member& member : members_of(&generator)) {
        if (member.name() != "selector" && !member.value.is_null()) {
            kinds.push_back(&member);
        }
    }
    return kinds;
}

// Annotations of a cluster that Argo CD and kubectl write for themselves are no parameters.
constexpr auto kOwnAnnotations = std::to_array<std::string_view>({
    "argocd.argoproj.io/hydrate",
    "argocd.argoproj.io/hydrate-timestamp",
    "argocd.argoproj.io/installation-id",
    "argocd.argoproj.io/refresh",
    "argocd.argoproj.io/refresh-timestamp",
    "argocd.argoproj.io/tracking-id",
    "kubectl.kubernetes.io/last-applied-configuration",
});

Value user_annotations(const Value& annotations) {
    Value out = Value::map();
    for (const Member& member : members_of(&annotations)) {
        if (std::ranges::find(kOwnAnnotations, member.name()) == kOwnAnnotations.end()) {
            out.put(member.key.clone(), member.value.clone());
        }
    }
    return out;
}

Value parameters_of(const ArgoCluster& cluster) {
    Value parameters = Value::map({{"name", cluster.name},
                                   {"nameNormalized", dns_name(cluster.name)},
                                   {"server", cluster.server},
                                   {"project", cluster.project}});
    Value metadata = Value::map();
    put_if(metadata, cluster.labels.size() > 0, "labels", cluster.labels.clone());
    put_if(metadata, cluster.annotations.size() > 0, "annotations",
           user_annotations(cluster.annotations));
    if (metadata.size() > 0) {
        parameters.put("metadata", std::move(metadata));
    }
    return parameters;
}

// Returns a member of a list element that is neither text nor the map `values` of texts, or
// nullptr. Source: argo-cd v3.6.1 applicationset/generators/list.go.
const Member* not_text(const Value& element) {
    for (const Member& member : members_of(&element)) {
        const bool is_values = member.name() == "values";
        if (is_values ? !member.value.is_map() : !member.value.is_string()) {
            return &member;
        }
        for (const Member& inner : members_of(is_values ? &member.value : nullptr)) {
            if (!inner.value.is_string()) {
                return &inner;
            }
        }
    }
    return nullptr;
}

// Maps the values of `keys` to indexes of `sets`. Returns nothing if two sets have the same values.
std::optional<std::map<std::string, std::size_t>> by_keys(std::span<const Value> keys,
                                                          const std::vector<Value>& sets) {
    std::map<std::string, std::size_t> found;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        Value picked = Value::map();
        for (const Value& key : keys) {
            const Value* value = sets[i].find(text_of(key));
            picked.put(text_of(key), value == nullptr ? Value() : value->clone());
        }
        if (!found.emplace(write_json_sorted(picked), i).second) {
            return std::nullopt;
        }
    }
    return found;
}

}  // namespace

void SetGenerators::leave(std::string why) {
    if (unresolved_.empty()) {
        unresolved_ = std::move(why);
    }
}

void SetGenerators::fail(std::string why) {
    ++failures_;
    leave(std::move(why));
}

bool SetGenerators::has_time(std::size_t found) {
    steps_ += found + 1;
    if (steps_ > kMostElements) {
        fail("generators that take too long");
    }
    return steps_ <= kMostElements;
}

std::vector<GeneratedParameters> SetGenerators::run(const Value& generator) {
    std::vector<GeneratedParameters> out;
    for (const Member* kind : kinds_of(generator)) {
        GeneratedParameters& one = out.emplace_back();
        one.sets = generate(*kind, generator.find("selector"), 0);
        one.overrides = kind->value.find("template");
    }
    return out;
}

std::vector<Value> SetGenerators::generate(const Member& kind, const Value* selector, int depth) {
    std::vector<Value> found;
    const Value& generator = kind.value;
    const std::string_view name = generator.is_map() ? kind.name() : std::string_view();
    if (name == "list") {
        list(generator, found);
    } else if (name == "git") {
        git(generator, found);
    } else if (name == "clusters") {
        clusters(generator, found);
    } else if (name == "matrix" && depth < kDeepestMatrix) {
        product(generator, depth, found);
    } else if (name == "merge" && depth < kDeepestMatrix) {
        merge(generator, depth, found);
    } else {
        constexpr std::string_view kOthers =
            "oci scmProvider pullRequest clusterDecisionResource plugin selector matrix merge";
        const bool is_known = name.empty() || kOthers.find(name) != std::string_view::npos;
        fail(is_known
                 ? fmt::format("generator {}, whose results the tree does not hold", kind.name())
                 : fmt::format("Argo CD has no generator \"{}\"", name));
    }
    if (!has_time(found.size())) {
        return {};
    }
    select(selector, found);
    return found;
}

// Runs a generator within another one. The second generator of a matrix may use parameters of the
// first.
std::vector<Value> SetGenerators::nested(const Value& generator, const Value& outer, int depth) {
    const std::optional<Value> own = has_time(0) ? interpolated(generator, outer) : std::nullopt;
    if (!own) {
        return {};
    }
    const std::vector<const Member*> kinds = kinds_of(*own);
    if (kinds.size() != 1) {
        fail(fmt::format("{} generators where one belongs", kinds.size()));
        return {};
    }
    return generate(*kinds.front(), generator.find("selector"), depth);
}

// Interpolates a generator except for its own selector.
std::optional<Value> SetGenerators::interpolated(const Value& generator, const Value& outer) {
    if (!generator.is_map() || outer.size() == 0) {
        return generator.clone();
    }
    Value out = Value::map();
    std::string failure;
    for (const Member* kind : kinds_of(generator)) {
        Value fields = Value::map();
        for (const Member& field : members_of(&kind->value)) {
            auto value = interpolated_field(field, has_values(kind->name()), outer, failure);
            if (!value) {
                fail(std::move(failure));
                return std::nullopt;
            }
            fields.put(field.key.clone(), std::move(*value));
        }
        out.put(kind->key.clone(), std::move(fields));
    }
    return out;
}

std::optional<Value> SetGenerators::interpolated_field(const Member& field, bool has_values,
                                                       const Value& outer, std::string& failure) {
    if (has_values && field.name() == "values") {
        return interpolated_values(field.value, outer);
    }
    if (field.name() != "generators") {
        return shape_.filled(field.value, outer, failure);
    }
    Value out = Value::list();
    for (const Value& generator : items_of(&field.value)) {
        std::optional<Value> one = interpolated(generator, outer);
        if (!one) {
            failure = unresolved_;
            return std::nullopt;
        }
        if (const Value* selector = generator.find("selector")) {
            auto filled = shape_.filled(*selector, outer, failure);
            if (!filled) {
                return std::nullopt;
            }
            one->put("selector", std::move(*filled));
        }
        out.append(std::move(*one));
    }
    return out;
}

// A value that uses parameters of its own generator is filled in later, by that generator.
Value SetGenerators::interpolated_values(const Value& values, const Value& outer) {
    Value out = Value::map();
    for (const Member& member : members_of(&values)) {
        std::string discarded;
        const auto text = shape_.fill_strictly(spelling_of(member.value), outer, discarded);
        out.put(member.key.clone(), text ? Value(*text) : member.value.clone());
    }
    return out;
}

void SetGenerators::select(const Value* selector, std::vector<Value>& found) {
    if (selector == nullptr || selector->is_null()) {
        return;
    }
    bool is_known = true;
    std::erase_if(found, [&](const Value& parameters) {
        const std::optional<bool> is_selected = selects(selector, flattened(parameters));
        is_known = is_known && is_selected;
        return !is_selected.value_or(false);
    });
    if (!is_known) {
        fail("an operator of a generator's selector is not known");
    }
}

// Values may use the parameters, but not each other.
bool SetGenerators::add_values(const Value& generator, Value& parameters) {
    Value made = Value::map();
    for (const Member& member : members_of(generator.find("values"))) {
        std::string failure;
        auto text = shape_.fill(spelling_of(member.value), parameters, failure);
        if (!text) {
            fail(std::move(failure));
            return false;
        }
        made.put(
            shape_.is_go() ? std::string(member.name()) : fmt::format("values.{}", member.name()),
            *text);
    }
    if (!shape_.is_go()) {
        overlay(parameters, made);
    } else if (made.size() > 0) {
        parameters.put("values", std::move(made));
    }
    return true;
}

void SetGenerators::list(const Value& generator, std::vector<Value>& found) {
    const Value more = read_parameters(std::string(text_of(generator, {"elementsYaml"})));
    if (more.is_null() || (more.is_map() && more.size() > 0)) {
        return fail("elementsYaml is not a list of maps");
    }
    for (const Value* elements : {generator.find("elements"), &more}) {
        for (const Value& element : items_of(elements)) {
            const Member* other = shape_.is_go() || elements == &more ? nullptr : not_text(element);
            if (other != nullptr) {
                fail(fmt::format("{} in a list element is {}: without goTemplate it must be text",
                                 other->name(), kind_name(other->value)));
            } else if (element.is_map()) {
                found.push_back(shape_.is_go() ? element.clone() : flattened(element));
            } else {
                fail("a list element that is not a map");
            }
        }
    }
}

void SetGenerators::git(const Value& generator, std::vector<Value>& found) {
    const std::string_view url = text_of(generator, {"repoURL"});
    const bool is_here = repository_.flux_sources().find_local(url) == repository_.root();
    if (!is_here && repository_.own_repository().is_other(url)) {
        return fail(fmt::format("git: {} is not this repository", url));
    }
    if (!is_here && !repository_.own_repository().is_own(url)) {
        return fail(
            fmt::format("git: it is not known whether {} is this repository; --source {}=. says "
                        "that it is",
                        url, shell_word(url)));
    }
    std::string failure;
    std::vector<Value> sets =
        git_parameters(repository_, files_, generator, shape_.is_go(), failure);
    if (!failure.empty()) {
        return fail(std::move(failure));
    }
    if (sets.empty()) {
        leave("git: a pattern that nothing in the tree matches");
    }
    for (Value& parameters : sets) {
        if (add_values(generator, parameters)) {
            found.push_back(std::move(parameters));
        }
    }
}

// If no cluster is known, there may be any.
void SetGenerators::clusters(const Value& generator, std::vector<Value>& found) {
    const auto add = [&](const ArgoCluster& cluster) {
        Value parameters = parameters_of(cluster);
        if (!shape_.is_go()) {
            parameters = flattened(parameters);
        }
        if (add_values(generator, parameters)) {
            found.push_back(std::move(parameters));
        }
    };
    const std::vector<ArgoCluster>& known = repository_.argo_clusters();
    const Value* selector = generator.find("selector");
    if (known.empty()) {
        fail(
            "clusters: the clusters that Argo CD knows are not in the tree; --argo-cluster names "
            "them");
    }
    const bool selects_all =
        selector == nullptr || (members_of(selector->find("matchLabels")).empty() &&
                                items_of(selector->find("matchExpressions")).empty());
    if (selects_all && std::ranges::find(known, kOwnServer, &ArgoCluster::server) == known.end()) {
        add({.name = std::string(kOwnCluster), .server = std::string(kOwnServer)});
    }
    for (const ArgoCluster& cluster : known) {
        const std::optional<bool> is_selected = selects(selector, cluster.labels);
        if (cluster.name.empty()) {
            fail("clusters: the Secret of a cluster is encrypted; --argo-cluster names them");
        } else if (!is_selected) {
            fail("clusters: an operator of its selector is not known");
        } else if (*is_selected) {
            add(cluster);
        }
    }
    if (spelling_of(generator.find("flatList")) == "true") {
        Value all = Value::list();
        for (Value& parameters : found) {
            all.append(std::move(parameters));
        }
        found.clear();
        found.push_back(Value::map());
        found.back().put("clusters", std::move(all));
    }
}

void SetGenerators::product(const Value& matrix, int depth, std::vector<Value>& found) {
    const auto both = items_of(matrix.find("generators"));
    if (both.size() != 2) {
        return fail("a matrix of other than two generators");
    }
    for (const Value& first : nested(both[0], Value::map(), depth + 1)) {
        for (Value& second : nested(both[1], first, depth + 1)) {
            if (found.size() >= kMostSets) {
                return fail(fmt::format("more than {} Applications", kMostSets));
            }
            if (!combine(second, first)) {
                return found.clear();
            }
            found.push_back(std::move(second));
        }
    }
}

// With goTemplate, the first generator takes precedence. Without it, two different values of a key
// are a failure.
bool SetGenerators::combine(Value& second, const Value& first) {
    if (shape_.is_go()) {
        overlay(second, first);
        return true;
    }
    for (const Member& member : first.members()) {
        const Value* known = second.find(member.name());
        if (known != nullptr && *known != member.value) {
            fail(fmt::format("a matrix with two values of \"{}\"", member.name()));
            return false;
        }
        second.put(member.key.clone(), member.value.clone());
    }
    return true;
}

// The first generator determines the sets. If a generator fails, it is not known which values take
// precedence, and there are no sets.
void SetGenerators::merge(const Value& generator, int depth, std::vector<Value>& found) {
    const auto generators = items_of(generator.find("generators"));
    const auto keys = items_of(generator.find("mergeKeys"));
    if (generators.size() < 2 || keys.empty()) {
        return fail("a merge of fewer than two generators, or without mergeKeys");
    }
    std::vector<Value> base = nested(generators[0], Value::map(), depth + 1);
    const auto known = by_keys(keys, base);
    const std::size_t failures_before = failures_;
    for (const Value& later : generators.subspan(1)) {
        const std::vector<Value> others = nested(later, Value::map(), depth + 1);
        const auto named = by_keys(keys, others);
        if (failures_ != failures_before) {
            return;
        }
        if (!known || !named) {
            return fail("a merge of two sets of parameters with the same mergeKeys");
        }
        for (const auto& [key, index] : *named) {
            if (const auto at = known->find(key); at != known->end()) {
                overlay(base[at->second], others[index]);
            }
        }
    }
    found = std::move(base);
}

}  // namespace renderer::engines
