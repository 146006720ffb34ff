// Applies the serve config in a mounted file to tailscaled, with the domain of the device's
// certificate filled in. Advertises the Tailscale Services in it if no controller does, and renews
// the certificates of a group if this pod is the one that writes them.
// Source: tailscale v1.104.5 cmd/containerboot/serve.go, kube/services.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/base/backoff.h"
#include "runtime/base/weakly.h"
#include "runtime/localapi/client.h"
#include "runtime/proxy/certificates.h"
#include "runtime/proxy/environment.h"
#include "runtime/proxy/followed_files.h"
#include "runtime/proxy/serve_config.h"
#include "runtime/proxy/watched_folder.h"

namespace runtime::proxy {

class Serve {
public:
    // `applied` is called with the domain whenever the file's serve config has been applied. All
    // references outlive it.
    Serve(Loop& loop, localapi::LocalApi& api, Log& log, RandomSource& random,
          const Environment& environment, const FollowedFiles& files,
          std::function<void(const std::string& domain)> applied);
    ~Serve();
    Serve(const Serve&) = delete;
    Serve& operator=(const Serve&) = delete;

    // Starts, or continues with another domain: the device's own, or kNoHttps if `domains` is
    // empty.
    void set_domains(const std::vector<std::string>& domains);
    // Reads the file again, and applies it if it has changed.
    void look();
    // True once the file's serve config was applied, or the file was empty.
    [[nodiscard]] bool is_settled() const { return is_settled_; }

private:
    void retry(const std::string& problem);
    void apply(ServeConfig config);
    void put(const ServeConfig& config, const std::string& etag);
    void finish(const ServeConfig& config);

    Loop& loop_;
    localapi::LocalApi& api_;
    Log& log_;
    const Environment& environment_;
    const FollowedFiles& files_;
    std::function<void(const std::string&)> on_applied_;
    Backoff backoff_;
    std::unique_ptr<WatchedFolder> folder_;
    std::unique_ptr<Certificates> certificates_;
    std::string domain_;
    std::optional<std::string> applied_;  // the text that tailscaled has
    bool is_busy_ = false;
    bool is_behind_ = false;  // look() was called while it was busy
    bool is_settled_ = false;
    TimerId timer_ = 0;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
