#include "runtime/base/curl_transport.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <utility>

#include "renderer/base/check.h"
#include "runtime/base/weakly.h"

namespace runtime::inline base {

namespace {

constexpr std::size_t kLargestBody = std::size_t{64} << 20U;
constexpr long kMostOfAHost = 64;  // connections to one host; a watch without HTTP/2 occupies one
constexpr unsigned kLongestUnacknowledged = 20'000;  // milliseconds

struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

struct Exchange {
    RequestId id = 0;
    HttpRequest request;
    std::function<void(HttpReply)> done;
    std::function<void(std::string_view)> on_data;
    std::unique_ptr<curl_slist, FreeList> headers;
    std::unique_ptr<CURL, FreeEasy> easy;
    HttpReply reply;
    std::size_t sent = 0;  // bytes of the body
    char problem[CURL_ERROR_SIZE] = {};
};

std::size_t take_body(char* bytes, std::size_t, std::size_t count, void* user) {
    auto& exchange = *static_cast<Exchange*>(user);
    long status = 0;
    curl_easy_getinfo(exchange.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    if (exchange.on_data != nullptr && status == 200) {
        const auto on_data = exchange.on_data;
        on_data({bytes, count});
        return count;
    }
    if (exchange.reply.body.size() + count > kLargestBody) {
        return 0;  // curl ends the exchange with an error
    }
    exchange.reply.body.append(bytes, count);
    return count;
}

// libcurl resends a request of any method when a reused connection ends without a reply. It cannot
// rewind the body that it reads here, so the request fails and the caller decides.
std::size_t give_body(char* to, std::size_t, std::size_t room, void* user) {
    auto& exchange = *static_cast<Exchange*>(user);
    const std::size_t count = exchange.request.body.copy(to, room, exchange.sent);
    exchange.sent += count;
    return count;
}

// Limits how long sent data may stay unacknowledged. Without it a connection whose other end is
// dead would take one request after another, each of which times out, for a quarter of an hour.
int set_up_socket(void*, curl_socket_t socket, curlsocktype) {
    ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kLongestUnacknowledged,
                 sizeof kLongestUnacknowledged);
    return CURL_SOCKOPT_OK;
}

template <typename T>
void set(CURL* easy, CURLoption option, T value) {
    CHECK(curl_easy_setopt(easy, option, value) == CURLE_OK);
}

void set_blob(CURL* easy, CURLoption option, std::string text) {
    if (!text.empty()) {
        curl_blob blob{text.data(), text.size(), CURL_BLOB_COPY};
        set(easy, option, &blob);
    }
}

// False for methods that change nothing, and if no connection was established.
bool may_be_done(const Exchange& exchange) {
    curl_off_t connected_after = 0;  // in microseconds; 0: never
    curl_easy_getinfo(exchange.easy.get(), CURLINFO_PRETRANSFER_TIME_T, &connected_after);
    return connected_after > 0 && exchange.request.method != "GET";
}

// Returns the same text each time that the same problem occurs. The messages of libcurl are more
// precise, but many of them count milliseconds, bytes or streams.
std::string problem_of(const Exchange& exchange, CURLcode code) {
    const std::string_view words = exchange.problem;
    const bool are_constant = code == CURLE_SSL_CONNECT_ERROR ||
                              code == CURLE_PEER_FAILED_VERIFICATION ||
                              code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CACERT_BADFILE ||
                              code == CURLE_COULDNT_RESOLVE_PROXY;
    const std::string& url = exchange.request.url;
    const std::size_t scheme = url.find("://");
    const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
    const CURLcode known = code == CURLE_SEND_FAIL_REWIND ? CURLE_GOT_NOTHING : code;
    return fmt::format("{}: {}", url.substr(host, url.find('/', host) - host),
                       are_constant && !words.empty() ? words : curl_easy_strerror(known));
}

void prepare(Exchange& exchange, const std::string& user_agent) {
    CURL* easy = exchange.easy.get();
    const HttpRequest& request = exchange.request;
    for (const std::string& header : request.headers) {
        exchange.headers.reset(curl_slist_append(exchange.headers.release(), header.c_str()));
    }
    set(easy, CURLOPT_URL, request.url.c_str());
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    set(easy, CURLOPT_HTTPHEADER, exchange.headers.get());
    set(easy, CURLOPT_USERAGENT, user_agent.c_str());
    set(easy, CURLOPT_ERRORBUFFER, exchange.problem);
    set(easy, CURLOPT_PRIVATE, &exchange);
    set(easy, CURLOPT_NOSIGNAL, 1L);
    set(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    // Without TLS, HTTP/2 is never negotiated, so there is nothing to wait for.
    set(easy, CURLOPT_PIPEWAIT, request.url.starts_with("https:") ? 1L : 0L);
    set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    set(easy, CURLOPT_TCP_KEEPIDLE, 30L);
    set(easy, CURLOPT_TCP_KEEPINTVL, 10L);
    set(easy, CURLOPT_SOCKOPTFUNCTION, set_up_socket);
    set(easy, CURLOPT_CONNECTTIMEOUT, 10L);
    set(easy, CURLOPT_QUICK_EXIT, 1L);        // do not wait for a resolver that hangs
    set(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);  // the file may be replaced
    set(easy, CURLOPT_BUFFERSIZE, 4096L);     // allocated for each request
    set(easy, CURLOPT_WRITEFUNCTION, take_body);
    set(easy, CURLOPT_WRITEDATA, &exchange);
    if (exchange.on_data == nullptr) {
        set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    } else {
        set(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.timeout.count() / 1000));
    }
    if (!request.ca_file.empty()) {
        set(easy, CURLOPT_CAINFO, request.ca_file.c_str());
    }
    if (!request.ca_file.empty() || !request.identity.authorities.empty()) {
        set(easy, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    }
    set_blob(easy, CURLOPT_CAINFO_BLOB, request.identity.authorities);
    set_blob(easy, CURLOPT_SSLCERT_BLOB, request.identity.certificate);
    set_blob(easy, CURLOPT_SSLKEY_BLOB, request.identity.key);
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT" ||
        request.method == "PATCH") {
        set(easy, CURLOPT_POST, 1L);
        set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(easy, CURLOPT_READFUNCTION, give_body);
        set(easy, CURLOPT_READDATA, &exchange);
    }
}

}  // namespace

struct CurlTransport::State {
    Loop& loop;
    std::string user_agent;
    RequestId next = 1;
    std::optional<TimerId> timer;
    std::unique_ptr<CURLM, FreeMulti> multi;
    std::map<RequestId, std::unique_ptr<Exchange>> running;

    State(Loop& its_loop, std::string agent)
        : loop(its_loop), user_agent(std::move(agent)), multi(curl_multi_init()) {
        CHECK(multi != nullptr);
        curl_multi_setopt(multi.get(), CURLMOPT_SOCKETFUNCTION, &State::on_socket);
        curl_multi_setopt(multi.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi.get(), CURLMOPT_TIMERFUNCTION, &State::on_timer);
        curl_multi_setopt(multi.get(), CURLMOPT_TIMERDATA, this);
        curl_multi_setopt(multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS, kMostOfAHost);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    ~State() {
        for (auto& [id, exchange] : running) {
            curl_multi_remove_handle(multi.get(), exchange->easy.get());
        }
        running.clear();
        multi.reset();  // still removes the watches of its sockets
        stop_timer();
    }

    void stop_timer() {
        if (timer.has_value()) {
            loop.cancel(*timer);
            timer.reset();
        }
    }

    static int on_socket(CURL*, curl_socket_t socket, int what, void* user, void*) {
        auto& self = *static_cast<State*>(user);
        const Interest interest{.read = what == CURL_POLL_IN || what == CURL_POLL_INOUT,
                                .write = what == CURL_POLL_OUT || what == CURL_POLL_INOUT};
        self.loop.watch(socket, interest, [&self, socket](Interest ready) {
            self.act(socket,
                     (ready.read ? CURL_CSELECT_IN : 0) | (ready.write ? CURL_CSELECT_OUT : 0));
        });
        return 0;
    }

    static int on_timer(CURLM*, long milliseconds, void* user) {
        auto& self = *static_cast<State*>(user);
        self.stop_timer();
        if (milliseconds >= 0) {
            self.timer = self.loop.after(Duration(milliseconds), [&self] {
                self.timer.reset();
                self.act(CURL_SOCKET_TIMEOUT, 0);
            });
        }
        return 0;
    }

    void act(curl_socket_t socket, int events) {
        int still_running = 0;
        curl_multi_socket_action(multi.get(), socket, events, &still_running);
        int left = 0;
        while (CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
            if (message->msg == CURLMSG_DONE) {
                finish(message->easy_handle, message->data.result);
            }
        }
    }

    void finish(CURL* easy, CURLcode code) {
        Exchange* found = nullptr;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &found);
        const auto exchange = take(found->id);
        HttpReply reply = std::move(exchange->reply);
        if (code == CURLE_OK) {
            long status = 0;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            reply.status = static_cast<int>(status);
            curl_off_t wait = 0;
            curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait);
            if (wait > 0) {
                reply.retry_after = std::chrono::seconds(wait);
            }
        } else {
            reply.problem = problem_of(*exchange, code);
            reply.may_be_done = may_be_done(*exchange);
            reply.body.clear();
        }
        exchange->done(std::move(reply));
    }

    std::unique_ptr<Exchange> take(RequestId id) {
        const auto entry = running.find(id);
        if (entry == running.end()) {
            return nullptr;
        }
        auto exchange = std::move(entry->second);
        running.erase(entry);
        curl_multi_remove_handle(multi.get(), exchange->easy.get());
        return exchange;
    }
};

CurlTransport::CurlTransport(Loop& loop, std::string user_agent)
    : state_(std::make_shared<State>(loop, std::move(user_agent))) {}
CurlTransport::~CurlTransport() = default;

RequestId CurlTransport::send(HttpRequest request, std::function<void(HttpReply)> done,
                              std::function<void(std::string_view)> on_data) {
    auto exchange = std::make_unique<Exchange>();
    exchange->id = state_->next++;
    exchange->request = std::move(request);
    exchange->done = std::move(done);
    exchange->on_data = std::move(on_data);
    exchange->easy.reset(curl_easy_init());
    CHECK(exchange->easy != nullptr);
    prepare(*exchange, state_->user_agent);
    Exchange& started = *exchange;
    state_->running[started.id] = std::move(exchange);
    CHECK(curl_multi_add_handle(state_->multi.get(), started.easy.get()) == CURLM_OK);
    return started.id;
}

void CurlTransport::cancel(RequestId id) {
    // Removed later: the request itself may be calling us, from inside libcurl.
    state_->loop.after(Duration(0),
                       weakly(std::weak_ptr(state_), [id](State& state) { state.take(id); }));
    if (const auto entry = state_->running.find(id); entry != state_->running.end()) {
        entry->second->done = [](const HttpReply&) {};
        if (entry->second->on_data != nullptr) {
            entry->second->on_data = [](std::string_view) {};
        }
    }
}

}  // namespace runtime::inline base
