#include "runtime/tailnet/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/url.h"

namespace runtime::tailnet {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kTimeout = std::chrono::seconds(20);
constexpr Duration kTokenMargin = std::chrono::seconds(60);
constexpr Duration kCredentialsPause = std::chrono::minutes(1);
// The rights of the client may have been extended after the token was issued.
constexpr Duration kFreshRights = std::chrono::minutes(1);
// Longer than a pod may take to be scheduled. A pod that waits longer gets another key.
constexpr std::chrono::seconds kKeyLife = std::chrono::hours(24);
constexpr int kAttempts = 4;
constexpr int kAtOnce = 20;                // requests in flight
constexpr int kMoreForKeys = 4;            // in addition to these
constexpr std::uint64_t kTurn = 10;        // every tenth call is the one that has waited longest
constexpr int kBurst = 200;                // requests without a pause
constexpr Duration kEach = Duration(100);  // ten per second from then on
constexpr Duration kLongestRetryAfter = std::chrono::seconds(60);

// The scopes that an OAuth client needs: https://tailscale.com/kb/1623/trust-credentials.
constexpr std::string_view kKeys = "auth_keys";
constexpr std::string_view kDevices = "devices:core";
constexpr std::string_view kServices = "services";

// Returns what the server reports as the problem, for a call and for the token exchange.
std::string message_of(const HttpReply& reply) {
    if (reply.status == 0) {
        return reply.problem;
    }
    const auto body = renderer::read_json(reply.body);
    const std::string_view text =
        body && body->is_map() ? text_of(body->find("message")) : std::string_view();
    return redact(text.empty() ? fmt::format("HTTP status {}", reply.status)
                               : fmt::format("{} (HTTP status {})", text, reply.status));
}

bool may_pass(const HttpReply& reply) {
    return reply.status == 0 || reply.status == 429 || reply.status >= 500;
}

std::string key_path(std::string_view id) {
    return "/api/v2/tailnet/-/keys/" + escape_url(id);
}

std::string device_path(std::string_view id) {
    return "/api/v2/device/" + escape_url(id);
}

// A valid name needs no escaping.
std::string service_path(std::string_view name) {
    return fmt::format("/api/v2/tailnet/-/vip-services/{}", name);
}

Value list_of(const std::vector<std::string>& texts) {
    Value list = Value::list();
    for (const std::string& text : texts) {
        list.append(text);
    }
    return list;
}

}  // namespace

Api::Api(Loop& loop, Transport& transport, Log& log, RandomSource& random, TailnetSettings settings)
    : loop_(loop),
      transport_(transport),
      log_(log),
      settings_(std::move(settings)),
      backoff_(random, std::chrono::milliseconds(500), std::chrono::seconds(30)),
      budget_(kBurst, kEach, loop.uptime()) {}

void Api::mint(const KeyRequest& request, Done done) {
    const Value body = Value::map(
        {{"capabilities",
          Value::map({{"devices",
                       Value::map({{"create", Value::map({{"reusable", false},
                                                          {"ephemeral", false},
                                                          {"preauthorized", true},
                                                          {"tags", list_of(request.tags)}})}})}})},
         {"description", request.description},
         {"expirySeconds", static_cast<std::int64_t>(kKeyLife.count())}});
    enqueue({.method = "POST",
             .path = "/api/v2/tailnet/-/keys",
             .body = renderer::write_json(body),
             .scope = kKeys,
             .lane = request.urgent ? Lane::UrgentKeys : Lane::Keys,
             .repeatable = false,
             .done = std::move(done)});
}

void Api::list_keys(Done done) {
    enqueue({.method = "GET",
             .path = "/api/v2/tailnet/-/keys",
             .scope = kKeys,
             .lane = Lane::Sweeps,
             .done = std::move(done)});
}

void Api::get_key(std::string_view id, Done done) {
    enqueue({.method = "GET",
             .path = key_path(id),
             .scope = kKeys,
             .lane = Lane::Sweeps,
             .done = std::move(done)});
}

void Api::revoke_key(std::string_view id, Lane lane, Done done, Job guard) {
    enqueue({.method = "DELETE",
             .path = key_path(id),
             .scope = kKeys,
             .lane = lane,
             .done = std::move(done),
             .guard = std::move(guard)});
}

void Api::list_devices(Lane lane, Done done) {
    enqueue({.method = "GET",
             .path = "/api/v2/tailnet/-/devices",
             .scope = kDevices,
             .lane = lane,
             .done = std::move(done)});
}

void Api::get_device(std::string_view id, Lane lane, Done done) {
    enqueue({.method = "GET",
             .path = device_path(id),
             .scope = kDevices,
             .lane = lane,
             .done = std::move(done)});
}

void Api::delete_device(std::string_view id, Lane lane, Done done, Job guard) {
    enqueue({.method = "DELETE",
             .path = device_path(id),
             .scope = kDevices,
             .lane = lane,
             .done = std::move(done),
             .guard = std::move(guard)});
}

void Api::set_tags(std::string_view device, const std::vector<std::string>& tags, Done done) {
    enqueue({.method = "POST",
             .path = device_path(device) + "/tags",
             .body = renderer::write_json(Value::map({{"tags", list_of(tags)}})),
             .scope = kDevices,
             .lane = Lane::Devices,
             .done = std::move(done)});
}

void Api::get_service(std::string_view name, Done done) {
    enqueue({.method = "GET",
             .path = service_path(name),
             .scope = kServices,
             .lane = Lane::Devices,
             .done = std::move(done)});
}

void Api::put_service(std::string_view name, const Value& service, Done done) {
    enqueue({.method = "PUT",
             .path = service_path(name),
             .body = renderer::write_json(service),
             .scope = kServices,
             .lane = Lane::Devices,
             .done = std::move(done)});
}

void Api::delete_service(std::string_view name, Done done) {
    enqueue({.method = "DELETE",
             .path = service_path(name),
             .scope = kServices,
             .lane = Lane::Removals,
             .done = std::move(done)});
}

void Api::enqueue(Call call) {
    call.number = ++calls_;
    lane_of(call).push_back(std::move(call));
    pump();
}

std::deque<Api::Call>& Api::lane_of(const Call& call) {
    return lanes_.at(static_cast<std::size_t>(call.lane));
}

// Returns the lane whose first call is sent next. nullptr if none can be sent now.
std::deque<Api::Call>* Api::next_lane() {
    const bool is_turn = (sent_ + 1) % kTurn == 0;
    std::deque<Call>* next = nullptr;
    for (std::deque<Call>& lane : lanes_) {
        if (lane.empty()) {
            continue;
        }
        const Call& call = lane.front();
        const int limit = kAtOnce + (call.lane <= Lane::Keys ? kMoreForKeys : 0);
        if (under_way_ < limit &&
            (next == nullptr || (is_turn && call.number < next->front().number))) {
            next = &lane;
        }
    }
    return next;
}

bool Api::is_idle() const {
    return std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane.empty(); });
}

bool Api::has_token() const {
    return !token_.empty() && loop_.uptime() < token_ends_;
}

void Api::pump() {
    if (is_idle() || asks_for_token_) {
        return;
    }
    const Duration now = loop_.uptime();
    const bool may_send = has_token() && now - credentials_at_ < kCredentialsPause;
    if (!may_send && budget_.has_one(now)) {
        return read_credentials();
    }
    for (auto* lane = next_lane(); may_send && lane != nullptr && budget_.take(now);
         lane = next_lane()) {
        ++sent_;
        Call call = std::move(lane->front());
        lane->pop_front();
        call.guard ? ask_guard(std::move(call)) : send(std::move(call));
    }
    if (!is_idle() && !std::exchange(pump_is_due_, true)) {
        loop_.after(std::chrono::milliseconds(100), [this] {
            pump_is_due_ = false;
            pump();
        });
    }
}

// A valid token is kept if the credentials cannot be read at the moment.
void Api::read_credentials() {
    asks_for_token_ = true;
    settings_.credentials([this](renderer::Result<TokenRequest> request) {
        credentials_at_ = loop_.uptime();
        if (has_token() && (!request || request->identity == identity_)) {
            asks_for_token_ = false;
            return pump();
        }
        if (!request) {
            asks_for_token_ = false;
            return fail_all(request.error().diagnostic.message, true);
        }
        ask_for_token(std::move(*request));
    });
}

void Api::ask_for_token(TokenRequest request) {
    token_.clear();
    identity_ = std::move(request.identity);
    client_ = std::move(request.client);
    place_ = std::move(request.place);
    if (!request.assertion) {
        return send_token_request(request);
    }
    const Assertion ask = std::exchange(request.assertion, {});
    ask([this, request = std::move(request)](renderer::Result<std::string> jwt) mutable {
        if (!jwt) {
            asks_for_token_ = false;
            return fail_all(jwt.error().diagnostic.message);
        }
        add_assertion(request, *jwt);
        send_token_request(request);
    });
}

void Api::send_token_request(const TokenRequest& request) {
    HttpRequest http;
    http.method = "POST";
    http.url = settings_.token_server + request.path;
    http.headers = {"Content-Type: application/x-www-form-urlencoded", "Accept: application/json"};
    http.body = request.form;
    http.timeout = kTimeout;
    http.ca_file = settings_.ca_file;
    transport_.send(
        std::move(http), [this](const HttpReply& reply) { take_token(reply); }, nullptr);
}

void Api::take_token(const HttpReply& reply) {
    const auto body = renderer::read_json(reply.body);
    const std::string_view token = reply.status == 200 && body && body->is_map()
                                       ? text_of(body->find("access_token"))
                                       : std::string_view();
    if (token.empty()) {
        return take_refusal(reply);
    }
    token_attempts_ = 0;
    const Value* lives = body->find("expires_in");
    const auto seconds = lives == nullptr ? std::optional<std::int64_t>() : lives->as_int();
    token_ = token;
    // For a short life, half of it is used, so that tests and strict servers do not cause constant
    // renewals.
    const Duration life = std::chrono::seconds(std::max<std::int64_t>(seconds.value_or(3600), 2));
    token_at_ = loop_.uptime();
    token_ends_ = token_at_ + std::max(life - kTokenMargin, life / 2);
    asks_for_token_ = false;
    pump();
}

void Api::take_refusal(const HttpReply& reply) {
    const bool repeats = may_pass(reply);
    const Duration delay = repeats ? delay_after(reply) : Duration(0);
    if (!repeats || ++token_attempts_ >= kAttempts) {
        token_attempts_ = 0;
        const bool is_refused = reply.status == 400 || reply.status == 401 || reply.status == 403;
        fail_all(is_refused            ? refusal(message_of(reply))
                 : reply.status == 200 ? "no access token in the response"
                                       : "no access token: " + message_of(reply));
    }
    // Calls that are made before then wait too.
    loop_.after(delay, [this] {
        asks_for_token_ = false;
        pump();
    });
}

std::string Api::refusal(const std::string& said) const {
    return redact(
        fmt::format("the tailnet refuses OAuth client \"{}\": {}: check {}; a change is read at "
                    "the next attempt",
                    client_, said, place_));
}

// Returns the problem with a remedy.
std::string Api::explain(const HttpReply& reply, std::string_view scope) const {
    const std::string said = message_of(reply);
    if (reply.status == 401) {
        return refusal(said);
    }
    return reply.status == 403
               ? redact(fmt::format("{}: OAuth client \"{}\" needs the scope \"{}\"", said, client_,
                                    scope))
               : said;
}

void Api::fail_all(const std::string& why, bool lacks_credentials) {
    for (std::deque<Call>& lane : lanes_) {
        for (Call& call : std::exchange(lane, {})) {
            Reply reply;
            reply.message = why;
            reply.lacks_credentials = lacks_credentials;
            // Later, because the caller may not expect a callback inside its call.
            loop_.after(Duration(0), [done = std::move(call.done),
                                      reply = std::make_shared<Reply>(std::move(reply))] {
                done(std::move(*reply));
            });
        }
    }
}

void Api::ask_guard(Call call) {
    ++under_way_;
    auto kept = std::make_shared<Call>(std::move(call));
    kept->guard([this, kept](const std::string& problem) {
        --under_way_;
        if (problem.empty()) {
            return send(std::move(*kept));
        }
        pump();
        Reply reply;
        reply.message = problem;
        kept->done(std::move(reply));
    });
}

void Api::send(Call call) {
    HttpRequest http;
    http.method = call.method;
    http.url = settings_.server + call.path;
    http.headers = {"Accept: application/json", "Authorization: Bearer " + token_};
    if (!call.body.empty()) {
        http.headers.emplace_back("Content-Type: application/json");
        http.body = call.body;
    }
    http.timeout = kTimeout;
    http.ca_file = settings_.ca_file;
    call.token_at = token_at_;
    ++call.attempts;
    ++under_way_;
    auto kept = std::make_shared<Call>(std::move(call));
    transport_.send(
        std::move(http),
        [this, kept](const HttpReply& reply) { take_reply(std::move(*kept), reply); }, nullptr);
}

// Returns how long to wait after a failure. A 429 applies to all requests: they share one delay,
// and none has a budget until it is over.
Duration Api::delay_after(const HttpReply& reply) {
    const Duration now = loop_.uptime();
    Duration delay = budget_.closed_for(now);
    if (delay == Duration(0)) {
        delay = backoff_.next();
    }
    if (reply.retry_after.has_value()) {
        delay = std::max(delay, std::min<Duration>(*reply.retry_after, kLongestRetryAfter));
    }
    if (reply.status == 429) {
        budget_.close(delay, now);
    }
    return delay;
}

bool Api::needs_other_token(const Call& call, const HttpReply& reply) const {
    const bool is_fresh = loop_.uptime() - call.token_at < kFreshRights;
    return !call.token_was_renewed && (reply.status == 401 || (reply.status == 403 && !is_fresh));
}

void Api::take_reply(Call call, const HttpReply& reply) {
    --under_way_;
    if (needs_other_token(call, reply)) {
        if (call.token_at == token_at_) {  // otherwise it was already renewed
            token_.clear();
        }
        call.token_was_renewed = true;
        lane_of(call).push_front(std::move(call));
        return pump();
    }
    // A 429 means that nothing was done.
    const bool harmless = (call.repeatable || reply.status == 429) && may_pass(reply);
    const Duration delay = harmless ? delay_after(reply) : Duration(0);
    if (harmless && call.attempts < kAttempts) {
        log_.debug("retrying a request to the tailnet",
                   {{"path", call.path},
                    {"cause", message_of(reply)},
                    {"in_ms", fmt::format("{}", delay.count())}});
        auto kept = std::make_shared<Call>(std::move(call));
        loop_.after(delay, [this, kept] {
            lane_of(*kept).push_back(std::move(*kept));
            pump();
        });
        return pump();
    }
    pump();  // before the answer, which may destroy this object
    Reply out;
    out.code = reply.status;
    out.may_be_done = reply.status == 0 ? reply.may_be_done : reply.status >= 500;
    if (!out.ok()) {
        out.message = explain(reply, call.scope);
        return call.done(std::move(out));
    }
    backoff_.reset();
    auto body = renderer::read_json(reply.body.empty() ? "{}" : reply.body);
    if (body) {
        out.body = std::move(*body);
    } else {
        out.code = 0;
        out.may_be_done = true;
        out.message = "the tailnet's response is not JSON";
    }
    call.done(std::move(out));
}

}  // namespace runtime::tailnet
