#include "runtime/testing/fake_network.h"

#include <utility>

#include "renderer/base/check.h"
#include "renderer/core/json.h"

namespace runtime {

namespace {

HttpReply without_server(bool may_be_done) {
    HttpReply reply;
    reply.problem = may_be_done ? "connection reset by peer" : "connection refused";
    reply.may_be_done = may_be_done;
    return reply;
}

HttpReply without_answer() {
    HttpReply reply;
    reply.problem = "Timeout was reached";
    reply.may_be_done = true;
    return reply;
}

HttpReply failure(int status) {
    HttpReply reply;
    reply.status = status;
    reply.body = R"({"message":"fault"})";
    return reply;
}

}  // namespace

HttpReply json_reply(int status, const renderer::Value& body) {
    HttpReply reply;
    reply.status = status;
    reply.body = renderer::write_json(body);
    return reply;
}

void FakeTransport::finish(RequestId id, HttpReply reply) {
    const auto entry = open_.find(id);
    if (entry == open_.end()) {
        return;
    }
    const auto done = std::move(entry->second.done);
    open_.erase(entry);
    done(std::move(reply));
}

RequestId FakeTransport::send(HttpRequest request, std::function<void(HttpReply)> done,
                              std::function<void(std::string_view)> on_data) {
    const RequestId id = next_++;
    const bool streams = on_data != nullptr;
    open_[id] = {std::move(done), std::move(on_data)};
    const Fault fault = network_.fault(request);
    const Duration latency = fault == Fault::Slow ? network_.latency * 20 : network_.latency;
    const std::weak_ptr<int> alive = alive_;
    FakeNetwork& network = network_;  // outlives the transport
    network.log.push_back({request.method, request.url});

    const auto reply_later = [this, alive, id, latency, &network](HttpReply reply) {
        network.loop_.after(latency, [this, alive, id, reply = std::move(reply)] {
            if (!alive.expired()) {
                finish(id, reply);
            }
        });
    };
    if (fault == Fault::Hung) {
        network.loop_.after(request.timeout, [this, alive, id] {
            if (!alive.expired()) {
                finish(id, without_answer());
            }
        });
        return id;
    }
    if (fault == Fault::Refused) {
        reply_later(without_server(false));
        return id;
    }
    network.loop_.after(latency, [this, alive, id, streams, fault, reply_later, &network,
                                  request = std::move(request)] {
        if (fault == Fault::Busy || fault == Fault::Broken) {
            return reply_later(failure(fault == Fault::Busy ? 429 : 500));
        }
        const std::size_t slash = request.url.find('/', request.url.find("://") + 3);
        FakeServer* server = network.servers_[request.url.substr(0, slash)];
        CHECK(server != nullptr);
        std::shared_ptr<Stream> stream;
        if (streams) {
            stream = std::make_shared<Stream>();
            stream->data = [this, alive, id, &network](std::string_view bytes) {
                network.loop_.after(network.latency, [this, alive, id, bytes = std::string(bytes)] {
                    if (!alive.expired() && open_.contains(id)) {
                        const auto hear = open_[id].on_data;
                        hear(bytes);
                    }
                });
            };
            stream->end = [reply_later] {
                HttpReply reply;
                reply.status = 200;
                reply_later(std::move(reply));
            };
            stream->cut = [reply_later] { reply_later(without_server(true)); };
        }
        HttpReply reply = server->answer(request, request.url.substr(slash), stream);
        const bool stays_open = streams && reply.status == 200 && reply.body.empty();
        const bool is_lost = fault == Fault::LostReply || fault == Fault::Cut;
        if (streams && reply.status == 200 && fault != Fault::LostReply && !stays_open) {
            const std::string body = std::exchange(reply.body, {});
            const std::size_t half = body.size() / 2;
            stream->data(std::string_view(body).substr(0, half));
            stream->data(std::string_view(body).substr(half, is_lost ? 0 : body.size()));
        }
        if (!stays_open) {
            reply_later(is_lost ? without_server(request.method != "GET") : std::move(reply));
        }
    });
    return id;
}

void FakeResolver::resolve(const std::string& host, std::function<void(Resolution)> done) {
    ++network_.lookups[host];
    loop_.after(network_.lookup_time, [this, host, done = std::move(done)] {
        const auto found = network_.names.find(host);
        done(found == network_.names.end()
                 ? Resolution{.addresses = {}, .problem = "Host not found (authoritative)"}
                 : Resolution{.addresses = found->second});
    });
}

}  // namespace runtime
