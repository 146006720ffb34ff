// Kubernetes' API, as much of it as we use: objects by path, created, replaced, patched,
// deleted, listed in pages and watched (watch.h). Objects are trees; decoding is their reader's.
// Sources: Kubernetes API conventions; RFC 6902 (JSON patch).
//
// The token is read again for each request, since projected tokens are replaced (KEP-1205).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/kube/kinds.h"
#include "runtime/base/transport.h"

namespace runtime {

struct KubeAccess {
    std::string server;      // https://10.96.0.1:443
    std::string ca_file;     // PEM
    std::string token_file;  // empty: no token
    // Of a person, from a kubeconfig.
    std::string token = {};
    Identity identity = {};
};

inline constexpr const renderer::Kind& kSecrets = renderer::kind_of("Secret");
inline constexpr const renderer::Kind& kConfigMaps = renderer::kind_of("ConfigMap");
inline constexpr const renderer::Kind& kPods = renderer::kind_of("Pod");
inline constexpr const renderer::Kind& kServices = renderer::kind_of("Service");
inline constexpr const renderer::Kind& kStatefulSets = renderer::kind_of("StatefulSet");
inline constexpr const renderer::Kind& kIngresses = renderer::kind_of("Ingress");
inline constexpr const renderer::Kind& kEndpointSlices = renderer::kind_of("EndpointSlice");
inline constexpr const renderer::Kind& kLeases = renderer::kind_of("Lease");

// The path of one object, or of all when `name` is empty; in all namespaces, or of a kind without
// any, when `ns` is empty.
std::string path_of(const renderer::Kind& kind, std::string_view ns, std::string_view name = {});

struct KubeReply {
    int code = 0;                 // of HTTP; 0: no reply
    renderer::Value object = {};  // null unless `ok`
    std::string reason = {};      // of a Status: "AlreadyExists", "Conflict", "Expired"
    std::string message = {};     // what went wrong, in one line
    bool may_be_done = false;     // no reply, but the server may have done it

    [[nodiscard]] bool ok() const { return code == 200 || code == 201 || code == 202; }
    [[nodiscard]] bool not_found() const { return code == 404; }
    [[nodiscard]] std::string problem(std::string_view what) const {  // "" when ok
        return ok() ? std::string() : std::string(what) + ": " + message;
    }
};

// What an object has to be to be deleted (otherwise 409): of this UID, written by no one since this
// resourceVersion. Empty: whatever it is.
struct Preconditions {
    std::string_view uid = {}, version = {};
};

using KubeDone = std::function<void(KubeReply)>;
using OnItem = std::function<void(renderer::Value)>;

class KubeClient {
public:
    // `timeout` is for each request but a watch.
    KubeClient(Transport& transport, KubeAccess access, Duration timeout = std::chrono::seconds(30))
        : transport_(transport), access_(std::move(access)), timeout_(timeout) {}

    void get(const std::string& path, KubeDone done);
    void create(const std::string& path, const renderer::Value& object, KubeDone done) {
        change("POST", path, "application/json", object, std::move(done));
    }
    // With metadata.resourceVersion only if no one wrote in between (409 otherwise).
    void replace(const std::string& path, const renderer::Value& object, KubeDone done) {
        change("PUT", path, "application/json", object, std::move(done));
    }
    // Server-side apply (KEP-555): creates the object, or makes these fields ours.
    void apply(const std::string& path, const renderer::Value& object, KubeDone done);
    void json_patch(const std::string& path, const renderer::Value& operations, KubeDone done) {
        change("PATCH", path, "application/json-patch+json", operations, std::move(done));
    }
    // A member that is null is removed (strategic merge patch). The path may have a query.
    void merge(const std::string& path, const renderer::Value& object, KubeDone done) {
        change("PATCH", path, "application/strategic-merge-patch+json", object, std::move(done));
    }
    // "Foreground": what it owns goes first.
    void erase(const std::string& path, const Preconditions& only_if, KubeDone done,
               std::string_view propagation = {});

    // One page of a list, or the lines of a watch: `query` is the part of the URL behind `?`. Items
    // are handed on as they come, also those of a page that ends before its time; the reply has
    // the list without them.
    RequestId list(const std::string& path, const std::string& query, OnItem on_item,
                   KubeDone done);
    RequestId watch(const std::string& path, const std::string& query, Duration silence,
                    std::function<void(std::string_view)> on_data, KubeDone done);
    void cancel(RequestId id) { transport_.cancel(id); }

private:
    HttpRequest request(std::string_view method, const std::string& path) const;
    void change(std::string_view method, const std::string& path, std::string_view type,
                const renderer::Value& body, KubeDone done);

    Transport& transport_;
    KubeAccess access_;
    Duration timeout_;
};

}  // namespace runtime
