#include "renderer/load/binding_subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/load/loaded.h"
#include "renderer/load/name_references.h"
#include "renderer/load/splice.h"

namespace renderer::load {

namespace {

// A document of a build, with its namespaces before and after the build.
struct Resource {
    const Document* document = nullptr;
    std::string_view before = {}, after = {};  // namespaces; "" for none
    bool in_namespace = false;
    bool is_moved = false;

    [[nodiscard]] bool is_account() const {
        return is_moved && text_of(document->kind) == "ServiceAccount" &&
               text_of(document->api_version) == "v1";
    }
    [[nodiscard]] bool is_binding() const {
        const std::string_view kind = text_of(document->kind);
        return (kind == "RoleBinding" || kind == "ClusterRoleBinding") &&
               group_of(text_of(document->api_version)) == "rbac.authorization.k8s.io";
    }
};

using Resources = std::vector<const Resource*>;

class BindingPass {
public:
    BindingPass(const std::vector<Resource>& build, Loaded& loaded, Diagnostics& diagnostics)
        : build_(build), loaded_(loaded), diagnostics_(diagnostics) {}

    void run() {
        if (std::ranges::none_of(build_, &Resource::is_account)) {
            return;
        }
        for (const Resource& resource : build_) {
            if (resource.is_binding()) {
                apply(resource);
            }
        }
    }

private:
    void apply(const Resource& binding) {
        const Document& document = *binding.document;
        const Value root = read_document(loaded_, document, diagnostics_);
        const auto subjects = items_of(root.find("subjects"));
        const Resources seen = seen_from(binding, subjects);
        for (const Value& subject : subjects) {
            // The namespace pass sets the namespace of "default" together with that of the binding.
            const std::string_view name = text_of(subject.find("name"));
            if (!name.empty() && !(name == "default" && binding.is_moved)) {
                follow(document, root, subject, accounts(name, subject.find("namespace"), seen));
            }
        }
    }

    [[nodiscard]] Resources seen_from(const Resource& binding,
                                      std::span<const Value> subjects) const {
        const auto names = [&](const Value& subject, std::string_view ns) {
            return text_of(subject.find("kind")) == "ServiceAccount" &&
                   text_of(subject.find("namespace")) == ns;
        };
        Resources seen;
        for (const Resource& one : build_) {
            const bool named =
                !one.after.empty() && std::ranges::any_of(subjects, [&](const Value& subject) {
                    return names(subject, one.after);
                });
            if (!binding.in_namespace || !one.in_namespace || named ||
                or_default(one.after) == or_default(binding.after)) {
                seen.push_back(&one);
            }
        }
        return seen;
    }

    // Returns the ServiceAccounts that a subject may refer to. If any resource was in its namespace
    // before the build, only those are candidates; otherwise the resources that are in it now.
    static Resources accounts(std::string_view name, const Value* ns, const Resources& seen) {
        Resources found = seen;
        for (const auto member : {&Resource::before, &Resource::after}) {
            if (ns != nullptr && (member == &Resource::before || found.empty())) {
                found.clear();
                std::ranges::copy_if(seen, std::back_inserter(found), [&](const Resource* one) {
                    return one->in_namespace && or_default(one->*member) == text_of(ns);
                });
            }
        }
        std::erase_if(found, [&](const Resource* one) {
            return !one->is_account() || text_of(one->document->name) != name;
        });
        return found;
    }

    void follow(const Document& document, const Value& root, const Value& subject,
                const Resources& found) {
        if (found.empty()) {
            return;
        }
        const std::string ns(found.front()->after);
        const auto other = std::ranges::find_if(
            found, [&](const Resource* one) { return one->after != found.front()->after; });
        if (other != found.end()) {
            refuse_ambiguous(document, subject, *found.front(), **other);
            return;
        }
        if (text_of(subject.find("namespace")) == ns) {
            return;
        }
        std::optional<Edit> edit = set_member(
            {loaded_.sources, document.source, document.range, root}, subject, "namespace", ns);
        if (!edit) {
            about(document, diagnostics_)
                .error("cannot-edit", subject.pos(),
                       fmt::format("cannot write \"namespace: {}\" into this subject", ns))
                .found("a subject that uses an alias, an anchor or a tag")
                .hint(fmt::format("write \"namespace: {}\" into this file", ns));
            return;
        }
        edit->reason = fmt::format("namespace {}", ns);
        loaded_.edits.push_back(std::move(*edit));
    }

    void refuse_ambiguous(const Document& document, const Value& subject, const Resource& one,
                          const Resource& other) {
        const auto named = [](const Resource& account) {
            return object_name("ServiceAccount", account.after, text_of(account.document->name));
        };
        about(document, diagnostics_)
            .error("ambiguous-subject", subject.pos(),
                   "kustomize fails: it cannot tell which ServiceAccount this subject is")
            .found(fmt::format("{} and {}", named(one), named(other)))
            .expected("a subject with the namespace of one of them");
    }

    const std::vector<Resource>& build_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
};

}  // namespace

void follow_accounts(const std::vector<engines::InputFile>& files,
                     const std::vector<std::uint32_t>& file_of, const engines::Selection& selection,
                     Loaded& loaded, Diagnostics& diagnostics) {
    const bool moves_any = std::ranges::any_of(
        selection.rules,
        [](const engines::NamespaceRule& rule) { return !rule.overwrite.empty(); });
    if (!moves_any) {
        return;
    }
    std::map<std::uint32_t, std::vector<Resource>> builds;
    for (const Document& document : loaded.documents) {
        const engines::InputFile& file = files[file_of[document.source]];
        if (file.build == kNone || !document.reachable) {
            continue;
        }
        const std::string_view ns = selection.rules[file.rule].overwrite;
        const std::string_view own = text_of(document.ns);
        const bool in_namespace =
            !is_cluster_scoped(text_of(document.api_version), text_of(document.kind));
        builds[file.build].push_back({.document = &document,
                                      .before = own,
                                      .after = in_namespace && !ns.empty() ? ns : own,
                                      .in_namespace = in_namespace,
                                      .is_moved = !ns.empty()});
    }
    for (const auto& [number, build] : builds) {
        BindingPass(build, loaded, diagnostics).run();
    }
}

}  // namespace renderer::load
