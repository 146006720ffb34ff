#include "runtime/proxy/config_follower.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "runtime/base/file.h"

namespace runtime::proxy {

ConfigFollower::ConfigFollower(Peers peers, const Environment& environment, FollowedFiles& files,
                               std::string path, TailscaledConfig config,
                               std::function<void()> changed)
    : peers_(std::move(peers)),
      environment_(environment),
      files_(files),
      path_(std::move(path)),
      config_(std::move(config)),
      changed_(std::move(changed)) {}

// True for pods as tailrender renders them: their Secrets have the pod's name, and are mounted at a
// folder of that name.
bool ConfigFollower::has_config_of_its_own() const {
    return environment_.in_kubernetes && !environment_.pod_name.empty() &&
           path_.find(fmt::format("/{}/", environment_.pod_name)) != std::string::npos;
}

std::vector<FollowedFiles::File> ConfigFollower::config_files() const {
    std::vector<FollowedFiles::File> files = {{path_.substr(path_.rfind('/') + 1), path_}};
    if (!environment_.serve_config.empty() && environment_.ingress_config.empty()) {
        files.push_back({std::string(renderer::kServeDatum), environment_.serve_config});
    }
    return files;
}

std::vector<FollowedFiles::File> ConfigFollower::key_files() const {
    const std::string path = key_file_of(config_.auth_key);
    return path.empty()
               ? std::vector<FollowedFiles::File>()
               : std::vector<FollowedFiles::File>{{std::string(renderer::kAuthDatum), path}};
}

// Reads the pod's Secrets from the API server: the mounted files may be out of date.
void ConfigFollower::find(std::function<void()> next) {
    if (!has_config_of_its_own()) {
        return next();
    }
    files_.ask(*peers_.kube, kube::kSecrets, peers_.ns,
               renderer::config_secret_name(environment_.pod_name), config_files(),
               [this, next = std::move(next)](bool is_followed) {
                   if (!is_followed) {
                       return next();
                   }
                   files_.ask(*peers_.kube, kube::kSecrets, peers_.ns,
                              renderer::auth_secret_name(environment_.pod_name), key_files(),
                              [this, next](bool) {
                                  follow();
                                  next();
                              });
               });
}

void ConfigFollower::follow() {
    const std::string folder = environment_.at_root("/dev/shm/tailrender-" + environment_.pod_name);
    copy_ = std::make_unique<ConfigCopy>(files_, folder, path_);
    if (auto written = copy_->write(); !written) {
        peers_.log.warning(written.error().diagnostic.message +
                           "; only the mounted files are watched");
        copy_ = nullptr;
        return;
    }
    if (auto config = parse_config(files_.text_of(path_), path_)) {
        config_ = std::move(*config);
    }
    files_.follow(*peers_.kube, kube::kSecrets, peers_.ns,
                  renderer::config_secret_name(environment_.pod_name), config_files(),
                  [this] { take(); });
    files_.follow(*peers_.kube, kube::kSecrets, peers_.ns,
                  renderer::auth_secret_name(environment_.pod_name), key_files(),
                  [this] { take(); });
}

void ConfigFollower::take() {
    changed_();
    if (copy_ != nullptr) {
        if (auto written = copy_->write(); !written) {
            return peers_.log.error(written.error().diagnostic.message);
        }
    }
    if (folder_ != nullptr) {
        reload();
    }
}

void ConfigFollower::keep_key() {
    key_text_ = files_.text_of(key_file_of(config_.auth_key));
}

void ConfigFollower::run() {
    if (path_.empty()) {
        return;
    }
    folder_ = std::make_unique<WatchedFolder>(peers_.loop, peers_.log, folder_of(path_),
                                              [this] { take(); });
    take();
}

// tailscaled reads the copy, if there is one, else the mounted file, whose whole folder the kubelet
// replaces.
void ConfigFollower::reload() {
    if (is_over_) {
        return;
    }
    auto text = copy_ != nullptr ? renderer::Result(copy_->original_text()) : read_whole(path_);
    if (!text || *text == config_.text || *text == reloaded_text_) {
        return;
    }
    reloaded_text_ = *text;
    peers_.log.info("tailscaled config watch: ensuring that config is up to date");
    peers_.api.reload_config(
        lifetime_.guarded([this, text = *text, turn = ++turn_](const localapi::LocalReply& reply) {
            if (reloaded_text_ == text) {
                reloaded_text_.clear();
            }
            if (!reply.ok()) {
                peers_.log.error("error reloading tailscaled config: " + reply.problem);
                return;
            }
            if (turn > answered_) {  // replies may come in another order
                answered_ = turn;
                config_.text = text;
            }
            peers_.log.info("tailscaled config watch: config was reloaded");
            reload();  // it may have changed back meanwhile
        }));
}

}  // namespace runtime::proxy
