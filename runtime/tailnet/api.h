// Tailscale's REST API for one tailnet, as much of it as the controller needs: auth keys, devices
// and Tailscale Services. Source: https://tailscale.com/api (OpenAPI document), and tailscale
// v1.96.5 internal/client/tailscale and client/tailscale/v2.
//
// One access token is shared by all calls and renewed before it ends, when it is refused, and when
// the credentials have changed, which are read again before a call, once a minute at most. Calls
// that change nothing when they come twice are repeated after 5xx and broken connections; `mint`
// never is: what has become of it is for the caller to find out (`list_keys`). All keep to a
// budget, and a 429, which says that nothing was done, makes all of them wait. So a call may leave
// long after it was made: a `guard` is asked right before each time that it is sent, and its
// problem is the answer then.
//
// Calls wait in lanes. The first lane that has one goes first, but for each tenth call, which is
// the one that has waited longest: a key waits for one call of other lanes at most, and none of
// them stands still. Some requests under way are kept for keys.
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

namespace runtime {

struct TailnetReply {
    int code = 0;               // of HTTP; 0: no reply
    renderer::Value body = {};  // JSON of a 200
    std::string message = {};   // what went wrong, in one line, without credentials
    bool may_be_done = false;
    bool lacks_credentials = false;  // they cannot be read

    [[nodiscard]] bool ok() const { return code == 200; }
    [[nodiscard]] bool not_found() const { return code == 404; }
};
using TailnetDone = std::function<void(TailnetReply)>;

enum class Lane {
    UrgentKeys,
    Keys,  // and what has to be done before one is minted
    Devices,
    Removals,
    Sweeps
};

struct KeyRequest {
    std::vector<std::string> tags;
    std::string description;  // letters, digits, `-`, `_` and spaces, at most 50
    bool urgent = false;      // a proxy that runs waits for it
};

struct TailnetSettings {
    std::string server;  // without a slash at its end: https://api.tailscale.com
    std::string token_server;
    std::string ca_file = {};  // PEM; empty: what the system trusts
    Credentials credentials;
};

class TailnetApi {
public:
    // All references outlive the API.
    TailnetApi(Loop& loop, Transport& transport, Log& log, RandomSource& random,
               TailnetSettings settings);

    // A single-use, pre-authorised key: {"id", "key", "created", "expires"}.
    void mint(const KeyRequest& request, TailnetDone done);
    void list_keys(TailnetDone done);
    void get_key(std::string_view id, TailnetDone done);
    void revoke_key(std::string_view id, TailnetDone done, Job guard = {}) {
        revoke_key(id, Lane::Removals, std::move(done), std::move(guard));
    }
    void revoke_key(std::string_view id, Lane lane, TailnetDone done, Job guard = {});

    // All devices at once: the API has no pages.
    void list_devices(Lane lane, TailnetDone done);
    // {"hostname", "addresses"} and more.
    void get_device(std::string_view id, TailnetDone done) {
        get_device(id, Lane::Devices, std::move(done));
    }
    void get_device(std::string_view id, Lane lane, TailnetDone done);
    void delete_device(std::string_view id, TailnetDone done, Job guard = {}) {
        delete_device(id, Lane::Removals, std::move(done), std::move(guard));
    }
    void delete_device(std::string_view id, Lane lane, TailnetDone done, Job guard = {});
    void set_tags(std::string_view device, const std::vector<std::string>& tags, TailnetDone done);

    // Tailscale Services, by name ("svc:" and a DNS label). `put_service` makes or replaces one: a
    // known one is sent with the addresses that it has.
    void get_service(std::string_view name, TailnetDone done);
    void put_service(std::string_view name, const renderer::Value& service, TailnetDone done);
    void delete_service(std::string_view name, TailnetDone done);

private:
    struct Call {
        std::string_view method;
        std::string path;
        std::string body = {};
        std::string_view scope;  // that the client needs
        Lane lane;
        bool repeatable = true;
        TailnetDone done;
        Job guard = {};            // empty: nothing has to be asked
        std::uint64_t number = 0;  // in the order in which they were made
        int attempts = 0;
        Duration token_at = {};  // of the token that it was sent with
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
    std::uint64_t calls_ = 0;                // that were made
    std::uint64_t sent_ = 0;
    std::string token_, identity_, client_, place_;
    Duration token_at_ = {}, token_ends_ = {};  // uptimes
    Duration credentials_at_ = {};              // uptime
    bool asks_for_token_ = false;               // or waits to ask again
    int token_attempts_ = 0;                    // that have failed, one after the other
    int under_way_ = 0;
    TokenBucket budget_;  // of requests that may go out; closed after a 429
    bool pump_is_due_ = false;
};

}  // namespace runtime
