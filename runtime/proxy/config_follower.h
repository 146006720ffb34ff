// tailscaled's configuration and the auth key that it names. If the pod may, they are read from the
// API server, into a copy (ConfigCopy), because the mounted files may be out of date. While the
// proxy runs, tailscaled is told of each change.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/weakly.h"
#include "runtime/localapi/client.h"
#include "runtime/proxy/config_copy.h"
#include "runtime/proxy/config_file.h"
#include "runtime/proxy/environment.h"
#include "runtime/proxy/followed_files.h"
#include "runtime/proxy/watched_folder.h"

namespace runtime::proxy {

class ConfigFollower {
public:
    struct Peers {
        Loop& loop;
        Log& log;
        localapi::LocalApi& api;
        kube::Client* kube;  // null without a Secret
        std::string ns;      // of the Secrets
    };
    // `changed` is called when the text of the configuration or the key may have changed. All
    // references outlive it.
    ConfigFollower(Peers peers, const Environment& environment, FollowedFiles& files,
                   std::string path, TailscaledConfig config, std::function<void()> changed);

    // Reads the pod's Secrets from the API server, then calls `next`.
    void find(std::function<void()> next);
    // Called before tailscaled starts: keeps the text of the key that it starts with.
    void keep_key();
    // From now on tailscaled is told of changes,
    void run();
    // until it ends: to be told then would advertise withdrawn services again.
    void stop() { is_over_ = true; }

    // The path that tailscaled reads, and that of the mounted file.
    [[nodiscard]] const std::string& path() const {
        return copy_ != nullptr ? copy_->path() : path_;
    }
    [[nodiscard]] const std::string& mounted_path() const { return path_; }
    [[nodiscard]] bool is_copied() const { return copy_ != nullptr; }
    [[nodiscard]] const TailscaledConfig& config() const { return config_; }
    [[nodiscard]] const std::string& key_text() const { return key_text_; }

private:
    [[nodiscard]] bool has_config_of_its_own() const;
    [[nodiscard]] std::vector<FollowedFiles::File> config_files() const;
    [[nodiscard]] std::vector<FollowedFiles::File> key_files() const;
    void follow();
    void take();
    void reload();

    Peers peers_;
    const Environment& environment_;
    FollowedFiles& files_;
    std::string path_;
    TailscaledConfig config_;
    std::function<void()> changed_;
    std::unique_ptr<ConfigCopy> copy_;  // if it is followed
    std::string reloaded_text_;         // the configuration that tailscaled is reloading
    std::uint64_t turn_ = 0,
                  answered_ = 0;  // the last request to reload, and the last one answered
    std::string key_text_;        // the key's file when tailscaled was started
    std::unique_ptr<WatchedFolder> folder_;
    bool is_over_ = false;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
