// What sessions share, with a tailscaled whose answer about callers a test sets.
#pragma once

#include <functional>
#include <string>

#include "runtime/api_proxy/shared.h"
#include "runtime/testing/fake_loop.h"
#include "runtime/testing/scripted_transport.h"

namespace runtime::api_proxy {

struct SharedForTest {
    class NoNames : public Resolver {
    public:
        void resolve(const std::string&, std::function<void(Resolution)>) override {}
    };

    FakeLoop loop;
    Log log{Log::Form::Json, LogLevel::Error};
    HttpReply whois{
        .status = 200,
        .body = R"({"Node":{"Name":"n.","Addresses":["100.64.0.7/32"],"Tags":["tag:a"]}})"};
    ScriptedTransport transport{loop, [this](const HttpRequest&) { return whois; }};
    localapi::LocalApi api{transport};
    Callers callers{loop, api};
    NoNames names;
    Upstream upstream{loop, names, {}};
    Shared shared{.loop = loop,
                  .log = log,
                  .callers = callers,
                  .upstream = upstream,
                  .socket = "/nonexistent/tailscaled.sock"};
};

}  // namespace runtime::api_proxy
