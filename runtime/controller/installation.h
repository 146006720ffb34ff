// Finds out the id of this installation, which marks its keys and Tailscale Services in tailnets,
// from the ledger and the table of addresses. Creates the ledger if it does not exist.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/log.h"
#include "runtime/base/loop.h"
#include "runtime/kube/client.h"

namespace runtime::controller {

class Installation {
public:
    using Found = std::function<void(const std::string& mark)>;

    // All references outlive it. `ns` is the controller's namespace.
    Installation(Loop& loop, kube::Client& kube, Log& log, std::string ns)
        : loop_(loop), kube_(kube), log_(log), ns_(std::move(ns)) {}

    // Tries until it knows the mark.
    void find(Found found);

private:
    void read();
    void read_ledger(const renderer::Value& table);
    void read_again(const kube::Reply& reply);

    Loop& loop_;
    kube::Client& kube_;
    Log& log_;
    std::string ns_;
    Found found_;
};

}  // namespace runtime::controller
