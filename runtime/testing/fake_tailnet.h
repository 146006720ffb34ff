// A strict fake of a tailnet's API. It knows for what each key was minted, whether it was used or
// revoked, and which device joined with it. It accepts Tailscale Services only with known fields,
// names and ports of the documented form, tags that the client owns, and the addresses that they
// already have.
#pragma once

#include <map>
#include <set>
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
        Time expires = {};
        bool spent = false;
        bool revoked = false;
    };
    struct Device {
        std::string id, hostname, key;
        std::string name = {};  // the hostname, with `-1` if another device has it
        std::vector<std::string> tags;
        bool is_online = true;
        Time last_seen = {};
        std::size_t number = 0;  // its addresses end in it
    };
    static std::vector<std::string> addresses_of(const Device& device);
    std::map<std::string, Key> keys;                  // by id
    std::map<std::string, Device> devices;            // by id
    std::map<std::string, renderer::Value> services;  // by name
    std::set<std::string> unowned_tags;               // that the client may not assign
    std::size_t tokens = 0;                           // the number of tokens issued
    bool lists_descriptions = true;
    std::set<std::string> known_tags;  // empty: all
    bool may_read_devices = true;      // the client's scopes allow it
    std::string wanted_secret = "tskey-client-secret";
    bool trusts_cluster = false;         // accepts tokens of the cluster's accounts
    std::vector<std::string> exchanges;  // the forms of these exchanges

    // Lets a device join with a key. Returns the device's id, or "" if the key is not valid or no
    // longer valid.
    std::string join(const std::string& secret, const std::string& hostname);
    // Returns the ids of the keys with which a device could still join.
    [[nodiscard]] std::vector<std::string> usable_keys() const;
    void refuse_tokens() { token_.clear(); }

private:
    [[nodiscard]] bool is_usable(const Key& key) const {
        return !key.spent && !key.revoked && clock_.now() < key.expires;
    }
    HttpReply answer_token(const HttpRequest& request, bool is_exchange);
    HttpReply answer_keys(const HttpRequest& request, const std::string& rest);
    HttpReply answer_device(const HttpRequest& request, const std::string& rest);
    HttpReply list_devices() const;
    HttpReply answer_service(const HttpRequest& request, const std::string& name);
    HttpReply put_service(const std::string& name, renderer::Value service);

    const Loop& clock_;
    std::string token_;
    std::size_t next_ = 1;
    std::size_t next_address_ = 1;
    std::size_t next_device_ = 1;
};

}  // namespace runtime
