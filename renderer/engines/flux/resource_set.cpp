#include "renderer/engines/flux/resource_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/argo/argo_clusters.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/engine_object.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/engines/places.h"
#include "renderer/engines/templates/go_template.h"
#include "renderer/kube/group_of.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kGroup = "fluxcd.controlplane.io/";
constexpr const char* kReconcile = "fluxcd.controlplane.io/reconcile";
constexpr TemplateMarks kMarks = {.open = "<<", .close = ">>", .data = "inputs"};
constexpr std::size_t kMostObjects = 10'000;
constexpr std::size_t kLongestShown = 80;

bool has_template(std::string_view text) {
    return text.find(kMarks.open) != std::string_view::npos;
}

// The Flux Operator writes templates as YAML before it fills them in, so the style in which it
// writes a string decides how the result is read. Source: sigs.k8s.io/yaml goyaml.v2 emitterc.go
// (yaml_emitter_analyze_scalar).
bool is_written_plain(std::string_view text) {
    constexpr std::string_view kFirst = "#,[]{}&*!|>'\"%@`";
    const bool is_marked = text.size() > 1 && text[1] == ' ' &&
                           std::string_view("-?:").find(text[0]) != std::string_view::npos;
    return !text.empty() && kFirst.find(text.front()) == std::string_view::npos && !is_marked &&
           text.front() != ' ' && text.back() != ' ' && text.back() != ':' &&
           text.find(": ") == std::string_view::npos && text.find(" #") == std::string_view::npos;
}

// Go prints other numbers differently from their spelling in YAML.
bool is_printed_as_spelled(std::string_view number) {
    const std::string_view digits = number.starts_with('-') ? number.substr(1) : number;
    const std::size_t point = digits.find('.');
    const std::string_view whole = digits.substr(0, point);
    const std::string_view part =
        point == std::string_view::npos ? std::string_view() : digits.substr(point + 1);
    return !whole.empty() && whole.size() <= 6 && std::ranges::all_of(whole, is_digit) &&
           (whole.size() == 1 || whole.front() != '0') && number != "-0" &&
           (point == std::string_view::npos ||
            (whole != "0" && !part.empty() && part.size() <= 6 &&
             std::ranges::all_of(part, is_digit) && part.back() != '0'));
}

std::string strange_number(const Value& value) {
    if (value.is_number()) {
        return is_printed_as_spelled(value.text()) ? std::string() : std::string(value.text());
    }
    for (const Value& item : items_of(&value)) {
        if (std::string found = strange_number(item); !found.empty()) {
            return found;
        }
    }
    for (const Member& member : members_of(&value)) {
        if (std::string found = strange_number(member.value); !found.empty()) {
            return found;
        }
    }
    return {};
}

// Fills in templates with one set of inputs.
class Filler {
public:
    Filler(const Value& data, std::string& failure) : data_(data), failure_(failure) {}

    std::optional<std::string> fill(std::string_view text) {
        std::string why;
        std::optional<std::string> filled = render_go_template(text, data_, true, why, kMarks);
        if (!filled) {
            const std::size_t begin = std::min(text.find(kMarks.open), text.size());
            const std::string_view shown =
                text.substr(begin, std::min(text.find('\n', begin) - begin, kLongestShown));
            failure_ = fmt::format("{}: {}", shown, why);
        }
        return filled;
    }

    std::optional<Value> value(const Value& shape) {
        if (shape.is_string()) {
            return has_template(shape.text()) ? text(shape) : shape.clone();
        }
        Value out = shape.is_map() ? Value::map() : shape.is_list() ? Value::list() : shape.clone();
        out.set_pos(shape.pos());
        for (const Value& item : items_of(&shape)) {
            std::optional<Value> filled = value(item);
            if (!filled) {
                return std::nullopt;
            }
            out.append(std::move(*filled));
        }
        for (const Member& member : members_of(&shape)) {
            std::optional<Value> key = value(member.key);
            std::optional<Value> filled = key ? value(member.value) : std::nullopt;
            if (!filled) {
                return std::nullopt;
            }
            if (!key->is_string()) {
                return fail(member.key, "a key that is not a string");
            }
            out.put(std::move(*key), std::move(*filled));
        }
        return out;
    }

private:
    std::nullopt_t fail(const Value& shape, std::string_view why) {
        failure_ = fmt::format("{}: {}", shape.text().substr(0, kLongestShown), why);
        return std::nullopt;
    }

    std::optional<Value> text(const Value& shape) {
        std::optional<std::string> filled = fill(shape.text());
        if (!filled) {
            return std::nullopt;
        }
        const bool is_block = shape.text().find('\n') != std::string_view::npos;
        if (!is_block && is_written_plain(shape.text())) {
            return read_plain(shape, *filled);
        }
        const auto lines = std::ranges::count(*filled, '\n');
        if ((is_block && lines > std::ranges::count(shape.text(), '\n')) ||
            (!is_block && (lines > 0 || filled->find('\'') != std::string::npos))) {
            return fail(shape, "text that breaks what it is put into");
        }
        Value out(*filled);
        out.set_pos(shape.pos());
        return out;
    }

    // Parses the text as a plain value of a key.
    std::optional<Value> read_plain(const Value& shape, const std::string& filled) {
        Value root = read_text(fmt::format("x: {}\n", filled));
        if (!root.is_map() || root.size() != 1) {
            return fail(shape, "its result is not YAML");
        }
        Value out = std::move(root.members()[0].value);
        set_places(out, shape.pos());
        return out;
    }

    const Value& data_;
    std::string& failure_;
};

// True if `wanted`, an entry of "inputsFrom" of a set in namespace `ns`, chooses the provider.
// Returns nothing if that is not known. A namespace that is "" may be any.
std::optional<bool> chooses(const Value& wanted, std::string_view ns, const Value& provider) {
    const std::string_view own = text_of(provider, {"metadata", "namespace"});
    if (!ns.empty() && !own.empty() && ns != own) {
        return false;
    }
    if (const std::string_view name = text_of(wanted, {"name"}); !name.empty()) {
        return name == text_of(provider, {"metadata", "name"});
    }
    const Value none = Value::map();
    const Value* labels = provider.at({"metadata", "labels"});
    return selects(wanted.find("selector"), labels != nullptr && labels->is_map() ? *labels : none);
}

// Returns those of the providers from which the set takes inputs, in the operator's order.
// `is_whole` is set to false if the set asks for others, or it is not known which.
std::vector<const Value*> providers_of(const Value& set, const std::vector<const Value*>& providers,
                                       bool& is_whole) {
    const std::string_view ns = text_of(set, {"metadata", "namespace"});
    std::vector<const Value*> chosen;
    for (const Value& wanted : items_of(set.at({"spec", "inputsFrom"}))) {
        bool is_found = false;
        for (const Value* provider : providers) {
            const std::optional<bool> takes = chooses(wanted, ns, *provider);
            is_whole = is_whole && takes.has_value();
            if (takes.value_or(false)) {
                is_found = true;
                chosen.push_back(provider);
            }
        }
        is_whole = is_whole && is_found;
    }
    std::ranges::stable_sort(chosen, {}, [](const Value* one) {
        return text_of(*one, {"metadata", "name"});
    });
    const auto is_same = [](const Value* a, const Value* b) {
        return text_of(*a, {"metadata", "name"}) == text_of(*b, {"metadata", "name"});
    };
    chosen.erase(std::unique(chosen.begin(), chosen.end(), is_same), chosen.end());
    return chosen;
}

class Expansion {
public:
    Expansion(const Value& set, const std::vector<const Value*>& providers)
        : set_(set), providers_(providers) {}

    MadeObjects run() {
        const Value* spec = set_.find("spec");
        const std::string_view strategy =
            spec == nullptr ? "" : text_of(*spec, {"inputStrategy", "name"});
        if (!strategy.empty() && strategy != "Flatten") {
            out_.unresolved = fmt::format("inputStrategy {}", strategy);
            return std::move(out_);
        }
        if (spec == nullptr || !read_inputs(*spec)) {
            return std::move(out_);
        }
        make(*spec);
        for (const Value& step : items_of(spec->find("steps"))) {
            make(step);
        }
        return std::move(out_);
    }

private:
    // Returns false if there are no inputs because they come from elsewhere or are not known.
    bool read_inputs(const Value& spec) {
        for (const Value& input : items_of(spec.find("inputs"))) {
            if (!add_input(&input, set_)) {
                return false;
            }
        }
        bool is_whole = true;
        out_.providers = providers_of(set_, providers_, is_whole);
        for (const Value* provider : out_.providers) {
            if (text_of(*provider, {"spec", "type"}) != "Static") {
                name_unknown(text_of(*provider, {"metadata", "name"}));
            } else if (!add_input(provider->at({"spec", "defaultValues"}), *provider)) {
                return false;
            }
        }
        for (const Value& wanted : items_of(spec.find("inputsFrom"))) {
            if (!is_whole) {
                name_unknown(text_of(wanted, {"name"}));
            }
        }
        if (inputs_.empty() && out_.unresolved.empty()) {
            inputs_.push_back(Value::map({{"inputs", Value::map()}}));
        }
        return !inputs_.empty();
    }

    // `name`: of a provider; "" if a selector chooses it.
    void name_unknown(std::string_view name) {
        out_.unresolved = fmt::format("inputs of ResourceSetInputProvider{}{}",
                                      name.empty() ? "s that a selector chooses" : " ", name);
    }

    // Adds what an object gives as one set of inputs. Returns false if it is not known.
    bool add_input(const Value* given, const Value& object) {
        Value one = given != nullptr && given->is_map() ? given->clone() : Value::map();
        if (const std::string number = strange_number(one); !number.empty()) {
            out_.unresolved = fmt::format("the number {} of the inputs", number);
            return false;
        }
        Value provider = Value::map();
        provider.put("apiVersion", text_of(object, {"apiVersion"}));
        provider.put("kind", text_of(object, {"kind"}));
        provider.put("name", text_of(object, {"metadata", "name"}));
        provider.put("namespace", text_of(object, {"metadata", "namespace"}));
        one.put("provider", std::move(provider));
        inputs_.push_back(Value::map({{"inputs", std::move(one)}}));
        return true;
    }

    // `part`: the spec of the set, or one of its steps.
    void make(const Value& part) {
        for (const Value& shape : items_of(part.find("resources"))) {
            for (const Value& data : inputs_) {
                std::string failure;
                std::optional<Value> object = Filler(data, failure).value(shape);
                if (object) {
                    add(std::move(*object));
                } else {
                    out_.unresolved = failure;
                }
            }
        }
        const Value* text = part.find("resourcesTemplate");
        for (const Value& data : inputs_) {
            if (!text_of(text).empty()) {
                make_of_text(*text, data);
            }
        }
    }

    void make_of_text(const Value& text, const Value& data) {
        std::string failure;
        std::optional<std::string> filled = Filler(data, failure).fill(text.text());
        if (!filled) {
            out_.unresolved = failure;
            return;
        }
        SourceMap sources;
        const SourceId source = sources.add("", std::move(*filled));
        for (const ScannedDocument& scanned : scan_documents(sources, source)) {
            Diagnostics mistakes;
            Value object = read_yaml(sources, source, scanned.range, mistakes);
            if (mistakes.has_errors()) {
                out_.unresolved = fmt::format("resourcesTemplate: {}", mistakes.all()[0].message);
            } else if (object.is_map()) {
                set_places(object, text.pos());
                add(std::move(object));
            }
        }
    }

    void add(Value made) {
        std::vector<Value> objects;
        add_objects(std::move(made), objects);
        for (Value& object : objects) {
            add_one(std::move(object));
        }
    }

    // Of several objects with the same name, the first one counts.
    void add_one(Value object) {
        if (text_of(object, {"metadata", "annotations", kReconcile}) == "disabled") {
            return;
        }
        const std::string_view group = group_of(text_of(object, {"apiVersion"}));
        const bool is_new = known_
                                .insert(fmt::format("{}/{}/{}/{}", group, text_of(object, {"kind"}),
                                                    text_of(object, {"metadata", "namespace"}),
                                                    text_of(object, {"metadata", "name"})))
                                .second;
        if (is_new && out_.objects.size() == kMostObjects) {
            out_.unresolved = fmt::format("what it makes beyond {} objects", kMostObjects);
        } else if (is_new) {
            add_common(object);
            out_.objects.push_back(std::move(object));
        }
    }

    void add_common(Value& object) const {
        Value* metadata = object.find("metadata");
        for (const std::string_view field : {"labels", "annotations"}) {
            const Value* common = set_.at({"spec", "commonMetadata", field});
            if (common == nullptr || !common->is_map() || metadata == nullptr ||
                !metadata->is_map()) {
                continue;
            }
            Value* own = metadata->find(field);
            if (own == nullptr || !own->is_map()) {
                own = &metadata->put(field, Value::map());
            }
            for (const Member& member : common->members()) {
                own->put(member.key.clone(), member.value.clone());
            }
        }
    }

    const Value& set_;
    const std::vector<const Value*>& providers_;
    std::vector<Value> inputs_;
    std::set<std::string> known_;
    MadeObjects out_;
};

}  // namespace

bool is_resource_set(const Value& object) {
    return is_kind(object, kGroup, "ResourceSet");
}

bool is_input_provider(const Value& object) {
    return is_kind(object, kGroup, "ResourceSetInputProvider");
}

std::string why_set_is_disabled(const Value& set) {
    const std::string_view text = text_of(set, {"metadata", "annotations", kReconcile});
    return lower_case(text) == "disabled" ? fmt::format("{}: {}", kReconcile, text) : std::string();
}

MadeObjects expand_resource_set(const Value& set, const std::vector<const Value*>& providers) {
    return Expansion(set, providers).run();
}

bool resources_mention(const Value& set, std::string_view word) {
    std::string text;
    for (const std::string_view field : {"resources", "resourcesTemplate", "steps"}) {
        if (const Value* part = set.at({"spec", field})) {
            write_yaml(*part, text);
        }
    }
    return text.find(word) != std::string::npos;
}

}  // namespace renderer::engines
