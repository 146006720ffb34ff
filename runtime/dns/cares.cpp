#include "runtime/dns/cares.h"

#include <ares.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/time.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "runtime/dns/schedule.h"

namespace runtime::dns {

namespace {

renderer::Error failure(std::string_view step, int status) {
    return {renderer::Diagnostic{
        .rule = "dns", .message = fmt::format("cannot {}: {}", step, ares_strerror(status))}};
}

std::optional<IpAddress> address_of(const ares_addrinfo_node& node) {
    if (node.ai_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in*>(node.ai_addr)->sin_addr;
        return IpAddress::from_bytes({reinterpret_cast<const char*>(&v4), sizeof v4});
    }
    if (node.ai_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6*>(node.ai_addr)->sin6_addr;
        return IpAddress::from_bytes({reinterpret_cast<const char*>(&v6), sizeof v6});
    }
    return {};
}

// `info` may be nullptr.
Answer answer_of(int status, const ares_addrinfo* info) {
    if (status == ARES_ENODATA || status == ARES_ENOTFOUND) {
        return {};
    }
    if (status != ARES_SUCCESS || info == nullptr) {
        return {.problem = ares_strerror(status)};
    }
    Answer answer{.ttl = kCeiling};
    const auto shorten = [&](int seconds) {
        answer.ttl = std::min(answer.ttl, Duration(std::chrono::seconds(std::max(seconds, 0))));
    };
    for (const auto* node = info->nodes; node != nullptr; node = node->ai_next) {
        if (const auto address = address_of(*node)) {
            answer.addresses.push_back(*address);
            shorten(node->ai_ttl);
        }
    }
    for (const auto* alias = info->cnames; alias != nullptr; alias = alias->next) {
        shorten(alias->ttl);
    }
    return answer;
}

// A c-ares channel, with its sockets and its timer on the loop.
class Channel {
public:
    explicit Channel(Loop& loop) : loop_(loop) {}
    ~Channel() {
        if (channel_ != nullptr) {
            is_ending_ = true;
            ares_destroy(channel_);  // calls back for all pending lookups
        }
        loop_.cancel(timer_);
        for (const auto& [number, timer] : deliveries_) {
            loop_.cancel(timer);
        }
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // Returns a status of c-ares.
    int open(const CaresOptions& options, bool searches) {
        ares_options wanted{};
        wanted.sock_state_cb = [](void* self, ares_socket_t socket, int read, int write) {
            static_cast<Channel*>(self)->watch(socket, {.read = read != 0, .write = write != 0});
        };
        wanted.sock_state_cb_data = this;
        wanted.timeout = static_cast<int>(options.timeout.count());
        wanted.tries = options.tries;
        wanted.udp_port = options.port;
        wanted.tcp_port = options.port;
        std::string path = options.resolv_conf;
        wanted.resolvconf_path = path.data();
        int mask = ARES_OPT_SOCK_STATE_CB | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                   ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT | ARES_OPT_RESOLVCONF;
        if (!searches) {
            mask |= ARES_OPT_DOMAINS;  // no search domains
        }
        return ares_init_options(&channel_, &wanted, mask);
    }

    void ask(const std::string& name, Family family, std::function<void(Answer)> done) {
        ares_addrinfo_hints hints{};
        hints.ai_family = family == Family::V4 ? AF_INET : AF_INET6;
        hints.ai_flags = ARES_AI_NOSORT;
        auto* pending = new Pending{*this, std::move(done)};
        ares_getaddrinfo(channel_, name.c_str(), nullptr, &hints, finish, pending);
        plan_timeout();
    }

private:
    struct Pending {
        Channel& channel;
        std::function<void(Answer)> done;
    };

    static void finish(void* data, int status, int, ares_addrinfo* info) {
        const std::unique_ptr<Pending> pending(static_cast<Pending*>(data));
        const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owned(info,
                                                                                 ares_freeaddrinfo);
        if (!pending->channel.is_ending_) {
            pending->channel.deliver(answer_of(status, info), std::move(pending->done));
        }
    }

    // Calls `done` later: c-ares may call back inside ares_getaddrinfo, and must not be destroyed
    // in a callback.
    void deliver(Answer answer, std::function<void(Answer)> done) {
        const std::uint64_t number = next_delivery_++;
        deliveries_[number] = loop_.after(
            {}, [this, number, answer = std::move(answer), done = std::move(done)]() mutable {
                deliveries_.erase(number);
                done(std::move(answer));
            });
    }

    void watch(ares_socket_t socket, Interest interest) {
        loop_.watch(socket, interest, [this, socket](Interest ready) {
            process(ready.read ? socket : ARES_SOCKET_BAD, ready.write ? socket : ARES_SOCKET_BAD);
        });
    }

    void process(ares_socket_t readable, ares_socket_t writable) {
        ares_process_fd(channel_, readable, writable);
        plan_timeout();
    }

    void plan_timeout() {
        loop_.cancel(timer_);
        timeval time{};
        if (ares_timeout(channel_, nullptr, &time) != nullptr) {
            const auto delay = std::chrono::seconds(time.tv_sec) +
                               std::chrono::microseconds(time.tv_usec) + Duration(1);
            timer_ = loop_.after(std::chrono::duration_cast<Duration>(delay),
                                 [this] { process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); });
        }
    }

    Loop& loop_;
    ares_channel channel_ = nullptr;
    bool is_ending_ = false;
    TimerId timer_ = 0;
    std::uint64_t next_delivery_ = 0;
    std::map<std::uint64_t, TimerId> deliveries_;
};

class Cares : public Lookup {
public:
    explicit Cares(Loop& loop) : searching_(loop), absolute_(loop) {}

    int open(const CaresOptions& options) {
        cluster_domain_ = options.cluster_domain;
        const int status = searching_.open(options, true);
        return status == ARES_SUCCESS ? absolute_.open(options, false) : status;
    }

    void addresses_of(const std::string& name, Family family,
                      std::function<void(Answer)> done) override {
        const bool is_absolute = name.ends_with('.') || is_in_domain(name, cluster_domain_);
        const std::string asked = name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
        (is_absolute ? absolute_ : searching_).ask(asked, family, std::move(done));
    }

private:
    std::string cluster_domain_;
    Channel searching_, absolute_;
};

}  // namespace

renderer::Result<std::unique_ptr<Lookup>> open_cares(Loop& loop, const CaresOptions& options) {
    if (const int status = ares_library_init(ARES_LIB_INIT_ALL); status != ARES_SUCCESS) {
        return failure("start the resolver", status);
    }
    auto cares = std::make_unique<Cares>(loop);
    if (const int status = cares->open(options); status != ARES_SUCCESS) {
        return failure("set up the resolver", status);
    }
    return std::unique_ptr<Lookup>(std::move(cares));
}

}  // namespace runtime::dns
