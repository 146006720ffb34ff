#include "renderer/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/engines/flux/substitute.h"
#include "renderer/generate/generate.h"
#include "renderer/load/load.h"
#include "renderer/plan/plan.h"
#include "renderer/validate/validate.h"

namespace renderer {

namespace {

Diagnostics without_absences(const Diagnostics& found) {
    Diagnostics kept;
    for (const Diagnostic& diagnostic : found.all()) {
        if (!diagnostic.is_absence) {
            kept.add(diagnostic);
        }
    }
    return kept;
}

// Returns the name in the first `${NAME}`, "" if there is none.
std::string_view first_variable(std::string_view text) {
    const std::size_t begin = text.find("${");
    const std::size_t end = text.find('}', begin == std::string_view::npos ? text.size() : begin);
    const std::string_view name = end == std::string_view::npos
                                      ? std::string_view()
                                      : text.substr(begin + 2, end - begin - 2);
    return engines::is_variable_name(name) ? name : std::string_view();
}

// Adds a hint to each error about a value with a variable: the variable is the cause.
Diagnostics with_variables_named(const Diagnostics& found) {
    Diagnostics named;
    for (Diagnostic diagnostic : found.all()) {
        const std::string_view in_message = first_variable(diagnostic.message);
        const std::string variable(in_message.empty() ? first_variable(diagnostic.found)
                                                      : in_message);
        if (diagnostic.severity == Severity::Error && !variable.empty()) {
            diagnostic.hint = fmt::format(
                "\"${{{}}}\" is a variable without a value: set the value that Flux uses, with "
                "--substitute {}=VALUE",
                variable, variable);
        }
        named.add(std::move(diagnostic));
    }
    return named;
}

// Removes what is only a consequence: what another stage says about a value that has the wrong
// type, that a setting of the wrong type is missing, and that a variable replaces another one if it
// is refused. A wrong key is a fault of its
// own.
Diagnostics without_consequences(const Diagnostics& found) {
    std::set<std::pair<Pos, std::string_view>> wrong_types, refused;
    std::set<std::string_view> settings;  // those of the wrong type, in quotes
    for (const Diagnostic& one : found.all()) {
        if (one.rule == "wrong-type") {
            const std::string_view message = one.message;
            settings.insert(message.substr(0, message.find('"', 1) + 1));
        }
        const bool is_wrong_type = one.rule.starts_with("schema-");
        if (one.severity == Severity::Error && one.pos.known()) {
            (is_wrong_type ? wrong_types : refused).emplace(one.pos, one.object);
        }
    }
    Diagnostics kept;
    for (const Diagnostic& one : found.all()) {
        const std::pair<Pos, std::string_view> place(one.pos, one.object);
        const bool is_of_key = one.message.find(" key \"") != std::string::npos;
        const bool is_said =
            !one.rule.starts_with("schema-") && !is_of_key && wrong_types.contains(place);
        const bool is_of_setting = one.rule == "missing-image" &&
                                   std::ranges::any_of(settings, [&](std::string_view setting) {
                                       return one.message.find(setting) != std::string::npos;
                                   });
        if (!is_said && !is_of_setting && (one.rule != "custom-env" || !refused.contains(place))) {
            kept.add(one);
        }
    }
    return kept;
}

// True for a field with a typo or the wrong type.
bool is_misspelled(const schema::SchemaFault& fault) {
    const std::string& rule = fault.diagnostic.rule;
    return !fault.may_change && fault.unless.last < 0 &&
           (rule == "schema-unknown-field" || rule == "schema-type");
}

// Removes the errors that an object lacks something if one of its fields is misspelled: that may be
// what it lacks. They are at the object's kind.
Diagnostics without_lacks(const Diagnostics& found, const validate::InputFaults& faults) {
    std::set<Pos> kinds;
    for (const validate::DocumentFaults& one : faults.documents) {
        if (one.is_applied && std::ranges::any_of(one.faults, is_misspelled)) {
            kinds.insert(one.document->kind.pos());
        }
    }
    Diagnostics kept;
    for (const Diagnostic& one : found.all()) {
        if (one.severity != Severity::Error || !kinds.contains(one.pos)) {
            kept.add(one);
        }
    }
    return kept;
}

// Removes faults at the places of notes about the same object: these explain an error.
void drop_noted(const Diagnostics& said, validate::InputFaults& faults) {
    std::set<Pos> noted;
    for (const Diagnostic& one : said.all()) {
        for (const Note& note : one.notes) {
            if (one.severity == Severity::Error && note.object.empty()) {
                noted.insert(note.pos);
            }
        }
    }
    for (validate::DocumentFaults& one : faults.documents) {
        std::erase_if(one.faults, [&](const schema::SchemaFault& fault) {
            return noted.contains(fault.diagnostic.pos);
        });
    }
}

// Runs the stages in order; the comments say what is true between them. A stage reports every
// mistake that it can find and skips the document concerned, so that one run shows all of them.
// Objects are generated only if there are none.
bool run_stages(repo::LoadOptions options, Run& run, generate::Form form) {
    const unsigned threads = options.threads;
    const bool validate = options.validate;
    run.loaded = load::load(std::move(options), run.diagnostics);
    if (run.loaded.documents.empty() && run.diagnostics.has_errors()) {
        return false;
    }
    const bool complete = !run.diagnostics.has_errors();
    // Every file has been read: no later stage opens one. Each document has its bundle, its
    // namespace and whether an applier would see it. Documents are sorted by path, whatever the
    // order of a directory or of threads.

    validate::InputFaults faults =
        validate::validate_inputs(run.loaded, validate, threads, run.diagnostics);
    // The inputs were validated. report_inputs below reports a fault only if plan reported no error
    // at the same place, since plan's errors say more.

    run.inventory = classify::classify(run.loaded, faults, run.diagnostics);
    // Every document is a decoded Service, Ingress or other built-in kind; a custom resource, whose
    // spec is a tree that its planner reads; a fact; or foreign bytes. A field that cannot be
    // decoded counts as absent, and is a fault of its object.

    Diagnostics found;
    run.plan = plan::plan(run.loaded, run.inventory, found);
    if (!complete) {
        found = without_absences(found);
    }
    found = without_lacks(without_consequences(found), faults);
    drop_noted(found, faults);
    run.diagnostics.append(run.loaded.units.empty() ? std::move(found)
                                                    : with_variables_named(found));
    validate::report_inputs(std::move(faults), validate, run.plan.ours,
                            run.plan.settings.release.version.minor, run.diagnostics);
    if (run.diagnostics.has_errors()) {
        return false;
    }
    // Everything is decided: names, places, tags, targets, edits. Later stages cannot fail because
    // of the input, and every input that was read matches the schema of its kind.

    run.objects = generate::generate(run.plan, validate ? generate::Form::Tree : form, threads);
    if (validate) {
        validate::validate_objects(run.loaded, run.objects, threads, run.diagnostics);
    }
    // Every object exists. emit.h sorts and writes them.
    return !run.diagnostics.has_errors();
}

}  // namespace

// The settings of the operator, which are among the inputs, decide which words make an input. If
// there are others than "tailscale", everything is read again with them, since charts and
// kustomizations that contain none of them are not rendered.
bool render(repo::LoadOptions options, Run& run, generate::Form form) {
    const bool is_rendered = run_stages(options, run, form);
    if (run.plan.input_words.empty() || options.stream) {
        return is_rendered;
    }
    options.input_words = run.plan.input_words;
    run = Run();
    return run_stages(std::move(options), run, form);
}

}  // namespace renderer
