#include "renderer/access/policy_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace renderer::access {
namespace {

// Without a protocol, TCP or UDP is enough.
std::vector<int> protocols_of(const Test& test) {
    return test.protocol < 0 ? std::vector{kTcp, kUdp} : std::vector{test.protocol};
}

void judge(const Test& test, const Destination& destination, Pos pos, bool is_accepted,
           const Evaluator& evaluator, Diagnostics& diagnostics) {
    Match match = Match::No;
    for (const int protocol : protocols_of(test)) {
        Destination wanted = destination;
        std::ranges::for_each(wanted.traffic, [&](Traffic& one) { one.protocol = protocol; });
        match = std::max(match, evaluator.reaches(test.source, wanted));
    }
    if (match == (is_accepted ? Match::Yes : Match::No)) {
        return;
    }
    const std::string ends =
        fmt::format("\"{}\" {} \"{}\"", test.source.text, is_accepted ? "to reach" : "not to reach",
                    destination.selector.text);
    if (match == Match::Unknown) {
        diagnostics
            .warning("policy-test-unknown", pos,
                     "the policy does not say enough to decide its own test")
            .expected(ends)
            .note({.pos = test.pos, .text = "of this test"});
        return;
    }
    diagnostics.error("policy-test", pos, "the policy fails its own test")
        .found(match == Match::No     ? "no rule that allows it"
               : match == Match::Part ? "a rule that allows some of it"
                                      : "a rule that allows it")
        .expected(ends)
        .note({.pos = test.pos, .text = "of this test"});
}

}  // namespace

void run_tests(const Policy& policy, const Evaluator& evaluator, Diagnostics& diagnostics) {
    for (const Test& test : policy.tests) {
        for (const auto& [destination, pos] : test.accept) {
            judge(test, destination, pos, true, evaluator, diagnostics);
        }
        for (const auto& [destination, pos] : test.deny) {
            judge(test, destination, pos, false, evaluator, diagnostics);
        }
    }
}

}  // namespace renderer::access
