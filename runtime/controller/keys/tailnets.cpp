#include "runtime/controller/keys/tailnets.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/tailnet_config.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/server_url.h"

namespace runtime::controller {

using renderer::Result;
using renderer::text_of;
using renderer::Value;

namespace {

std::string config_map(std::string_view tailnet) {
    return fmt::format("ConfigMap \"{}{}\"", renderer::kTailnetPrefix, tailnet);
}

renderer::Error refused(const std::string& secret, std::string message) {
    return {
        {.rule = "no-credentials", .object = "Secret/" + secret, .message = std::move(message)}};
}

// Returns why the Secret is not the tailnet's; "" if its label says that it is.
std::string wrong_label(const std::string& ns, const renderer::TailnetConfig& config,
                        const Value& secret) {
    const std::string_view label =
        text_of(secret.at({"metadata", "labels", renderer::kTailnetLabel}));
    if (label == config.name) {
        return {};
    }
    if (!label.empty()) {
        return fmt::format(
            "Secret \"{}\" belongs to tailnet \"{}\" by its label {}, not to \"{}\": use a "
            "separate Secret for Tailnet \"{}\"",
            config.secret_name, label, renderer::kTailnetLabel, config.name, config.name);
    }
    return fmt::format(
        "Secret \"{}\" is not labelled for tailnet \"{}\": if it belongs to it, run `kubectl label "
        "secret -n {} {} {}={}`",
        config.secret_name, config.name, ns, config.secret_name, renderer::kTailnetLabel,
        config.name);
}

struct Client {
    std::string id, secret, audience;  // either a secret or an audience
};

Result<Client> read_client(const std::string& name, const kube::Reply& reply) {
    if (!reply.ok()) {
        return refused(name, fmt::format("cannot read Secret \"{}\": {}", name, reply.message));
    }
    const auto value = [&reply](std::string_view key) {
        return renderer::decode_base64(text_of(reply.object.at({"data", key}))).value_or("");
    };
    Client client{value("client_id"), value("client_secret"), value("audience")};
    if (client.id.empty()) {
        return refused(name, fmt::format("Secret \"{}\" is missing the client_id field", name));
    }
    if (client.secret.empty() && client.audience.empty()) {
        return refused(name, fmt::format("Secret \"{}\" must contain either a client_secret or an "
                                         "audience field",
                                         name));
    }
    return client;
}

tailnet::TokenRequest secret_request(const Client& client, std::string_view ns,
                                     std::string_view name) {
    return tailnet::token_request(
        client.id, client.secret,
        fmt::format("client_id and client_secret in Secret \"{}/{}\"", ns, name));
}

// The controller's own tailnet: the chart gives its Secret no audience.
Result<tailnet::TokenRequest> own_request(const std::string& ns, const std::string& name,
                                          const kube::Reply& reply) {
    const Client client = TRY(read_client(name, reply));
    if (client.secret.empty()) {
        return refused(name, fmt::format("Secret \"{}\" is missing the client_secret field", name));
    }
    return secret_request(client, ns, name);
}

}  // namespace

Tailnets::Tailnets(Loop& loop, Transport& transport, kube::Client& kube, Log& log,
                   RandomSource& random, std::string ns, tailnet::TailnetSettings own,
                   OwnAccount account, const Mirror<renderer::TailnetConfig>& configs)
    : loop_(loop),
      transport_(transport),
      kube_(kube),
      log_(log),
      random_(random),
      ns_(std::move(ns)),
      ca_file_(own.ca_file),
      own_server_(own.token_server),
      own_credentials_(own.credentials),
      account_(std::move(account)),
      configs_(configs),
      own_(loop, transport, log, random, std::move(own)) {}

tailnet::Api* Tailnets::find(std::string_view name, std::string& problem) {
    if (name.empty()) {
        return &own_;
    }
    const renderer::TailnetConfig* config =
        configs_.find(fmt::format("{}/{}{}", ns_, renderer::kTailnetPrefix, name));
    problem = config == nullptr ? config_map(name) + " is missing"
              : config->contract != renderer::kContractVersion
                  ? fmt::format("{} follows contract \"{}\", not \"{}\"", config_map(name),
                                config->contract, renderer::kContractVersion)
                  : unsafe_tailnet(*config, own_server_);
    if (!problem.empty()) {
        return nullptr;
    }
    Entry& entry = others_[config->name];
    if (entry.api == nullptr || !(entry.config == *config)) {
        if (entry.api != nullptr) {
            retired_.push_back(std::move(entry.api));
        }
        entry.config = *config;
        entry.refusal.clear();
        entry.api = std::make_unique<tailnet::Api>(
            loop_, transport_, log_, random_,
            tailnet::TailnetSettings{.server = config->login_url,
                                     .token_server = config->login_url,
                                     .ca_file = ca_file_,
                                     .credentials = credentials_of(*config)});
    }
    return entry.api.get();
}

tailnet::Credentials Tailnets::credentials_of(const renderer::TailnetConfig& config) {
    return [this, config](Given done) {
        kube_.get(kube::path_of(kube::kSecrets, ns_, config.secret_name),
                  [this, config, done = std::move(done)](const kube::Reply& reply) {
                      take_secret(config, reply, done);
                  });
    };
}

Result<tailnet::TokenRequest> Tailnets::request_of(const renderer::TailnetConfig& config,
                                                   const kube::Reply& reply, std::string& refusal) {
    refusal = reply.ok() ? wrong_label(ns_, config, reply.object) : std::string();
    if (!refusal.empty()) {
        return refused(config.secret_name, refusal);
    }
    const Client client = TRY(read_client(config.secret_name, reply));
    if (client.audience.empty()) {
        return secret_request(client, ns_, config.secret_name);
    }
    const Account account = TRY(account_());
    refusal = unsafe_audience(client.audience, config.login_url, own_server_, account);
    if (!refusal.empty()) {
        refusal = fmt::format("Secret \"{}\" {}", config.secret_name, refusal);
        return refused(config.secret_name, refusal);
    }
    tailnet::TokenRequest request = tailnet::exchange_request(
        client.id,
        fmt::format("client_id and audience in Secret \"{}/{}\"", ns_, config.secret_name));
    request.identity += "\n" + client.audience;
    request.assertion = token_of_account(kube_, account, client.audience);
    return request;
}

// The controller's own credentials are sent to no other server, whatever their Secret says.
void Tailnets::take_secret(const renderer::TailnetConfig& config, const kube::Reply& reply,
                           const Given& done) {
    std::string refusal;
    const auto request = request_of(config, reply, refusal);
    if (!request || config.login_url == own_server_) {
        return give(config, request, refusal, done);
    }
    own_credentials_([this, config, request, done](const Result<tailnet::TokenRequest>& own) {
        const bool is_own = own && own->client == request->client;
        give(config, request,
             is_own ? fmt::format("Secret \"{}\" has the controller's own OAuth client, which is "
                                  "not sent to {}",
                                  config.secret_name, config.login_url)
                    : std::string(),
             done);
    });
}

void Tailnets::give(const renderer::TailnetConfig& config,
                    const Result<tailnet::TokenRequest>& request, const std::string& refusal,
                    const Given& done) {
    if (const auto entry = others_.find(config.name);
        entry != others_.end() && entry->second.config == config) {
        entry->second.refusal = refusal;
    }
    done(refusal.empty() ? request : refused(config.secret_name, refusal));
}

std::string Tailnets::refusal(const renderer::TailnetConfig& config) const {
    std::string problem = unsafe_tailnet(config, own_server_);
    const auto entry = others_.find(config.name);
    return problem.empty() && entry != others_.end() && entry->second.config == config
               ? entry->second.refusal
               : problem;
}

tailnet::Api* Tailnets::find_to_remove(std::string_view name, std::string& problem) {
    if (tailnet::Api* api = find(name, problem)) {
        return api;
    }
    if (const auto known = others_.find(name); known != others_.end()) {
        return known->second.api.get();
    }
    problem.append(": apply the Tailnet again: it has devices or keys that must be removed");
    return nullptr;
}

Job Tailnets::job_on(Find look_up, const std::string& name,
                     std::function<void(tailnet::Api&, const Next&)> work) {
    return [this, look_up, name, work = std::move(work)](const Next& next) {
        std::string problem;
        tailnet::Api* api = (this->*look_up)(name, problem);
        api == nullptr ? next(problem) : work(*api, next);
    };
}

Job Tailnets::job(const std::string& name, std::function<void(tailnet::Api&, const Next&)> work) {
    return job_on(&Tailnets::find, name, std::move(work));
}

Job Tailnets::removal(const std::string& name,
                      std::function<void(tailnet::Api&, const Next&)> work) {
    return job_on(&Tailnets::find_to_remove, name, std::move(work));
}

std::string unsafe_tailnet(const renderer::TailnetConfig& config, std::string_view own) {
    if (!renderer::is_dotted_name(config.secret_name)) {
        return fmt::format("{} names no Secret: \"{}\"", config_map(config.name),
                           config.secret_name);
    }
    const std::string_view url = config.login_url;
    if (url == own || (url.starts_with("https://") && renderer::is_server_url(url))) {
        return {};
    }
    return fmt::format(
        "{} has the loginUrl \"{}\": credentials go to https://HOST[:PORT], or to "
        "the controller's own login server",
        config_map(config.name), url);
}

std::string unless_gone(const tailnet::Reply& reply) {
    return reply.ok() || reply.not_found() ? std::string() : reply.message;
}

tailnet::Done done_or_gone(const Next& next) {
    return [next](const tailnet::Reply& reply) { next(unless_gone(reply)); };
}

tailnet::Credentials credentials_of_secret(kube::Client& kube, std::string ns, std::string name) {
    return [&kube, ns = std::move(ns),
            name = std::move(name)](std::function<void(Result<tailnet::TokenRequest>)> done) {
        kube.get(kube::path_of(kube::kSecrets, ns, name),
                 [ns, name, done = std::move(done)](const kube::Reply& reply) {
                     done(own_request(ns, name, reply));
                 });
    };
}

}  // namespace runtime::controller
