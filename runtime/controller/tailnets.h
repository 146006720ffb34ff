// The tailnets that proxies join: the controller's own, and one for each ConfigMap of
// testdata/contract/tailnet.md. Their credentials are read from their Secret whenever a token is
// needed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/kube/client.h"
#include "runtime/kube/watch.h"
#include "runtime/tailnet/api.h"

namespace runtime {

struct TailnetConfig {
    std::string name;       // as in the annotation on a StatefulSet
    std::string contract;   // version
    std::string login_url;  // without a slash at its end
    std::string secret_name;

    bool operator==(const TailnetConfig&) const = default;
};
std::optional<TailnetConfig> decode_tailnet(const renderer::Value& object);

class Tailnets {
public:
    // All references outlive it.
    Tailnets(Loop& loop, Transport& transport, KubeClient& kube, Log& log, Chance& chance,
             std::string ns, TailnetSettings own, const Mirror<TailnetConfig>& configs);

    // "" is the controller's own. nullptr: not known (yet); `problem` says what is missing.
    TailnetApi* find(std::string_view name, std::string& problem);

private:
    struct Entry {
        TailnetConfig config;
        std::unique_ptr<TailnetApi> api;
    };
    [[nodiscard]] Credentials from_secret(const std::string& name) const;

    Loop& loop_;
    Transport& transport_;
    KubeClient& kube_;
    Log& log_;
    Chance& chance_;
    std::string ns_;
    std::string ca_file_;
    const Mirror<TailnetConfig>& configs_;
    TailnetApi own_;
    std::map<std::string, Entry> others_;
    // Of tailnets whose ConfigMap has changed: their requests may still be under way.
    std::vector<std::unique_ptr<TailnetApi>> retired_;
};

}  // namespace runtime
