// The state Secret, which tailscaled, the controller and this process share, each with keys of its
// own. Ours are kept as wanted: one patch at a time with all that differs, tried again until the
// API server has it, so that nothing stops for its sake. tailscaled's are never touched, but when a
// new key makes the device start over.
// Source: tailscale v1.104.5 cmd/containerboot/kube.go, kube/authkey.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/kube/client.h"

namespace runtime {

// Keys of its data.
inline constexpr std::string_view kCapVer = "tailscale_capver";
inline constexpr std::string_view kPodUid = "pod_uid";
inline constexpr std::string_view kDeviceId = "device_id";
inline constexpr std::string_view kDeviceFqdn = "device_fqdn";
inline constexpr std::string_view kDeviceIps = "device_ips";
inline constexpr std::string_view kHttpsEndpoint = "https_endpoint";
inline constexpr std::string_view kReissueAuthKey = "reissue_authkey";
inline constexpr std::string_view kEgressStatus = "egress-services";
inline constexpr std::string_view kIngressStatus = "ingress-config.json";
inline constexpr std::string_view kAuthKey = "authkey";

using SecretData = std::map<std::string, std::string, std::less<>>;  // decoded

// Whether tailscaled is not in the middle of writing the state of a login: all of it is there, or
// nothing.
bool is_consistent(const SecretData& data);

class OwnStateSecret {
public:
    // All references outlive it.
    OwnStateSecret(Loop& loop, KubeClient& kube, Log& log, RandomSource& random, std::string ns,
                   std::string name);
    ~OwnStateSecret();
    OwnStateSecret(const OwnStateSecret&) = delete;
    OwnStateSecret& operator=(const OwnStateSecret&) = delete;

    struct Rights {
        bool patch = false, create = false;
        std::string problem = {};  // what is missing and cannot be done without
    };
    void ask_rights(const std::function<void(Rights)>& done);

    struct Content {
        bool exists = false;
        SecretData data = {};
        std::string problem = {};
    };
    void read(std::function<void(Content)> done);

    // Wanted from now on; no value: that the key is not there. Written soon, and again after
    // failures. A key that was asked for before is written only when its value differs.
    void set(std::string_view key, std::optional<std::string> value);
    [[nodiscard]] bool is_written() const { return pending_.empty() && !is_writing_; }
    // Called each time that everything is written.
    void on_written(std::function<void()> done) { on_written_ = std::move(done); }

private:
    void write();
    void take(const KubeReply& reply);
    [[nodiscard]] std::string path() const;
    void ask_right(std::string_view verb, std::function<void(std::optional<bool>)> done);

    Loop& loop_;
    KubeClient& kube_;
    Log& log_;
    std::string namespace_, name_;
    Backoff backoff_;
    std::map<std::string, std::optional<std::string>, std::less<>> known_, pending_, writing_;
    bool is_writing_ = false;
    TimerId timer_ = 0;
    std::function<void()> on_written_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace runtime
