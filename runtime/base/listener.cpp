#include "runtime/base/listener.h"

#include <fmt/format.h>

#include <utility>

namespace runtime::inline base {

using boost::asio::ip::tcp;

Connections::Place::Place(std::shared_ptr<Connections> all, std::function<void()> close)
    : all_(std::move(all)),
      close_(std::move(close)),
      at_(all_->open_.insert(all_->open_.end(), this)) {
    if (all_->open_.size() > all_->most_) {
        all_->close_first();
    }
}

Connections::Place::~Place() {
    if (is_open_) {
        all_->open_.erase(at_);
    }
}

void Connections::Place::is_heard() {
    if (is_open_) {
        all_->open_.splice(all_->open_.end(), all_->open_, at_);
    }
}

void Connections::close_first() {
    Place& first = *open_.front();
    open_.pop_front();
    first.is_open_ = false;
    first.close_();
}

void Connections::close_all() {
    while (!open_.empty()) {
        close_first();
    }
}

Listener::Listener(AsioLoop& loop, Take take)
    : state_(std::make_shared<Acceptor<tcp>>(loop.context(), std::move(take))) {}

Listener::~Listener() {
    state_->close();
}

renderer::Error cannot_listen(std::uint16_t port, const boost::system::error_code& error) {
    return {{.rule = "cannot-listen",
             .where = fmt::format("port {}", port),
             .message = fmt::format("cannot listen on port {}: {}", port, error.message())}};
}

renderer::Result<std::uint16_t> Listener::listen(std::uint16_t port) {
    return begin(port, bind_on_all_addresses(state_->acceptor, port));
}

renderer::Result<std::uint16_t> Listener::listen(const AddressPort& at) {
    if (at.address.bytes().find_first_not_of('\0') == std::string_view::npos) {
        return listen(at.port);
    }
    auto& acceptor = state_->acceptor;
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(at.address.text(), error);
    acceptor.open(at.address.is_v6() ? tcp::v6() : tcp::v4(), error);
    if (!error) {
        acceptor.set_option(boost::asio::socket_base::reuse_address(true), error);
    }
    if (!error) {
        acceptor.bind({address, at.port}, error);
    }
    return begin(at.port, error);
}

renderer::Result<std::uint16_t> Listener::begin(std::uint16_t port,
                                                boost::system::error_code error) {
    auto& acceptor = state_->acceptor;
    if (!error) {
        acceptor.listen(tcp::acceptor::max_listen_connections, error);
    }
    if (error) {
        return cannot_listen(port, error);
    }
    state_->accept();
    return acceptor.local_endpoint().port();
}

}  // namespace runtime::inline base
