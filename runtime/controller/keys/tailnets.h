// The tailnets that proxies join: the controller's own, and one for each ConfigMap of
// testdata/contract/tailnet.md. Their credentials are read from their Secret whenever a token is
// needed, and are only sent if the Secret's label says that they are that tailnet's: the ConfigMap,
// which names both, may be another user's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "renderer/contract/tailnet_config.h"
#include "runtime/base/jobs.h"
#include "runtime/controller/keys/tailnet_identity.h"
#include "runtime/controller/view/mirror.h"
#include "runtime/kube/client.h"
#include "runtime/tailnet/api.h"

namespace runtime::controller {

// The credentials of an OAuth client, read from the Secret (client_id, client_secret) each time.
tailnet::Credentials credentials_of_secret(kube::Client& kube, std::string ns, std::string name);

class Tailnets {
public:
    // All references outlive it.
    Tailnets(Loop& loop, Transport& transport, kube::Client& kube, Log& log, RandomSource& random,
             std::string ns, tailnet::TailnetSettings own, OwnAccount account,
             const Mirror<renderer::TailnetConfig>& configs);

    // "" is the controller's own tailnet. nullptr if it is unknown (yet); `problem` says what is
    // missing.
    tailnet::Api* find(std::string_view name, std::string& problem);
    // The same for deletions: also finds a tailnet whose ConfigMap was deleted, if this process has
    // seen it.
    tailnet::Api* find_to_remove(std::string_view name, std::string& problem);
    // A job for that tailnet; if the tailnet is unknown, the job fails with what is missing.
    Job job(const std::string& name, std::function<void(tailnet::Api&, const Next&)> work);
    Job removal(const std::string& name, std::function<void(tailnet::Api&, const Next&)> work);
    // Why nothing is sent to the tailnet, according to its ConfigMap and its Secret; "" if no
    // reason is known. The Secret is considered once the tailnet was used.
    [[nodiscard]] std::string refusal(const renderer::TailnetConfig& config) const;

private:
    using Find = tailnet::Api* (Tailnets::*)(std::string_view name, std::string& problem);

    Job job_on(Find look_up, const std::string& name,
               std::function<void(tailnet::Api&, const Next&)> work);
    using Given = std::function<void(renderer::Result<tailnet::TokenRequest>)>;
    tailnet::Credentials credentials_of(const renderer::TailnetConfig& config);
    // `refusal` is why they are sent nowhere; "" with an error if they could not be read.
    renderer::Result<tailnet::TokenRequest> request_of(const renderer::TailnetConfig& config,
                                                       const kube::Reply& reply,
                                                       std::string& refusal);
    void take_secret(const renderer::TailnetConfig& config, const kube::Reply& reply,
                     const Given& done);
    void give(const renderer::TailnetConfig& config,
              const renderer::Result<tailnet::TokenRequest>& request, const std::string& refusal,
              const Given& done);
    struct Entry {
        renderer::TailnetConfig config;
        std::unique_ptr<tailnet::Api> api;
        std::string refusal = {};  // because of its Secret
    };

    Loop& loop_;
    Transport& transport_;
    kube::Client& kube_;
    Log& log_;
    RandomSource& random_;
    std::string ns_;
    std::string ca_file_, own_server_;
    tailnet::Credentials own_credentials_;
    OwnAccount account_;
    const Mirror<renderer::TailnetConfig>& configs_;
    tailnet::Api own_;
    std::map<std::string, Entry, std::less<>> others_;
    // The APIs of tailnets whose ConfigMap has changed: their requests may still be in progress.
    std::vector<std::unique_ptr<tailnet::Api>> retired_;
};

// Why no credentials are sent where the ConfigMap says; "" if they may be. `own` is the
// controller's own login server.
std::string unsafe_tailnet(const renderer::TailnetConfig& config, std::string_view own);

// The problem of a call that also succeeds if its object does not exist, or "".
std::string unless_gone(const tailnet::Reply& reply);
tailnet::Done done_or_gone(const Next& next);

}  // namespace runtime::controller
