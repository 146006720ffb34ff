// The state Secret. tailscaled, the controller and this process share it, and each writes its own
// keys. Keys of this process are written in the background: one patch at a time with all changes,
// retried until the API server accepts it. Keys of tailscaled are never touched, except when a new
// auth key makes the device start over.
// Source: tailscale v1.104.5 cmd/containerboot/kube.go, kube/authkey.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/base/weakly.h"
#include "runtime/kube/client.h"

namespace runtime::proxy {

// Keys of the Secret's data.

using SecretData = std::map<std::string, std::string, std::less<>>;  // decoded

// True unless tailscaled is in the middle of writing the state of a login: either all of it exists,
// or none of it.
bool is_consistent(const SecretData& data);

class OwnStateSecret {
public:
    // All references outlive it.
    OwnStateSecret(Loop& loop, kube::Client& kube, Log& log, RandomSource& random, std::string ns,
                   std::string name);
    ~OwnStateSecret();
    OwnStateSecret(const OwnStateSecret&) = delete;
    OwnStateSecret& operator=(const OwnStateSecret&) = delete;

    struct Rights {
        bool patch = false, create = false;
        std::string problem = {};  // the required permissions that are missing
    };
    void ask_rights(const std::function<void(Rights)>& done);

    struct Content {
        bool exists = false;
        SecretData data = {};
        std::string problem = {};
    };
    void read(std::function<void(Content)> done);

    // Sets the wanted value of a key; no value deletes the key. It is written soon, and again after
    // failures. A key that was set before is written only if its value differs.
    void set(std::string_view key, std::optional<std::string> value);
    [[nodiscard]] bool is_written() const { return pending_.empty() && !is_writing_; }
    // Sets a function that is called each time that everything is written.
    void on_written(std::function<void()> done) { on_written_ = std::move(done); }

private:
    void write();
    void take(const kube::Reply& reply);
    [[nodiscard]] std::string path() const;
    void ask_right(std::string_view verb, std::function<void(std::optional<bool>)> done);

    Loop& loop_;
    kube::Client& kube_;
    Log& log_;
    std::string namespace_, name_;
    Backoff backoff_;
    std::map<std::string, std::optional<std::string>, std::less<>> known_, pending_, writing_;
    bool is_writing_ = false;
    TimerId timer_ = 0;
    std::function<void()> on_written_;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
