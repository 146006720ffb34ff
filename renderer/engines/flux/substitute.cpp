#include "renderer/engines/flux/substitute.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/domain.h"
#include "renderer/core/document.h"
#include "renderer/core/plain_scalar.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/chart_releases.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/variable_functions.h"
#include "renderer/kube/decoded_kinds.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kSubstitute = "kustomize.toolkit.fluxcd.io/substitute";
constexpr int kMaxDepth = 100;  // for `${A:-${B:-…}}`
// Of all texts with variables in one object. No API server accepts more: kubernetes
// staging/src/k8s.io/apiserver/pkg/server/config.go (MaxRequestBodyBytes).
constexpr std::size_t kMaxResult = std::size_t{3} << 20U;
constexpr std::string_view kTooLong = "the values of its variables make it too long";

// Messages of Flux, from envsubst/parse/parse.go.
constexpr std::string_view kBadSubstitution = "bad substitution";
constexpr std::string_view kNoClosingBrace = "missing closing brace";
constexpr std::string_view kNoName = "unable to parse variable name";
constexpr std::string_view kNoParameter = "unable to parse substitution within function";

bool is_name_character(char c) {
    return is_alphanumeric(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Replaces expressions from left to right. Stops at the first error.
class Expander {
public:
    Expander(std::string_view text, const UnitVariables& variables, std::vector<std::string>& unset,
             std::vector<std::string>& assumed)
        : text_(text), variables_(variables), unset_(unset), assumed_(assumed) {}

    Result<std::string> run() {
        std::string result;
        while (!at_end() && fault_.empty()) {
            if (variables_.named_only && takes("$$")) {
                result += "$$";
            } else if (takes("${")) {
                result += expression(0);
            } else {
                takes_escape("$");
                result += text_[at_++];
            }
        }
        if (fault_.empty()) {
            return result;
        }
        if (variables_.named_only) {
            return std::string(text_);
        }
        return Error{{.message = std::string(fault_)}};
    }

private:
    enum class Until { Brace, Colon, Slash };

    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
    [[nodiscard]] bool sees(std::string_view word) const {
        return text_.substr(at_).starts_with(word);
    }
    bool takes(std::string_view word) {
        const bool there = sees(word);
        at_ += there ? word.size() : 0;
        return there;
    }

    // Skips an escape character, so that the character after it is literal.
    bool takes_escape(std::string_view escapes) {
        const char c = peek();
        const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        const bool escaped =
            escapes.find(c) != std::string_view::npos &&
            ((c == '$' && next == '$') || (c == '\\' && (next == '/' || next == '\\')));
        at_ += escaped ? 1 : 0;
        return escaped;
    }

    std::string fail(std::string_view words) {
        fault_ = fault_.empty() ? words : fault_;
        return {};
    }

    std::string name() {
        const std::size_t begin = at_;
        while (!at_end() && is_name_character(peek())) {
            ++at_;
        }
        return std::string(text_.substr(begin, at_ - begin));
    }

    // Parses an expression after its `${`.
    std::string expression(int depth) {
        if (depth > kMaxDepth) {
            return fail(kBadSubstitution);
        }
        const std::size_t begin = at_ - 2;
        const bool length = takes("#");
        const std::string variable = name();
        if (variable.empty()) {
            return fail(length ? kBadSubstitution : kNoName);
        }
        std::vector<std::string> arguments;
        const std::string operation = length ? "length" : read_operation(arguments, depth);
        if (!fault_.empty()) {
            return {};
        }
        if (!takes("}")) {
            return fail(operation.empty() ? kNoClosingBrace : kBadSubstitution);
        }
        const auto known = variables_.values.find(variable);
        const bool gives_default = operation.size() > 1 ? operation[0] == ':' : operation == "=";
        const bool is_unset = !gives_default || variables_.secret.contains(variable);
        if (known == variables_.values.end() && (is_unset || variables_.named_only)) {
            if (!variables_.named_only) {
                unset_.push_back(variable);
            }
            return std::string(text_.substr(begin, at_ - begin));
        }
        if (known == variables_.values.end() ? variables_.may_have_more
                                             : variables_.unapplied.contains(variable)) {
            assumed_.push_back(variable);
        }
        const std::string value = known == variables_.values.end() ? std::string() : known->second;
        const bool may_multiply = operation == "//" && arguments.size() > 1;
        std::string result = may_multiply && value.size() * arguments[1].size() > kMaxResult
                                 ? fail(kTooLong)
                                 : apply_function(operation, value, arguments);
        size_ += result.size();
        return size_ > kMaxResult ? fail(kTooLong) : result;
    }

    std::string read_operation(std::vector<std::string>& arguments, int depth) {
        for (const std::string_view word : {":=", ":-", ":?", ":+", "="}) {
            if (takes(word)) {
                while (fault_.empty() && peek() != '}') {
                    arguments.push_back(parameter(Until::Brace, "", depth));
                }
                return std::string(word);
            }
        }
        for (const std::string_view word : {"^^", "^,", "^", ",,", ",^", ","}) {
            if (takes(word)) {
                return std::string(word);
            }
        }
        for (const std::string_view word : {"##", "#", "%%", "%"}) {
            if (takes(word)) {
                arguments.push_back(parameter(Until::Brace, "", depth));
                return std::string(word);
            }
        }
        for (const std::string_view word : {"//", "/#", "/%", "/"}) {
            if (takes(word)) {
                read_replacement(arguments, depth);
                return std::string(word);
            }
        }
        if (takes(":")) {
            arguments.push_back(parameter(Until::Colon, "", depth));
            if (takes_all(':')) {
                arguments.push_back(parameter(Until::Brace, "", depth));
            }
            return ":";
        }
        return {};
    }

    void read_replacement(std::vector<std::string>& arguments, int depth) {
        arguments.push_back(parameter(Until::Slash, "$\\", depth));
        if (fault_.empty() && !takes_all('/')) {
            fail(kBadSubstitution);
        } else if (fault_.empty() && peek() != '}') {
            arguments.push_back(parameter(Until::Brace, "$\\", depth));
        }
    }

    bool takes_all(char c) {
        const std::size_t begin = at_;
        while (!at_end() && peek() == c) {
            ++at_;
        }
        return at_ > begin;
    }

    // Returns the value of an expression, or the text before the next one.
    std::string parameter(Until until, std::string_view escapes, int depth) {
        if (takes("${")) {
            return expression(depth + 1);
        }
        std::string result;
        while (!at_end() && !sees("${")) {
            if (!takes_escape(escapes) && ends(until, peek())) {
                break;
            }
            result += text_[at_++];
        }
        return result.empty() ? fail(kNoParameter) : result;
    }

    static bool ends(Until until, char c) {
        return until == Until::Slash ? c == '/' : c == '}' || (until == Until::Colon && c == ':');
    }

    std::string_view text_;
    const UnitVariables& variables_;
    std::vector<std::string>& unset_;
    std::vector<std::string>& assumed_;
    std::size_t at_ = 0;
    std::size_t size_ = 0;  // of the results of expressions
    std::string_view fault_;
};

// True if kustomize prints a text with a `$` without quotes. Source: go-yaml emitterc.go,
// yaml_emitter_analyze_scalar.
bool is_printed_plain(std::string_view text) {
    constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@` ";
    return kIndicators.find(text.front()) == std::string_view::npos && !text.ends_with(' ') &&
           !text.ends_with(':') && text.find(": ") == std::string_view::npos &&
           text.find(" #") == std::string_view::npos && text.find('\n') == std::string_view::npos;
}

class ObjectSubstitution {
public:
    ObjectSubstitution(const UnitVariables& variables, Diagnostics& diagnostics)
        : variables_(variables), diagnostics_(diagnostics) {}

    [[nodiscard]] const std::vector<UsedVariable>& unset() const { return unset_; }
    // Variables whose defaults are used, though they may have values.
    [[nodiscard]] const std::vector<UsedVariable>& assumed() const { return assumed_; }

    void run(Value& value) {
        if (value.is_string()) {
            replace(value, true);
        } else if (value.is_list()) {
            for (Value& item : value.items()) {
                run(item);
            }
        } else if (value.is_map()) {
            for (Member& member : value.members()) {
                replace(member.key, false);
                run(member.value);
            }
        }
    }

private:
    // A key remains a string, whatever it looks like.
    void replace(Value& value, bool is_scalar) {
        if (!value.is_string() || value.text().find('$') == std::string_view::npos ||
            size_ > kMaxResult) {
            return;
        }
        std::vector<std::string> names, assumed;
        Result<std::string> text = substitute(value.text(), variables_, names, assumed);
        const Pos pos = value.pos();
        size_ += text ? text->size() : 0;
        if (size_ > kMaxResult) {
            text = Error{{.message = std::string(kTooLong)}};
        }
        if (!text && text.error().diagnostic.message == kTooLong) {
            diagnostics_.error("invalid-substitution", pos, std::string(kTooLong))
                .found(fmt::format("\"{}\"", value.text().substr(0, kShown)))
                .expected("at most 3 MiB for an object, as in the API server");
            return;
        }
        if (!text) {
            diagnostics_.error("invalid-substitution", pos, text.error().diagnostic.message)
                .found(fmt::format("\"{}\"", value.text().substr(0, kShown)))
                .expected("expressions such as ${NAME} or ${NAME:=default}")
                .hint("write $${ for a literal ${, or label the object " +
                      std::string(kSubstitute) + ": disabled");
            return;
        }
        for (std::string& name : names) {
            unset_.push_back({pos, std::move(name)});
        }
        for (std::string& name : assumed) {
            assumed_.push_back({pos, std::move(name)});
        }
        // Flux parses text again that kustomize printed without quotes.
        const bool was_plain = is_scalar && is_printed_plain(value.text());
        value = was_plain && names.empty() ? parsed_again(*text) : Value(*text);
        value.set_pos(pos);
    }

    // A variable may be the quotes, so that the text stays a string.
    static Value parsed_again(std::string_view text) {
        const bool is_quoted = text.size() > 1 && text.front() == text.back() &&
                               (text.front() == '"' || text.front() == '\'');
        const std::string_view inner = is_quoted ? text.substr(1, text.size() - 2) : text;
        const bool is_simple = inner.find_first_of("\"'\\") == std::string_view::npos;
        return is_quoted && is_simple ? Value(inner) : resolve_plain(text);
    }

    static constexpr std::size_t kShown = 60;
    std::size_t size_ = 0;  // of the results
    const UnitVariables& variables_;
    Diagnostics& diagnostics_;
    std::vector<UsedVariable> unset_, assumed_;
};

bool is_of_others(const Value& object, Pos pos) {
    for (const std::string_view field : {"labels", "annotations"}) {
        for (const Member& member : members_of(object.at({"metadata", field}))) {
            if (member.value.pos() == pos) {
                return !spelling_of(member.key).starts_with(kOperatorDomain);
            }
        }
    }
    return false;
}

// True if the place decides whether a Service or an Ingress is an input: a class, the key of an
// annotation or, with `type_decides`, the type of a Service.
bool decides(const Value& object, Pos pos, bool type_decides) {
    const std::string_view kind = text_of(object, {"kind"});
    const auto is_at = [&](const Value* value) { return value != nullptr && value->pos() == pos; };
    if (kind != "Service" && kind != "Ingress") {
        return false;
    }
    const auto annotations = members_of(object.at({"metadata", "annotations"}));
    return is_at(object.at({"spec", "loadBalancerClass"})) ||
           (type_decides && is_at(object.at({"spec", "type"}))) ||
           is_at(object.at({"spec", "ingressClassName"})) ||
           std::ranges::any_of(annotations,
                               [&](const Member& member) { return member.key.pos() == pos; });
}

// True if the place is the value of an annotation that makes a Service an input.
bool is_exposing_annotation(const Value& object, Pos pos) {
    constexpr auto kExposing =
        std::to_array<std::string_view>({annotation::kExpose, annotation::kTailnetIp,
                                         annotation::kOldTailnetIp, annotation::kTailnetFqdn});
    return std::ranges::any_of(
        members_of(object.at({"metadata", "annotations"})), [&](const Member& member) {
            return member.value.pos() == pos &&
                   std::ranges::find(kExposing, spelling_of(member.key)) != kExposing.end();
        });
}

// True for a release of the operator's chart, whose values are settings.
bool is_operator_release(const Value& object) {
    return text_of(object, {"apiVersion"}).starts_with(kHelmGroup) && installs_operator(object);
}

// True for the operator's Deployment, whose environment has its settings.
bool is_operator(const Value& object) {
    return text_of(object, {"kind"}) == "Deployment" &&
           std::ranges::any_of(items_of(object.at({"spec", "template", "spec", "containers"})),
                               [](const Value& container) {
                                   return std::ranges::any_of(
                                       items_of(container.find("env")), [](const Value& one) {
                                           return text_of(one, {"name"}) == "PROXY_IMAGE";
                                       });
                               });
}

// True if the renderer reads more than the name of the object. An object whose kind is a variable
// may be anything.
bool is_read(const Value& object) {
    const std::string_view version = text_of(object, {"apiVersion"});
    const std::string_view kind = text_of(object, {"kind"});
    const auto is_unknown = [](std::string_view text) {
        return text.find("${") != std::string_view::npos;
    };
    return is_unknown(version) || is_unknown(kind) || is_decoded_kind(version, kind) ||
           is_operator(object);
}

bool is_disabled(const Value& object) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"labels", "annotations"}, [&](auto field) {
            return text_of(object, {"metadata", field, kSubstitute}) == "disabled";
        });
}

}  // namespace

bool is_variable_name(std::string_view text) {
    return !text.empty() && (text.front() < '0' || text.front() > '9') &&
           std::ranges::all_of(text, is_name_character);
}

Result<std::string> substitute(std::string_view text, const UnitVariables& variables,
                               std::vector<std::string>& unset, std::vector<std::string>& assumed) {
    return Expander(text, variables, unset, assumed).run();
}

std::vector<UsedVariable> unset_variables(Value object, const UnitVariables& variables) {
    Diagnostics discarded;
    ObjectSubstitution substitution(variables, discarded);
    if (!is_disabled(object)) {
        substitution.run(object);
    }
    return substitution.unset();
}

std::vector<UsedVariable> substitute_object(Value& object, const UnitVariables& variables,
                                            bool is_input, bool type_decides,
                                            Diagnostics& diagnostics) {
    std::vector<UsedVariable> undecided;
    if (is_disabled(object)) {
        return undecided;
    }
    const std::string_view own_name = text_of(object, {"metadata", "name"});
    const std::string name_before =
        own_name.empty() ? std::string()
                         : object_name(text_of(object, {"kind"}),
                                       text_of(object, {"metadata", "namespace"}), own_name);
    Diagnostics found;
    ObjectSubstitution substitution(variables, found);
    substitution.run(object);
    for (const auto& [pos, name] : substitution.assumed()) {
        if (is_input ? !is_of_others(object, pos)
                     : is_operator_release(object) || decides(object, pos, type_decides)) {
            const auto unapplied = variables.unapplied.find(name);
            const bool is_default = unapplied == variables.unapplied.end();
            found
                .warning(is_default ? "assumed-default" : "unapplied-variable", pos,
                         is_default
                             ? fmt::format("the default of \"{}\" is used, but a Secret or a "
                                           "ConfigMap that is not in the tree may have a value",
                                           name)
                             : fmt::format("Flux may use an earlier value of \"{}\": its ConfigMap "
                                           "is not applied now",
                                           name))
                .found(is_default ? std::string() : unapplied->second)
                .expected("the value that Flux uses")
                .hint(is_default ? fmt::format("--substitute {}=VALUE sets it", name)
                                 : std::string("resume what applies the ConfigMap"));
        }
        if (decides(object, pos, type_decides) || is_exposing_annotation(object, pos)) {
            undecided.push_back({pos, name});
        }
    }
    for (const auto& [pos, name] : substitution.unset()) {
        const bool has_value = variables.may_have_more || variables.secret.contains(name);
        if (is_input ? !is_of_others(object, pos)
                     : has_value && decides(object, pos, type_decides)) {
            found.error("unresolved-variable", pos, fmt::format("\"{}\" has no value here", name))
                .expected(
                    "a variable of postBuild.substitute, or of a ConfigMap in this tree that "
                    "substituteFrom names")
                .hint(fmt::format("values of Secrets are not read: --substitute {}=VALUE", name));
        }
    }
    for (Diagnostic one : found.all()) {
        one.object = name_before;
        diagnostics.add(std::move(one));
    }
    return undecided;
}

std::vector<UsedVariable> substitute_document(Value& root, const UnitVariables& variables,
                                              bool mentions_tailscale, bool type_decides,
                                              Diagnostics& diagnostics) {
    Value* items = root.find("items");
    if (items == nullptr || !items->is_list() || !text_of(root, {"kind"}).ends_with("List")) {
        return substitute_object(root, variables, mentions_tailscale && is_read(root), type_decides,
                                 diagnostics);
    }
    std::vector<UsedVariable> undecided;
    for (Value& item : items->items()) {
        std::ranges::move(
            substitute_document(item, variables, mentions_tailscale, type_decides, diagnostics),
            std::back_inserter(undecided));
    }
    return undecided;
}

}  // namespace renderer::engines
