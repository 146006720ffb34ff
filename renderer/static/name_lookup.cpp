// getaddrinfo for a program that is linked statically, for renderer/repo/fetch. That of glibc loads
// modules of the machine (nsswitch.conf), which must be of the very glibc that was linked. c-ares
// reads /etc/hosts, /etc/resolv.conf and the line `hosts` of /etc/nsswitch.conf itself. Not
// supported: services by name, zones of IPv6 addresses, AI_ADDRCONFIG.
#include <ares.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

namespace {

constexpr int kFirstTimeout = 3000;  // milliseconds; each try takes twice as long as the last one
constexpr int kTries = 2;

struct Answer {
    bool is_done = false;
    int status = ARES_SUCCESS;
    ares_addrinfo* found = nullptr;
};

void take_answer(void* into, int status, int /*timeouts*/, ares_addrinfo* found) {
    *static_cast<Answer*>(into) = {true, status, found};
}

std::optional<std::uint16_t> number_of(const char* port) {
    const std::string_view text = port != nullptr ? port : "0";
    std::uint16_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

// Returns null if there is not enough memory.
ares_channel open_channel() {
    static const int initialized = ares_library_init(ARES_LIB_INIT_ALL);  // once for all threads
    ares_options options{};
    options.timeout = kFirstTimeout;
    options.tries = kTries;
    ares_channel channel = nullptr;
    const int status =
        initialized == ARES_SUCCESS
            ? ares_init_options(&channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES)
            : initialized;
    return status == ARES_SUCCESS ? channel : nullptr;
}

// c-ares itself ends a lookup that no server answers, after kTries.
void wait_for(ares_channel channel, const Answer& answer) {
    while (!answer.is_done) {
        std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets{};
        const auto wanted = static_cast<unsigned>(
            ares_getsock(channel, sockets.data(), static_cast<int>(sockets.size())));
        std::array<pollfd, ARES_GETSOCK_MAXNUM> polled{};
        nfds_t count = 0;
        for (unsigned i = 0; i < sockets.size(); ++i) {
            const int events = (ARES_GETSOCK_READABLE(wanted, i) != 0 ? POLLIN : 0) |
                               (ARES_GETSOCK_WRITABLE(wanted, i) != 0 ? POLLOUT : 0);
            if (events != 0) {
                polled[count++] = {sockets[i], static_cast<short>(events), 0};
            }
        }
        timeval longest{5, 0};
        timeval next{};
        const timeval* wait = ares_timeout(channel, &longest, &next);
        (void)poll(polled.data(), count,
                   static_cast<int>(wait->tv_sec * 1000 + wait->tv_usec / 1000 + 1));
        for (nfds_t i = 0; i < count; ++i) {
            const int happened = polled[i].revents;
            ares_process_fd(channel, (happened & ~POLLOUT) != 0 ? polled[i].fd : ARES_SOCKET_BAD,
                            (happened & POLLOUT) != 0 ? polled[i].fd : ARES_SOCKET_BAD);
        }
        ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // timeouts
    }
}

// The address is behind the struct, in one allocation. Returns null without memory.
addrinfo* copy_of(const ares_addrinfo_node& node, int type, std::uint16_t port) {
    auto* made = static_cast<addrinfo*>(std::calloc(1, sizeof(addrinfo) + node.ai_addrlen));
    if (made == nullptr) {
        return nullptr;
    }
    made->ai_family = node.ai_family;
    made->ai_socktype = type;
    made->ai_protocol = node.ai_protocol;
    made->ai_addrlen = node.ai_addrlen;
    made->ai_addr = reinterpret_cast<sockaddr*>(made + 1);
    std::memcpy(made->ai_addr, node.ai_addr, node.ai_addrlen);
    if (node.ai_family == AF_INET) {
        reinterpret_cast<sockaddr_in*>(made->ai_addr)->sin_port = htons(port);
    } else if (node.ai_family == AF_INET6) {
        reinterpret_cast<sockaddr_in6*>(made->ai_addr)->sin6_port = htons(port);
    }
    return made;
}

int error_of(int status) {
    switch (status) {
        case ARES_SUCCESS:
            return 0;
        case ARES_ENOMEM:
            return EAI_MEMORY;
        case ARES_ECONNREFUSED:
        case ARES_ETIMEOUT:
        case ARES_ESERVFAIL:
            return EAI_AGAIN;
        default:
            return EAI_NONAME;
    }
}

}  // namespace

extern "C" void freeaddrinfo(addrinfo* list) {
    while (list != nullptr) {
        addrinfo* next = list->ai_next;
        std::free(list);
        list = next;
    }
}

// Takes a host, a port as a number, and a family and a type in `hints`.
extern "C" int getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                           addrinfo** result) {
    *result = nullptr;
    const std::optional<std::uint16_t> number = number_of(port);
    if (host == nullptr || !number) {
        return EAI_NONAME;
    }
    ares_channel channel = open_channel();
    if (channel == nullptr) {
        return EAI_MEMORY;
    }
    ares_addrinfo_hints wanted{};
    wanted.ai_family = hints != nullptr ? hints->ai_family : AF_UNSPEC;
    wanted.ai_socktype = hints != nullptr ? hints->ai_socktype : 0;
    Answer answer;
    ares_getaddrinfo(channel, host, nullptr, &wanted, take_answer, &answer);
    wait_for(channel, answer);
    int error = error_of(answer.status);
    addrinfo** end = result;
    for (const ares_addrinfo_node* node = answer.found != nullptr ? answer.found->nodes : nullptr;
         node != nullptr && error == 0; node = node->ai_next) {
        *end = copy_of(*node, wanted.ai_socktype, *number);
        error = *end == nullptr ? EAI_MEMORY : 0;
        end = *end == nullptr ? end : &(*end)->ai_next;
    }
    if (answer.found != nullptr) {
        ares_freeaddrinfo(answer.found);
    }
    ares_destroy(channel);
    if (error != 0) {
        freeaddrinfo(*result);
        *result = nullptr;
        return error;
    }
    return *result == nullptr ? EAI_NONAME : 0;
}
