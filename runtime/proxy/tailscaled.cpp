#include "runtime/proxy/tailscaled.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "renderer/contract/environment.h"
#include "runtime/base/local_socket.h"

namespace runtime::proxy {

namespace {

constexpr Duration kSocketPeriod = std::chrono::milliseconds(100);
constexpr Duration kPulsePeriod = std::chrono::seconds(10);
constexpr int kMostMissed = 3;  // in a row, one every kPulsePeriod
constexpr Duration kLongestEnd = std::chrono::seconds(4);

std::string_view cert_share_text(CertShare share) {
    return share == CertShare::ReadWrite ? "rw" : "ro";
}

// After a restart of the container, the socket of the last tailscaled may still exist. A socket
// that cannot be accessed at all counts as listening, so that the first request reports why.
bool is_taking_calls(const std::string& path) {
    return connect_local(path).get() >= 0 || errno == EAGAIN || errno == EACCES ||
           errno == ENAMETOOLONG;
}

}  // namespace

Tailscaled::Tailscaled(Loop& loop, ChildProcesses& children, localapi::LocalApi& api, Log& log,
                       const Environment& environment, Listener listener)
    : loop_(loop),
      children_(children),
      api_(api),
      log_(log),
      environment_(environment),
      listener_(std::move(listener)) {}

Tailscaled::~Tailscaled() {
    loop_.cancel(timer_);
}

renderer::Result<renderer::Unit> Tailscaled::start(const std::string& config) {
    std::vector<std::string> more;
    if (environment_.cert_share != CertShare::None) {
        more.push_back(fmt::format("{}={}", renderer::variable::kCertShareMode,
                                   cert_share_text(environment_.cert_share)));
    }
    log_.info("Starting tailscaled");
    process_ = TRY(children_.spawn("tailscaled", tailscaled_arguments(environment_, config), more,
                                   [this](const Ending& ending) {
                                       process_ = 0;
                                       loop_.cancel(std::exchange(timer_, 0));
                                       listener_.on_end(ending);
                                   }));
    log_.info(fmt::format("Waiting for tailscaled socket at {}", environment_.socket));
    look_for_socket();
    return renderer::Unit{};
}

void Tailscaled::look_for_socket() {
    if (!is_taking_calls(environment_.socket)) {
        timer_ = loop_.after(kSocketPeriod, [this] { look_for_socket(); });
        return;
    }
    look_after();
    listener_.on_socket();
}

void Tailscaled::look_after() {
    timer_ = loop_.after(kPulsePeriod, [this] {
        api_.prefs(lifetime_.guarded([this](const localapi::LocalReply& reply) {
            if (is_running()) {
                take_pulse(reply);
            }
        }));
    });
}

void Tailscaled::take_pulse(const localapi::LocalReply& reply) {
    // An error reply shows that it is alive; no reply or a refused connection does not.
    missed_ = reply.code != 0 ? 0 : missed_ + 1;
    if (missed_ < kMostMissed) {
        return look_after();
    }
    log_.error(fmt::format("tailscaled does not answer ({}); killing it", reply.problem));
    children_.send(process_, SIGKILL);
}

void Tailscaled::end() {
    log_.info("Sending SIGTERM to tailscaled");
    loop_.cancel(timer_);
    const pid_t process = process_;
    children_.send(process, SIGTERM);
    timer_ = loop_.after(kLongestEnd, [this, process] {
        log_.error("tailscaled does not stop; killing it");
        children_.send(process, SIGKILL);
    });
}

}  // namespace runtime::proxy
