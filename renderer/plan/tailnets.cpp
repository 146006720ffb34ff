#include "renderer/plan/tailnets.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/kube/api.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/server_url.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/proxy.h"
#include "renderer/plan/secret_source.h"

namespace renderer {

namespace {

constexpr std::string_view kDefaultLoginUrl = "https://controlplane.tailscale.com";
constexpr std::string_view kRule = "tailnet: a Tailnet";

std::string_view login_url(const TailnetInput& tailnet) {
    return tailnet.login_url.empty() ? kDefaultLoginUrl : tailnet.login_url;
}

std::string_view without_slash(std::string_view url) {
    while (url.ends_with('/')) {
        url.remove_suffix(1);
    }
    return url;
}

class TailnetCheck {
public:
    TailnetCheck(const Loaded& loaded, const Inventory& inventory, const Settings& settings,
                 Diagnostics& diagnostics)
        : loaded_(loaded), inventory_(inventory), settings_(settings), diagnostics_(diagnostics) {
        for (const ConnectorInput& one : inventory.connectors) {
            add_user(one, {one.tailnet.text, one.tailnet.pos});
        }
        for (const ProxyGroupInput& one : inventory.proxy_groups) {
            add_user(one, {one.tailnet.text, one.tailnet.pos});
        }
        for (const RecorderInput& one : inventory.recorders) {
            add_user(one, {one.tailnet, one.tailnet_pos});
        }
    }

    std::vector<std::string> run() {
        for (const TailnetInput& tailnet : inventory_.tailnets) {
            if (!is_rendered(loaded_, *tailnet.doc)) {
                continue;
            }
            check_custom_resource(tailnet, diagnostics_);
            check_url(tailnet);
            check_name(tailnet);
            if (!tailnet.secret.empty()) {
                check_secret(tailnet);
            } else if (tailnet.faults.empty()) {
                report_invalid(tailnet, tailnet.secret_pos,
                               "spec.credentials.secretName is required", "",
                               "the name of a Secret in the operator's namespace", diagnostics_);
            }
        }
        return std::move(summary_);
    }

private:
    void add_user(const ParentInput& user, const TailnetWish& wish) {
        if (!wish.name.empty() && is_rendered(loaded_, *user.doc)) {
            users_[wish.name].push_back(
                {.pos = wish.pos, .object = user.doc->object_name(), .text = "joins it"});
        }
    }

    void report(const TailnetInput& tailnet, Diagnostic diagnostic) {
        diagnostic.object = tailnet.doc->object_name();
        const auto users = users_.find(tailnet.name);
        if (users != users_.end()) {
            diagnostic.notes = users->second;
        }
        diagnostics_.add(std::move(diagnostic));
    }

    // The controller sends credentials in the open to no server but its own (testdata/contract/
    // tailnet.md).
    void check_url(const TailnetInput& tailnet) {
        const std::string_view url = tailnet.login_url;
        if (!url.empty() && !is_server_url(url)) {
            return report_invalid(
                tailnet, tailnet.login_url_pos, "spec.loginUrl is not the URL of a server",
                fmt::format("\"{}\"", url), std::string(kServerUrlGrammar), diagnostics_);
        }
        if (url.starts_with("http://") &&
            without_slash(url) != without_slash(settings_.login_server)) {
            report(tailnet, {.severity = Severity::Warning,
                             .rule = "plain-http-tailnet",
                             .pos = tailnet.login_url_pos,
                             .message = "the controller will send no credentials to this loginUrl",
                             .expected = "https://, or the same as the setting \"loginServer\""});
        }
    }

    // The Secret has it as a label.
    void check_name(const TailnetInput& tailnet) {
        if (tailnet.name.size() > kMaxLabel) {
            report(
                tailnet,
                {.severity = Severity::Warning,
                 .rule = "name-too-long",
                 .pos = tailnet.name_pos(),
                 .message = "the controller will not use it: its name is too long for the label of "
                            "its Secret",
                 .found = fmt::format("{} bytes", tailnet.name.size()),
                 .expected = fmt::format("at most {}", kMaxLabel),
                 .hint = "rename the Tailnet"});
        }
    }

    void check_label(const TailnetInput& tailnet, std::string_view label) {
        if (label == tailnet.name) {
            return;
        }
        report(
            tailnet,
            {.severity = Severity::Warning,
             .rule = "unlabelled-tailnet-secret",
             .pos = tailnet.secret_pos,
             .message = fmt::format("the controller will not use the Secret \"{}/{}\" for it",
                                    settings_.ns, tailnet.secret),
             .found = label.empty() ? fmt::format("no label \"{}\"", kTailnetLabel)
                                    : fmt::format("the label \"{}: {}\"", kTailnetLabel, label),
             .expected = fmt::format("the label \"{}: {}\"", kTailnetLabel, tailnet.name),
             .hint = label.empty() ? "add it to the Secret; of a SealedSecret or an ExternalSecret "
                                     "with a template, to the template's metadata"
                                   : "use a separate Secret for each Tailnet"});
    }

    // I6: the Secret may be made by hand, so its absence is only an error when the inputs are
    // complete.
    void check_secret(const TailnetInput& tailnet) {
        const std::string name = fmt::format("{}/{}", settings_.ns, tailnet.secret);
        const auto source =
            find_secret(loaded_, {.ns = settings_.ns, .name = tailnet.secret}, diagnostics_);
        if (!source && settings_.inputs == InputsMode::Complete) {
            report(
                tailnet,
                {.rule = "missing-tailnet-secret",
                 .pos = tailnet.secret_pos,
                 .message = fmt::format("Secret \"{}\" not found", name),
                 .expected = "a Secret, SealedSecret or ExternalSecret with client_id and "
                             "client_secret",
                 .hint = "add it, or set \"tailrender.inputs: partial\" if it is created by hand",
                 .is_absence = true});
        } else if (!source) {
            summary_.push_back(
                fmt::format("Secret {} must exist in the cluster, with the keys client_id and "
                            "client_secret, and "
                            "with the label {}: {}",
                            name, kTailnetLabel, tailnet.name));
        } else {
            for (const std::string_view key : missing_keys(*source)) {
                report(tailnet,
                       {.rule = "incomplete-tailnet-secret",
                        .pos = tailnet.secret_pos,
                        .message = fmt::format("the Secret \"{}\" has no \"{}\"", name, key),
                        .expected = "the keys client_id and client_secret of an OAuth client of "
                                    "that tailnet"});
            }
            check_label(tailnet, source->tailnet);
        }
    }

    const Loaded& loaded_;
    const Inventory& inventory_;
    const Settings& settings_;
    Diagnostics& diagnostics_;
    std::map<std::string_view, std::vector<Note>> users_;
    std::vector<std::string> summary_;
};

}  // namespace

Tailnets::Tailnets(const Loaded& loaded, const Inventory& inventory, const Settings& settings)
    : settings_(settings) {
    for (const bool rendered : {false, true}) {  // what an applier sees wins over facts
        for (const TailnetInput& tailnet : inventory.tailnets) {
            if (is_rendered(loaded, *tailnet.doc) == rendered) {
                by_name_[tailnet.name] = &tailnet;
            }
        }
    }
}

std::string Tailnets::server_url(const ParentInput& user, const TailnetWish& wish,
                                 Diagnostics& diagnostics) const {
    if (wish.name.empty()) {
        return settings_.login_server;
    }
    const auto found = by_name_.find(wish.name);
    if (found != by_name_.end()) {
        return std::string(login_url(*found->second));
    }
    about(user, diagnostics)
        .error("unknown-tailnet", wish.pos, fmt::format("Tailnet \"{}\" not found", wish.name))
        .expected("the name of a Tailnet in the inputs")
        .hint("fix the name, or pass its manifest with --context DIR")
        .is_absence();
    return {};
}

std::vector<TailnetPlan> plan_tailnets(const Inventory& inventory, const ProxyInputs& inputs) {
    std::vector<TailnetPlan> tailnets;
    for (const TailnetInput& tailnet : inventory.tailnets) {
        if (is_rendered(inputs.loaded, *tailnet.doc)) {
            tailnets.push_back({.origin = {tailnet.pos(), tailnet.doc->object_name(), kRule},
                                .bundle = inputs.bundle_of(*tailnet.doc),
                                .ns = inputs.settings.ns,
                                .name = std::string(tailnet.name),
                                .login_url = std::string(login_url(tailnet)),
                                .secret = std::string(tailnet.secret)});
        }
    }
    std::ranges::sort(tailnets, {}, &TailnetPlan::name);
    return tailnets;
}

std::vector<std::string> check_tailnets(const Loaded& loaded, const Inventory& inventory,
                                        const Settings& settings, Diagnostics& diagnostics) {
    return TailnetCheck(loaded, inventory, settings, diagnostics).run();
}

}  // namespace renderer
