#include "renderer/plan/tailnets.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/labels.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/server_url.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/secret_source.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kTailnetRule = "tailnet: a Tailnet";

std::string_view login_url(const classify::CustomResource& tailnet) {
    const std::string_view url = tailnet.fields().text("loginUrl");
    return url.empty() ? kDefaultServer : url;
}

// The position is that of the name, or of the field that should have it.
classify::TextInput secret_of(const classify::CustomResource& tailnet) {
    const classify::Fields credentials = tailnet.fields_at({"credentials"});
    return {credentials.text("secretName"),
            classify::known_or(credentials.pos("secretName"), tailnet.fields().pos("credentials"))};
}

std::string_view without_slash(std::string_view url) {
    while (url.ends_with('/')) {
        url.remove_suffix(1);
    }
    return url;
}

class TailnetCheck {
public:
    TailnetCheck(const load::Loaded& loaded, const classify::Inventory& inventory,
                 const Settings& settings, Diagnostics& diagnostics)
        : loaded_(loaded), inventory_(inventory), settings_(settings), diagnostics_(diagnostics) {
        for (const auto& [kind, resources] : inventory.custom_resources) {
            for (const classify::CustomResource& one : resources) {
                add_user(one);
            }
        }
    }

    std::vector<std::string> run() {
        for (const classify::CustomResource& tailnet : inventory_.of(kind_of("Tailnet"))) {
            if (!is_rendered(loaded_, *tailnet.doc)) {
                continue;
            }
            check_custom_resource(tailnet, diagnostics_);
            check_url(tailnet);
            check_name(tailnet);
            const classify::TextInput secret = secret_of(tailnet);
            if (!secret.text.empty()) {
                check_secret(tailnet, secret);
            } else if (tailnet.faults.empty()) {
                report_invalid(tailnet, secret.pos, "spec.credentials.secretName is required", "",
                               "the name of a Secret in the operator's namespace", diagnostics_);
            }
        }
        return std::move(summary_);
    }

private:
    void add_user(const classify::CustomResource& user) {
        const std::string_view wanted = user.fields().text("tailnet");
        if (!wanted.empty() && is_rendered(loaded_, *user.doc)) {
            users_[wanted].push_back({.pos = user.fields().pos("tailnet"),
                                      .object = user.doc->object_name(),
                                      .text = "joins it"});
        }
    }

    Finding say(const classify::CustomResource& tailnet, Severity severity, std::string_view rule,
                Pos pos, std::string message) {
        return classify::about(tailnet, diagnostics_)
            .say(severity, rule, pos, std::move(message))
            .notes(users_[tailnet.name]);
    }

    // The controller sends credentials without TLS only to its own login server
    // (testdata/contract/tailnet.md).
    void check_url(const classify::CustomResource& tailnet) {
        const std::string_view url = tailnet.fields().text("loginUrl");
        const Pos pos = tailnet.fields().pos("loginUrl");
        if (!url.empty() && !is_server_url(url)) {
            return report_invalid(tailnet, pos, "spec.loginUrl is not the URL of a server",
                                  fmt::format("\"{}\"", url), std::string(kServerUrlGrammar),
                                  diagnostics_);
        }
        if (url.starts_with("http://") &&
            without_slash(url) != without_slash(settings_.login_server)) {
            say(tailnet, Severity::Warning, "plain-http-tailnet", pos,
                "the controller will send no credentials to this loginUrl")
                .expected("https://, or the same as the setting \"loginServer\"");
        }
    }

    // The Tailnet's name is a label of its Secret.
    void check_name(const classify::CustomResource& tailnet) {
        if (tailnet.name.size() > kMaxLabel) {
            say(tailnet, Severity::Warning, "name-too-long", tailnet.name_pos(),
                "the controller will not use it: its name is too long for the label of its Secret")
                .found(fmt::format("{} bytes", tailnet.name.size()))
                .expected(fmt::format("at most {}", kMaxLabel))
                .hint("rename the Tailnet");
        }
    }

    void check_label(const classify::CustomResource& tailnet, const classify::TextInput& secret,
                     std::string_view label) {
        if (label == tailnet.name) {
            return;
        }
        say(tailnet, Severity::Warning, "unlabelled-tailnet-secret", secret.pos,
            fmt::format("the controller will not use the Secret \"{}/{}\" for it", settings_.ns,
                        secret.text))
            .found(label.empty() ? fmt::format("no label \"{}\"", kTailnetLabel)
                                 : fmt::format("the label \"{}: {}\"", kTailnetLabel, label))
            .expected(fmt::format("the label \"{}: {}\"", kTailnetLabel, tailnet.name))
            .hint(label.empty() ? "add it to the Secret; of a SealedSecret or an ExternalSecret "
                                  "with a template, to the template's metadata"
                                : "use a separate Secret for each Tailnet");
    }

    void check_keys(const classify::CustomResource& tailnet, const classify::TextInput& secret,
                    const SecretSource& source) {
        std::vector<std::string_view> missing = missing_keys(source);
        const bool has_audience = source.keys.contains("audience");
        const bool may_trust_cluster = settings_.release.has(Trait::TailnetIdentity);
        if (has_audience && may_trust_cluster) {
            std::erase(missing, "client_secret");
        }
        for (const std::string_view key : missing) {
            Finding said = say(tailnet, Severity::Error, "incomplete-tailnet-secret", secret.pos,
                               fmt::format("the Secret \"{}/{}\" has no \"{}\"", settings_.ns,
                                           secret.text, key))
                               .expected(may_trust_cluster
                                             ? "the keys client_id, and client_secret or audience"
                                             : "the keys client_id and client_secret of an OAuth "
                                               "client of that tailnet");
            if (has_audience && !may_trust_cluster) {
                said.hint(fmt::format(
                    "\"audience\" needs release {} or later: set \"tailrender.operatorVersion\"",
                    since(Trait::TailnetIdentity).name()));
            }
        }
    }

    // I6: the Secret may be made by hand, so its absence is only an error when the inputs are
    // complete.
    void check_secret(const classify::CustomResource& tailnet, const classify::TextInput& secret) {
        const std::string name = fmt::format("{}/{}", settings_.ns, secret.text);
        const auto source =
            find_secret(loaded_, {.ns = settings_.ns, .name = secret.text}, diagnostics_);
        if (!source && settings_.inputs == InputsMode::Complete) {
            say(tailnet, Severity::Error, "missing-tailnet-secret", secret.pos,
                fmt::format("Secret \"{}\" not found", name))
                .expected(
                    "a Secret, SealedSecret or ExternalSecret with client_id and client_secret")
                .hint("add it, or set \"tailrender.inputs: partial\" if it is created with kubectl")
                .is_absence();
        } else if (!source) {
            summary_.push_back(
                fmt::format("Secret {} must exist in the cluster, with the keys client_id and "
                            "client_secret, and "
                            "with the label {}: {}",
                            name, kTailnetLabel, tailnet.name));
        } else {
            check_keys(tailnet, secret, *source);
            check_label(tailnet, secret, source->tailnet);
        }
    }

    const load::Loaded& loaded_;
    const classify::Inventory& inventory_;
    const Settings& settings_;
    Diagnostics& diagnostics_;
    std::map<std::string_view, std::vector<Note>> users_;
    std::vector<std::string> summary_;
};

}  // namespace

Tailnets::Tailnets(const load::Loaded& loaded, const classify::Inventory& inventory,
                   const Settings& settings)
    : settings_(settings) {
    for (const bool rendered : {false, true}) {  // applied objects replace facts of the same name
        for (const classify::CustomResource& tailnet : inventory.of(kind_of("Tailnet"))) {
            if (is_rendered(loaded, *tailnet.doc) == rendered) {
                by_name_[tailnet.name] = &tailnet;
            }
        }
    }
}

std::string Tailnets::server_url(const classify::ParentInput& user, const TailnetReference& wanted,
                                 Diagnostics& diagnostics) const {
    if (wanted.name.empty()) {
        return settings_.login_server;
    }
    const auto found = by_name_.find(wanted.name);
    if (found != by_name_.end()) {
        return std::string(login_url(*found->second));
    }
    classify::about(user, diagnostics)
        .error("unknown-tailnet", wanted.pos, fmt::format("Tailnet \"{}\" not found", wanted.name))
        .expected("the name of a Tailnet in the inputs")
        .hint("fix the name, or pass its manifest with --context DIR")
        .is_absence();
    return {};
}

std::vector<TailnetPlan> plan_tailnets(const classify::Inventory& inventory,
                                       const ProxyInputs& inputs) {
    std::vector<TailnetPlan> tailnets;
    for (const classify::CustomResource& tailnet : inventory.of(kind_of("Tailnet"))) {
        if (is_rendered(inputs.loaded, *tailnet.doc)) {
            tailnets.push_back({.origin = {tailnet.pos(), tailnet.doc->object_name(), kTailnetRule},
                                .bundle = inputs.bundle_of(*tailnet.doc),
                                .ns = inputs.settings.ns,
                                .name = std::string(tailnet.name),
                                .login_url = std::string(login_url(tailnet)),
                                .secret = std::string(secret_of(tailnet).text)});
        }
    }
    std::ranges::sort(tailnets, {}, &TailnetPlan::name);
    return tailnets;
}

std::vector<std::string> check_tailnets(const load::Loaded& loaded,
                                        const classify::Inventory& inventory,
                                        const Settings& settings, Diagnostics& diagnostics) {
    return TailnetCheck(loaded, inventory, settings, diagnostics).run();
}

}  // namespace renderer::plan
