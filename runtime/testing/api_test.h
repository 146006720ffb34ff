// A tailnet::Api for a fake tailnet, and a server that is too busy to answer.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/tailnet/api.h"
#include "runtime/testing/fake_tailnet.h"

namespace runtime {

inline constexpr const char* kPlace = "client_id and client_secret in Secret \"tailscale/partner\"";

class BusyServer : public FakeServer {
public:
    HttpReply answer(const HttpRequest&, const std::string&,
                     const std::shared_ptr<Stream>&) override {
        ++asked;
        HttpReply reply;
        reply.status = status;
        reply.retry_after = std::chrono::seconds(30);
        return reply;
    }
    int status = 429;
    int asked = 0;
};

class ApiTest : public testing::Test {
protected:
    ApiTest() { network.add("https://tailnet", tailnet); }

    tailnet::Done keep(tailnet::Reply& reply) {
        return [this, &reply](tailnet::Reply got) {
            reply = std::move(got);
            ++answers;
        };
    }
    tailnet::Api api_with(tailnet::Credentials credentials) {
        return {loop,
                transport,
                log,
                random,
                {.server = "https://tailnet",
                 .token_server = "https://tailnet",
                 .ca_file = "",
                 .credentials = std::move(credentials)}};
    }
    std::size_t requests(std::string_view part) {
        std::size_t count = 0;
        for (const auto& sent : network.log) {
            count += sent.url.find(part) != std::string::npos ? 1 : 0;
        }
        return count;
    }

    FakeLoop loop;
    FakeNetwork network{loop};
    FakeTailnet tailnet{loop};
    FakeTransport transport{network};
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    std::string secret = "tskey-client-secret";
    tailnet::Api api =
        api_with([this](const auto& done) { done(tailnet::token_request("id", secret, kPlace)); });
    int answers = 0;
};

}  // namespace runtime
