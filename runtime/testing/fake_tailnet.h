// A tailnet's API, strict: it knows which key was minted for what, whether it was spent or revoked,
// and which device it led to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/testing/fake_network.h"

namespace runtime {

class FakeTailnet : public FakeServer {
public:
    explicit FakeTailnet(const Loop& clock) : clock_(clock) {}

    HttpReply answer(const HttpRequest& request, const std::string& path,
                     const std::shared_ptr<Stream>& stream) override;

    struct Key {
        std::string id, secret, description;
        std::vector<std::string> tags;
        bool spent = false;
        bool revoked = false;
    };
    struct Device {
        std::string id, hostname, key;
        std::string name = {};  // the hostname, or with `-1` when another device has it
        std::vector<std::string> tags;
    };
    std::map<std::string, Key> keys;        // by id
    std::map<std::string, Device> devices;  // by id
    std::size_t tokens = 0;                 // that were given out
    bool lists_descriptions = true;
    std::string wanted_secret = "tskey-client-secret";

    // A device joins with a key: its id, or "" when the key is not good (any more).
    std::string join(const std::string& secret, const std::string& hostname);
    // Keys that could still bring a device in.
    [[nodiscard]] std::vector<std::string> usable_keys() const;
    void refuse_tokens() { token_.clear(); }

private:
    HttpReply answer_keys(const HttpRequest& request, const std::string& rest);
    HttpReply answer_device(const HttpRequest& request, const std::string& rest);

    const Loop& clock_;
    std::string token_;
    std::size_t next_ = 1;
};

}  // namespace runtime
