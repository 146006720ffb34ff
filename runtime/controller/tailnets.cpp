#include "runtime/controller/tailnets.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/core/base64.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"

namespace runtime {

using renderer::Result;
using renderer::text_of;
using renderer::Value;

namespace {

std::string without_slash(std::string_view url) {
    while (url.ends_with('/')) {
        url.remove_suffix(1);
    }
    return std::string(url);
}

Result<TokenRequest> read_secret(const std::string& ns, const std::string& name,
                                 const KubeReply& reply) {
    const auto value = [&reply](std::string_view key) {
        return reply.ok()
                   ? renderer::decode_base64(text_of(reply.object.at({"data", key}))).value_or("")
                   : "";
    };
    const std::string id = value("client_id");
    const std::string secret = value("client_secret");
    if (!id.empty() && !secret.empty()) {
        return token_request(
            id, secret, fmt::format("client_id and client_secret in Secret \"{}/{}\"", ns, name));
    }
    return renderer::Error{
        {.rule = "no-credentials",
         .object = "Secret/" + name,
         .message = reply.ok()
                        ? fmt::format("Secret \"{}\" lacks client_id or client_secret", name)
                        : fmt::format("cannot read Secret \"{}\": {}", name, reply.message)}};
}

}  // namespace

std::optional<TailnetConfig> decode_tailnet(const Value& object) {
    const std::string_view name = text_of(object.at({"metadata", "name"}));
    if (!name.starts_with(renderer::kTailnetPrefix)) {
        return std::nullopt;
    }
    TailnetConfig config;
    config.name = name.substr(renderer::kTailnetPrefix.size());
    config.uid = text_of(object.at({"metadata", "uid"}));
    config.contract = text_of(object.at({"metadata", "annotations", kContractAnnotation}));
    config.login_url = without_slash(text_of(object.at({"data", "loginUrl"})));
    config.secret_name = text_of(object.at({"data", "secretName"}));
    return config;
}

Tailnets::Tailnets(Loop& loop, Transport& transport, KubeClient& kube, Log& log, Chance& chance,
                   std::string ns, TailnetSettings own, const Mirror<TailnetConfig>& configs)
    : loop_(loop),
      transport_(transport),
      kube_(kube),
      log_(log),
      chance_(chance),
      ns_(std::move(ns)),
      ca_file_(own.ca_file),
      configs_(configs),
      own_(loop, transport, log, chance, std::move(own)) {}

TailnetApi* Tailnets::find(std::string_view name, std::string& problem) {
    if (name.empty()) {
        return &own_;
    }
    const TailnetConfig* config =
        configs_.find(fmt::format("{}/{}{}", ns_, renderer::kTailnetPrefix, name));
    if (config == nullptr) {
        problem = fmt::format("ConfigMap \"{}{}\" is missing", renderer::kTailnetPrefix, name);
        return nullptr;
    }
    if (config->contract != kContractVersion) {
        problem = fmt::format("ConfigMap \"{}{}\" follows contract \"{}\", not \"{}\"",
                              renderer::kTailnetPrefix, name, config->contract, kContractVersion);
        return nullptr;
    }
    Entry& entry = others_[config->name];
    if (entry.api == nullptr || !(entry.config == *config)) {
        if (entry.api != nullptr) {
            retired_.push_back(std::move(entry.api));
        }
        entry.config = *config;
        entry.api = std::make_unique<TailnetApi>(
            loop_, transport_, log_, chance_,
            TailnetSettings{.server = config->login_url,
                            .token_server = config->login_url,
                            .ca_file = ca_file_,
                            .credentials = credentials_of_secret(kube_, ns_, config->secret_name)});
    }
    return entry.api.get();
}

TailnetApi* Tailnets::find_to_remove(std::string_view name, std::string& problem) {
    if (TailnetApi* api = find(name, problem)) {
        return api;
    }
    if (const auto known = others_.find(name); known != others_.end()) {
        return known->second.api.get();
    }
    problem.append(": apply the Tailnet again, it holds what is to be removed");
    return nullptr;
}

Job Tailnets::job_on(Find look_up, const std::string& name,
                     std::function<void(TailnetApi&, const Next&)> work) {
    return [this, look_up, name, work = std::move(work)](const Next& next) {
        std::string problem;
        TailnetApi* api = (this->*look_up)(name, problem);
        api == nullptr ? next(problem) : work(*api, next);
    };
}

Job Tailnets::job(const std::string& name, std::function<void(TailnetApi&, const Next&)> work) {
    return job_on(&Tailnets::find, name, std::move(work));
}

Job Tailnets::removal(const std::string& name, std::function<void(TailnetApi&, const Next&)> work) {
    return job_on(&Tailnets::find_to_remove, name, std::move(work));
}

std::string unless_gone(const TailnetReply& reply) {
    return reply.ok() || reply.not_found() ? std::string() : reply.message;
}

TailnetDone done_or_gone(const Next& next) {
    return [next](const TailnetReply& reply) { next(unless_gone(reply)); };
}

Credentials credentials_of_secret(KubeClient& kube, std::string ns, std::string name) {
    return [&kube, ns = std::move(ns),
            name = std::move(name)](std::function<void(Result<TokenRequest>)> done) {
        kube.get(path_of(kSecrets, ns, name),
                 [ns, name, done = std::move(done)](const KubeReply& reply) {
                     done(read_secret(ns, name, reply));
                 });
    };
}

}  // namespace runtime
