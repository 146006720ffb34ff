// A small client of the Kubernetes API: reads and writes objects by path, lists them in pages and
// watches them (watch.h). Objects are value trees, which the caller decodes.
// Sources: Kubernetes API conventions; RFC 6902 (JSON patch).
//
// The token file is read again for each request, since projected tokens are replaced (KEP-1205).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/kube/kinds.h"
#include "runtime/base/transport.h"

namespace runtime::kube {

struct KubeAccess {
    std::string server;      // https://10.96.0.1:443
    std::string ca_file;     // PEM
    std::string token_file;  // empty: no token
    // The credentials of a user, from a kubeconfig.
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

// Returns the path of one object, or of all objects of the kind if `name` is empty. `ns` is empty
// for all namespaces, and for a kind that is not namespaced.
std::string path_of(const renderer::Kind& kind, std::string_view ns, std::string_view name = {});

struct Reply {
    int code = 0;                 // HTTP status; 0: no reply
    renderer::Value object = {};  // null unless `ok`
    std::string reason = {};      // of the Status: "AlreadyExists", "Conflict", "Expired"
    std::string message = {};     // the problem, in one line
    bool may_be_done = false;     // no reply, but the server may have executed it

    [[nodiscard]] bool ok() const { return code == 200 || code == 201 || code == 202; }
    [[nodiscard]] bool not_found() const { return code == 404; }
    [[nodiscard]] std::string problem(std::string_view what) const {  // "" when ok
        return ok() ? std::string() : std::string(what) + ": " + message;
    }
};

// The preconditions of a deletion, which fails with 409 otherwise: the UID of the object, and the
// resourceVersion that must be its newest. An empty one is not checked.
struct Preconditions {
    std::string_view uid = {}, version = {};
};

using Done = std::function<void(Reply)>;
using OnItem = std::function<void(renderer::Value)>;

class Client {
public:
    // `timeout` applies to every request except watches.
    Client(Transport& transport, KubeAccess access, Duration timeout = std::chrono::seconds(30))
        : transport_(transport), access_(std::move(access)), timeout_(timeout) {}

    void get(const std::string& path, Done done);
    void create(const std::string& path, const renderer::Value& object, Done done) {
        change("POST", path, "application/json", object, std::move(done));
    }
    // If the object has a metadata.resourceVersion, fails with 409 if it was changed since.
    void replace(const std::string& path, const renderer::Value& object, Done done) {
        change("PUT", path, "application/json", object, std::move(done));
    }
    // Server-side apply (KEP-555): creates the object, or takes ownership of these fields.
    void apply(const std::string& path, const renderer::Value& object, Done done);
    void json_patch(const std::string& path, const renderer::Value& operations, Done done) {
        change("PATCH", path, "application/json-patch+json", operations, std::move(done));
    }
    // Strategic merge patch: a member that is null is removed. The path may have a query.
    void merge(const std::string& path, const renderer::Value& object, Done done) {
        change("PATCH", path, "application/strategic-merge-patch+json", object, std::move(done));
    }
    // With "Foreground", the objects that it owns are deleted first.
    void erase(const std::string& path, const Preconditions& only_if, Done done,
               std::string_view propagation = {});

    // Reads one page of a list, or the lines of a watch. `query` is the part of the URL after `?`.
    // Items are passed on as they arrive, even if the page turns out to be cut short. The reply has
    // the list without its items.
    RequestId list(const std::string& path, const std::string& query, OnItem on_item, Done done);
    RequestId watch(const std::string& path, const std::string& query, Duration silence,
                    std::function<void(std::string_view)> on_data, Done done);
    void cancel(RequestId id) { transport_.cancel(id); }

private:
    HttpRequest request(std::string_view method, const std::string& path) const;
    void change(std::string_view method, const std::string& path, std::string_view type,
                const renderer::Value& body, Done done);

    Transport& transport_;
    KubeAccess access_;
    Duration timeout_;
};

}  // namespace runtime::kube
