// A small client of Tailscale's REST API for one tailnet: auth keys, devices and Tailscale
// Services. Source: https://tailscale.com/api (OpenAPI document), and tailscale v1.96.5
// internal/client/tailscale and client/tailscale/v2.
//
// All calls share one access token. It is renewed before it expires, when it is refused, and when
// the credentials have changed. The credentials are read again before a call, at most once a
// minute. Idempotent calls are repeated after 5xx and broken connections. `mint` is not: the caller
// has to find out what became of it (`list_keys`). All calls share a rate limit. A 429 means that
// nothing was done, and delays all of them. So a call may be sent long after it was made. Its
// `guard` is therefore asked right before each time that it is sent; if the guard returns a
// problem, that is the answer.
//
// Calls wait in lanes, in order of priority. Every tenth call is the one that has waited longest,
// so that a key waits for at most one call of other lanes, and no lane is starved. Some of the
// requests in flight are reserved for keys.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/base/backoff.h"
#include "runtime/base/jobs.h"
#include "runtime/base/log.h"
#include "runtime/base/token_bucket.h"
#include "runtime/base/transport.h"
#include "runtime/tailnet/credentials.h"

namespace runtime::tailnet {

struct Reply {
    int code = 0;               // HTTP status; 0: no reply
    renderer::Value body = {};  // JSON of a 200
    std::string message = {};   // the problem, in one line, without credentials
    bool may_be_done = false;
    bool lacks_credentials = false;  // the credentials cannot be read

    [[nodiscard]] bool ok() const { return code == 200; }
    [[nodiscard]] bool not_found() const { return code == 404; }
};
using Done = std::function<void(Reply)>;

enum class Lane {
    UrgentKeys,
    Keys,  // and calls that must be made before one is minted
    Devices,
    Removals,
    Sweeps
};

struct KeyRequest {
    std::vector<std::string> tags;
    std::string description;  // letters, digits, `-`, `_` and spaces, at most 50
    bool urgent = false;      // a running proxy waits for it
};

struct TailnetSettings {
    std::string server;  // without a trailing slash: https://api.tailscale.com
    std::string token_server;
    std::string ca_file = {};  // PEM; empty: the system's
    Credentials credentials;
};

class Api {
public:
    // All references must outlive the API.
    Api(Loop& loop, Transport& transport, Log& log, RandomSource& random, TailnetSettings settings);

    // Creates a single-use, pre-authorized key: {"id", "key", "created", "expires"}.
    void mint(const KeyRequest& request, Done done);
    void list_keys(Done done);
    void get_key(std::string_view id, Done done);
    void revoke_key(std::string_view id, Done done, Job guard = {}) {
        revoke_key(id, Lane::Removals, std::move(done), std::move(guard));
    }
    void revoke_key(std::string_view id, Lane lane, Done done, Job guard = {});

    // Lists all devices at once: the API has no pages.
    void list_devices(Lane lane, Done done);
    // Returns {"hostname", "addresses"} and more.
    void get_device(std::string_view id, Done done) {
        get_device(id, Lane::Devices, std::move(done));
    }
    void get_device(std::string_view id, Lane lane, Done done);
    void delete_device(std::string_view id, Done done, Job guard = {}) {
        delete_device(id, Lane::Removals, std::move(done), std::move(guard));
    }
    void delete_device(std::string_view id, Lane lane, Done done, Job guard = {});
    void set_tags(std::string_view device, const std::vector<std::string>& tags, Done done);

    // Tailscale Services, by name ("svc:" and a DNS label). `put_service` creates or replaces one.
    // An existing Service has to be sent with its addresses.
    void get_service(std::string_view name, Done done);
    void put_service(std::string_view name, const renderer::Value& service, Done done);
    void delete_service(std::string_view name, Done done);

private:
    struct Call {
        std::string_view method;
        std::string path;
        std::string body = {};
        std::string_view scope;  // scope that the client needs
        Lane lane;
        bool repeatable = true;
        Done done;
        Job guard = {};            // empty: no guard
        std::uint64_t number = 0;  // in the order of the calls
        int attempts = 0;
        Duration token_at = {};  // uptime at which its token was issued
        bool token_was_renewed = false;
    };

    void enqueue(Call call);
    [[nodiscard]] std::deque<Call>& lane_of(const Call& call);
    [[nodiscard]] std::deque<Call>* next_lane();
    [[nodiscard]] bool is_idle() const;
    void pump();
    void read_credentials();
    void ask_for_token(TokenRequest request);
    void send_token_request(const TokenRequest& request);
    void take_token(const HttpReply& reply);
    void take_refusal(const HttpReply& reply);
    void fail_all(const std::string& why, bool lacks_credentials = false);
    [[nodiscard]] std::string refusal(const std::string& said) const;
    [[nodiscard]] std::string explain(const HttpReply& reply, std::string_view scope) const;
    [[nodiscard]] bool has_token() const;
    [[nodiscard]] bool needs_other_token(const Call& call, const HttpReply& reply) const;
    void ask_guard(Call call);
    void send(Call call);
    Duration delay_after(const HttpReply& reply);
    void take_reply(Call call, const HttpReply& reply);

    Loop& loop_;
    Transport& transport_;
    Log& log_;
    TailnetSettings settings_;
    Backoff backoff_;
    std::array<std::deque<Call>, 5> lanes_;  // by Lane
    std::uint64_t calls_ = 0;                // number of calls so far
    std::uint64_t sent_ = 0;
    std::string token_, identity_, client_, place_;
    Duration token_at_ = {}, token_ends_ = {};  // uptimes
    Duration credentials_at_ = {};              // uptime
    bool asks_for_token_ = false;               // or is waiting to ask again
    int token_attempts_ = 0;                    // consecutive failures
    int under_way_ = 0;
    TokenBucket budget_;  // rate limit; closed after a 429
    bool pump_is_due_ = false;
};

}  // namespace runtime::tailnet
