// Fake servers and the network to them, in one FakeLoop. A request that was sent reaches its server
// even if the sender has ended meanwhile. Tests can inject faults.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/base/resolver.h"
#include "runtime/base/transport.h"
#include "runtime/testing/fake_loop.h"

namespace runtime {

// How a server streams its reply, or breaks the connection.
struct Stream {
    // For a request that reads its body piece by piece: call `data` as often as needed, then `end`.
    std::function<void(std::string_view)> data;
    std::function<void()> end;
    std::function<void()> cut;  // breaks the connection
};

HttpReply json_reply(int status, const renderer::Value& body);

class FakeServer {
public:
    FakeServer() = default;
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;
    virtual ~FakeServer() = default;

    // `path` begins after the server's name. A streamed request that is answered with status 200
    // and no body stays open.
    virtual HttpReply answer(const HttpRequest& request, const std::string& path,
                             const std::shared_ptr<Stream>& stream) = 0;
};

enum class Fault {
    None,
    Refused,    // the request never reaches the server
    LostReply,  // the request is done, but its reply is lost
    Cut,        // the connection ends in the middle of the reply
    Busy,       // 429
    Broken,     // 500, nothing done
    Slow,       // takes twenty times as long
    Hung        // no answer until the caller's timeout
};

class FakeNetwork {
public:
    explicit FakeNetwork(FakeLoop& loop) : loop_(loop) {}

    void add(std::string url, FakeServer& server) { servers_[std::move(url)] = &server; }
    // Returns the fault of each request.
    std::function<Fault(const HttpRequest&)> fault = [](const HttpRequest&) { return Fault::None; };
    Duration latency = Duration(2);

    struct Sent {
        std::string method, url;
    };
    std::vector<Sent> log;

    // Addresses by name; no others can be resolved.
    std::map<std::string, std::vector<std::string>> names;
    Duration lookup_time = Duration(20);
    std::map<std::string, int> lookups;  // how often each name was looked up

private:
    friend class FakeTransport;
    FakeLoop& loop_;
    std::map<std::string, FakeServer*> servers_;
};

// The network as one process sees it.
class FakeTransport : public Transport {
public:
    explicit FakeTransport(FakeNetwork& network) : network_(network) {}

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override;
    void cancel(RequestId id) override { open_.erase(id); }

private:
    struct Exchange {
        std::function<void(HttpReply)> done;
        std::function<void(std::string_view)> on_data;
    };
    void finish(RequestId id, HttpReply reply);

    FakeNetwork& network_;
    RequestId next_ = 1;
    std::map<RequestId, Exchange> open_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

// The names of the network, as one process with that loop sees them.
class FakeResolver : public Resolver {
public:
    FakeResolver(Loop& loop, FakeNetwork& network) : loop_(loop), network_(network) {}

    void resolve(const std::string& host, std::function<void(Resolution)> done) override;

private:
    Loop& loop_;
    FakeNetwork& network_;
};

}  // namespace runtime
