#include "runtime/operate/access.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "renderer/core/base64.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "runtime/base/file.h"

namespace runtime {

using renderer::Diagnostic;
using renderer::Error;
using renderer::Result;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kProxyHint =
    "run `kubectl proxy` beside it, and give --server http://127.0.0.1:8001";

Error problem(const std::string& path, std::string message, std::string_view hint = {}) {
    return {Diagnostic{.rule = "kubeconfig",
                       .where = path,
                       .message = fmt::format("{}: {}", path, message),
                       .hint = std::string(hint)}};
}

// Where, and which rules: any line of a kubeconfig may hold a credential, and so may what a message
// quotes.
std::string places_of(const renderer::SourceMap& sources, const renderer::Diagnostics& all) {
    std::string out;
    for (const Diagnostic& diagnostic : all.all()) {
        out += fmt::format("{}{}: {}", out.empty() ? "" : "\n", sources.describe(diagnostic.pos),
                           diagnostic.rule);
    }
    return out;
}

// The entry `name` of list `list`, below its key `part`.
const Value* find_entry(const Value& config, std::string_view list, std::string_view part,
                        std::string_view name) {
    const Value* entries = config.find(list);
    if (entries != nullptr && entries->is_list()) {
        for (const Value& entry : entries->items()) {
            if (entry.is_map() && text_of(entry.find("name")) == name) {
                return entry.find(part);
            }
        }
    }
    return nullptr;
}

// PEM under `key`-data, or in the file that `key` names; "" when there is neither.
Result<std::string> pem(const std::string& path, const Value& entry, const std::string& key) {
    const std::string_view data = text_of(entry.find(key + "-data"));
    if (!data.empty()) {
        auto text = renderer::decode_base64(data);
        return text ? Result<std::string>(*text)
                    : Result<std::string>(problem(path, key + "-data is not base64"));
    }
    const std::string file(text_of(entry.find(key)));
    return file.empty() ? Result<std::string>(std::string())
                        : read_trimmed((std::filesystem::path(path).parent_path() / file).string());
}

Result<renderer::Unit> refuse(const std::string& path, const Value& entry,
                              std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (entry.find(key) != nullptr) {
            return problem(path, fmt::format("\"{}\" is not supported", key), kProxyHint);
        }
    }
    return renderer::Unit{};
}

Result<KubeAccess> access_of(const std::string& path, const Value& cluster, const Value& user) {
    TRY(refuse(path, cluster, {"insecure-skip-tls-verify", "tls-server-name", "proxy-url"}));
    TRY(refuse(path, user, {"exec", "auth-provider", "username", "as"}));
    KubeAccess access;
    access.server = text_of(cluster.find("server"));
    while (access.server.ends_with('/')) {
        access.server.pop_back();
    }
    access.identity.authorities = TRY(pem(path, cluster, "certificate-authority"));
    access.identity.certificate = TRY(pem(path, user, "client-certificate"));
    access.identity.key = TRY(pem(path, user, "client-key"));
    access.token = text_of(user.find("token"));
    const std::string token_file(text_of(user.find("tokenFile")));
    if (!token_file.empty()) {
        access.token_file = (std::filesystem::path(path).parent_path() / token_file).string();
    }
    if (access.server.empty()) {
        return problem(path, "its cluster has no server");
    }
    return access;
}

Result<KubeAccess> read_kubeconfig_file(const std::string& path, const std::string& context) {
    return read_kubeconfig(path, TRY(read_trimmed(path)), context);
}

Result<KubeAccess> of_the_pod(const Environment& environment) {
    if (!environment("KUBERNETES_SERVICE_HOST")) {
        return Error{{.rule = "no-cluster",
                      .message = "no cluster is named",
                      .hint = "give --kubeconfig FILE, or --server URL"}};
    }
    return pod_access(environment);
}

}  // namespace

Result<KubeAccess> read_kubeconfig(const std::string& path, std::string text,
                                   const std::string& context) {
    renderer::SourceMap sources;
    renderer::Diagnostics diagnostics;
    const Value config = read_yaml(sources, sources.add(path, std::move(text)), diagnostics);
    if (diagnostics.has_errors() || !config.is_map()) {
        return problem(path, "is not a kubeconfig", places_of(sources, diagnostics));
    }
    const std::string name =
        context.empty() ? std::string(text_of(config.find("current-context"))) : context;
    const Value* chosen = find_entry(config, "contexts", "context", name);
    if (chosen == nullptr) {
        return problem(path, fmt::format("has no context \"{}\"", name), "give --context NAME");
    }
    const Value* cluster =
        find_entry(config, "clusters", "cluster", text_of(chosen->find("cluster")));
    const Value* user = find_entry(config, "users", "user", text_of(chosen->find("user")));
    if (cluster == nullptr || user == nullptr || !cluster->is_map() || !user->is_map()) {
        return problem(
            path, fmt::format("context \"{}\" names a cluster or a user that is not there", name));
    }
    return access_of(path, *cluster, *user);
}

Result<KubeAccess> find_access(const AccessFlags& flags, const Environment& environment) {
    if (!flags.server.empty()) {
        KubeAccess access;
        access.server = flags.server;
        return access;
    }
    if (!flags.kubeconfig.empty()) {
        return read_kubeconfig_file(flags.kubeconfig, flags.context);
    }
    if (const auto named = environment("KUBECONFIG"); named && !named->empty()) {
        return named->find(':') == std::string::npos
                   ? read_kubeconfig_file(*named, flags.context)
                   : problem("KUBECONFIG", "names several files", "give --kubeconfig FILE");
    }
    const std::string usual = environment("HOME").value_or("") + "/.kube/config";
    std::error_code ignored;
    return std::filesystem::exists(usual, ignored) ? read_kubeconfig_file(usual, flags.context)
                                                   : of_the_pod(environment);
}

}  // namespace runtime
