#include "runtime/operate/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "renderer/base/base64.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "runtime/base/file.h"
#include "runtime/base/url.h"

namespace runtime::operate {

using renderer::Diagnostic;
using renderer::Error;
using renderer::Result;
using renderer::text_of;
using renderer::Value;

namespace {

Error problem_at(const std::string& where, const std::string& message, std::string_view hint = {}) {
    return {Diagnostic{.rule = "kubeconfig",
                       .where = where,
                       .message = fmt::format("{}: {}", where, message),
                       .hint = std::string(hint)}};
}

constexpr std::string_view kProxyHint =
    "run `kubectl proxy` beside it, and use --server http://127.0.0.1:8001";

// A kubeconfig that is being read. Any line of it may hold a credential, so messages name places,
// keys and names, but never show a line or a parser's quote of it.
struct Kubeconfig {
    const std::string& path;
    const renderer::SourceMap& sources;

    [[nodiscard]] std::string place(renderer::Pos pos) const {
        std::string known = sources.describe(pos);
        return known.empty() ? path : known;
    }
    [[nodiscard]] Error problem(const Value& at, const std::string& message,
                                std::string_view hint = {}) const {
        return problem_at(place(at.pos()), message, hint);
    }
};

// Returns the value of `part` in the entry `name` of the list `list`; nullptr if there is none.
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

// Returns the names in a list, as in "home, office".
std::string names_in(const Value& config, std::string_view list) {
    std::string out;
    const Value* entries = config.find(list);
    if (entries != nullptr && entries->is_list()) {
        for (const Value& entry : entries->items()) {
            const std::string_view name =
                entry.is_map() ? text_of(entry.find("name")) : std::string_view();
            out.append(out.empty() || name.empty() ? "" : ", ").append(name);
        }
    }
    return out;
}

// Returns the PEM in `key`-data, or in the file that `key` names; "" if there is neither.
Result<std::string> pem(const Kubeconfig& file, const Value& entry, const std::string& key) {
    const Value* data = entry.find(key + "-data");
    const std::string name(text_of(entry.find(key)));
    std::string text;
    if (!text_of(data).empty()) {
        auto decoded = renderer::decode_base64(text_of(data));
        if (!decoded) {
            return file.problem(*data, key + "-data is not base64");
        }
        text = std::move(*decoded);
    } else if (!name.empty()) {
        auto read = read_trimmed((std::filesystem::path(file.path).parent_path() / name).string());
        if (!read) {
            return file.problem(*entry.find(key),
                                fmt::format("{}: {}", key, read.error().diagnostic.message));
        }
        text = std::move(*read);
    } else {
        return std::string();
    }
    if (text.find("-----BEGIN ") == std::string::npos) {
        return file.problem(text_of(data).empty() ? *entry.find(key) : *data, key + " is not PEM",
                            "it begins with \"-----BEGIN\"");
    }
    return text;
}

Result<renderer::Unit> refuse(const Kubeconfig& file, const Value& entry,
                              std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (const Value* found = entry.find(key); found != nullptr) {
            return file.problem(*found, fmt::format("\"{}\" is not supported", key), kProxyHint);
        }
    }
    return renderer::Unit{};
}

Result<kube::KubeAccess> access_of(const Kubeconfig& file, const Value& cluster,
                                   const Value& user) {
    TRY(refuse(file, cluster, {"insecure-skip-tls-verify", "tls-server-name", "proxy-url"}));
    TRY(refuse(file, user, {"exec", "auth-provider", "username", "as"}));
    const Value* server = cluster.find("server");
    if (text_of(server).empty()) {
        return file.problem(cluster, "its cluster has no server");
    }
    auto url = server_url(text_of(server));
    if (!url) {
        return file.problem(*server, "server is not a URL",
                            fmt::format("it has the form {}", kServerForm));
    }
    kube::KubeAccess access;
    access.server = std::move(*url);
    access.identity.authorities = TRY(pem(file, cluster, "certificate-authority"));
    access.identity.certificate = TRY(pem(file, user, "client-certificate"));
    access.identity.key = TRY(pem(file, user, "client-key"));
    access.token = text_of(user.find("token"));
    const std::string token_file(text_of(user.find("tokenFile")));
    if (!token_file.empty()) {
        access.token_file = (std::filesystem::path(file.path).parent_path() / token_file).string();
    }
    return access;
}

// Returns the cluster or the user that a context names.
Result<const Value*> find_part(const Kubeconfig& file, const Value& config, const Value& context,
                               const std::string& part) {
    const Value* name = context.find(part);
    const Value* found = find_entry(config, part + "s", part, text_of(name));
    if (found == nullptr || !found->is_map()) {
        return file.problem(name == nullptr ? context : *name,
                            fmt::format("the context refers to {} \"{}\", which does not exist",
                                        part, text_of(name)));
    }
    return found;
}

Result<kube::KubeAccess> read_kubeconfig_file(const std::string& path, const std::string& context) {
    return read_kubeconfig(path, TRY(read_trimmed(path)), context);
}

// Splits the list in $KUBECONFIG, without its empty entries.
std::vector<std::string> files_of(std::string_view list) {
    std::vector<std::string> out;
    while (!list.empty()) {
        const std::string_view file = list.substr(0, list.find(':'));
        list.remove_prefix(std::min(list.size(), file.size() + 1));
        if (!file.empty()) {
            out.emplace_back(file);
        }
    }
    return out;
}

Result<kube::KubeAccess> of_the_pod(const controller::Environment& environment) {
    if (!environment("KUBERNETES_SERVICE_HOST")) {
        return Error{{.rule = "no-cluster",
                      .message = "no cluster given",
                      .hint = "use --kubeconfig FILE, or --server URL"}};
    }
    return controller::pod_access(environment);
}

}  // namespace

Result<kube::KubeAccess> read_kubeconfig(const std::string& path, std::string text,
                                         const std::string& context) {
    renderer::SourceMap sources;
    renderer::Diagnostics diagnostics;
    const Value config = read_yaml(sources, sources.add(path, std::move(text)), diagnostics);
    const Kubeconfig file{path, sources};
    if (diagnostics.has_errors()) {
        const Diagnostic& first = diagnostics.all().front();
        return problem_at(file.place(first.pos), fmt::format("cannot be read [{}]", first.rule),
                          "the line is not shown: it may contain a credential");
    }
    if (!config.is_map()) {
        return problem_at(path, "is not a kubeconfig");
    }
    const std::string name =
        context.empty() ? std::string(text_of(config.find("current-context"))) : context;
    const Value* chosen = find_entry(config, "contexts", "context", name);
    if (chosen == nullptr || !chosen->is_map()) {
        const std::string known = names_in(config, "contexts");
        return problem_at(
            path,
            name.empty() ? "has no current-context" : fmt::format("has no context \"{}\"", name),
            known.empty() ? "it has no contexts"
                          : fmt::format("use --context NAME, one of {}", known));
    }
    const Value* cluster = TRY(find_part(file, config, *chosen, "cluster"));
    const Value* user = TRY(find_part(file, config, *chosen, "user"));
    return access_of(file, *cluster, *user);
}

Result<kube::KubeAccess> find_access(const AccessFlags& flags,
                                     const controller::Environment& environment) {
    if (!flags.server.empty()) {
        kube::KubeAccess access;
        access.server = flags.server;
        return access;
    }
    if (!flags.kubeconfig.empty()) {
        return read_kubeconfig_file(flags.kubeconfig, flags.context);
    }
    const std::vector<std::string> named = files_of(environment("KUBECONFIG").value_or(""));
    if (!named.empty()) {
        return named.size() == 1 ? read_kubeconfig_file(named.front(), flags.context)
                                 : problem_at("KUBECONFIG", "lists several files",
                                              "merge them with `kubectl config view --minify "
                                              "--flatten > FILE`, then use --kubeconfig FILE");
    }
    const std::string usual = environment("HOME").value_or("") + "/.kube/config";
    std::error_code ignored;
    return std::filesystem::exists(usual, ignored) ? read_kubeconfig_file(usual, flags.context)
                                                   : of_the_pod(environment);
}

}  // namespace runtime::operate
