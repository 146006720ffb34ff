// A controller as one process in a test's world; its memory is lost when it ends.
#pragma once

#include <chrono>
#include <string>

#include "runtime/base/patient_transport.h"
#include "runtime/controller/controller.h"
#include "runtime/testing/fake_cluster.h"

namespace runtime {

inline tailnet::TailnetSettings fake_tailnet_settings() {
    return {.server = "https://tailnet",
            .token_server = "https://tailnet",
            .ca_file = "",
            .credentials = [](const auto& done) {
                done(tailnet::token_request("id", "tskey-client-secret", "the test"));
            }};
}

inline renderer::Result<controller::Account> fake_account() {
    return controller::Account{.ns = std::string(FakeCluster::kNamespace),
                               .name = "operator",
                               .audiences = {"https://kubernetes.default.svc"}};
}

struct ControllerProcess {
    ControllerProcess(FakeLoop& world, FakeNetwork& network, std::uint64_t seed,
                      const std::string& take_over_tag = {}, const std::string& api_ns = {})
        : loop(world),
          transport(network),
          resolver(loop, network),
          patient(loop, transport),
          log(Log::Form::Text, LogLevel::Error),
          random(seed),
          kube(patient, {.server = "https://kube", .ca_file = "", .token_file = ""}),
          controller(loop, transport, resolver, kube, log, random,
                     {.ns = std::string(FakeCluster::kNamespace),
                      .api_ns = api_ns,
                      .cleanup_delay = std::chrono::minutes(5),
                      .take_over_tag = take_over_tag,
                      .tailnet = fake_tailnet_settings(),
                      .account = fake_account}) {
        controller.start();
    }

    ProcessLoop loop;
    FakeTransport transport;
    FakeResolver resolver;
    PatientTransport patient;
    Log log;
    RandomSource random;
    kube::Client kube;
    controller::Controller controller;
};

}  // namespace runtime
