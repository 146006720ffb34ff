// Runs of `adopt` in a test's world, until they end or are killed.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "runtime/adopt/adopt.h"
#include "runtime/testing/adopt_world.h"

namespace runtime {

// One run of the program; its memory is lost when it ends.
struct Run {
    Run(FakeLoop& world, FakeNetwork& network)
        : loop(world),
          transport(network),
          kube(transport, {.server = "https://kube", .ca_file = "", .token_file = ""}),
          context{loop, kube, std::string(FakeCluster::kNamespace),
                  [this](const std::string& line) { said += line + "\n"; }} {}

    Next done() {
        return [this](const std::string& its_problem) {
            ended = true;
            problem = its_problem;
        };
    }

    ProcessLoop loop;
    FakeTransport transport;
    kube::Client kube;
    std::string said, problem;
    bool ended = false;
    operate::OperateContext context;
};

using Verb = std::function<void(const operate::OperateContext&, Next)>;

inline void plain_adopt(const operate::OperateContext& context, Next done) {
    adopt::adopt(context, {}, std::move(done));
}

// Runs a verb to its end, and returns "" or its problem.
inline std::string run_to_end(World& world, const Verb& verb, std::string* said = nullptr) {
    Run run(world.loop, world.network);
    verb(run.context, run.done());
    const Duration end = world.loop.uptime() + 30 * kMinute;
    while (!run.ended && world.loop.step(end)) {
    }
    EXPECT_TRUE(run.ended);
    world.loop.run_for(5 * kSecond);
    if (said != nullptr) {
        *said = run.said;
    }
    return run.problem;
}

// Runs a verb, and kills the process before it sends one request more than `requests`. Returns
// false if the verb needed no more.
inline bool run_and_kill(World& world, const Verb& verb, int requests) {
    auto run = std::make_unique<Run>(world.loop, world.network);
    int left = requests;
    bool killed = false;
    struct Counting : Transport {
        Counting(Transport& its_inner, int& its_left, bool& its_killed)
            : inner(its_inner), left(its_left), killed(its_killed) {}
        RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                       std::function<void(std::string_view)> on_data) override {
            killed = killed || left-- == 0;
            return killed ? 0 : inner.send(std::move(request), std::move(done), std::move(on_data));
        }
        void cancel(RequestId id) override { inner.cancel(id); }
        Transport& inner;
        int& left;
        bool& killed;
    };
    Counting counting(run->transport, left, killed);
    kube::Client kube(counting, {.server = "https://kube", .ca_file = "", .token_file = ""});
    const operate::OperateContext context{run->loop, kube, run->context.ns, run->context.say};
    verb(context, run->done());
    const Duration end = world.loop.uptime() + 30 * kMinute;
    while (!killed && !run->ended && world.loop.step(end)) {
    }
    run.reset();
    return killed;
}

}  // namespace runtime
