// Renews the certificates that the pods of a group share, in the one pod that writes them. A
// request to tailscaled for a certificate orders or renews it if it is due, and only then, also
// after a restart.
// Source: tailscale v1.104.5 kube/certs/certs.go.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/base/weakly.h"
#include "runtime/localapi/client.h"

namespace runtime::proxy {

// Returns the delay after the n-th failure in a row (n = 1, 2, …), as Let's Encrypt advises.
Duration certificate_retry(int failures);

class Certificates {
public:
    // All references outlive it.
    Certificates(Loop& loop, localapi::LocalApi& api, Log& log)
        : loop_(loop), api_(api), log_(log) {}
    ~Certificates();
    Certificates(const Certificates&) = delete;
    Certificates& operator=(const Certificates&) = delete;

    // Sets the domains that the tailnet issues certificates for. No other domain is requested.
    void allow(const std::vector<std::string>& domains);
    // Sets the domains whose certificates are kept fresh, and drops all others.
    void keep(const std::vector<std::string>& domains);

private:
    struct Domain {
        TimerId timer = 0;
        bool is_asking = false;
        int failures = 0;
    };
    void start_waiting();
    void ask(const std::string& name);
    void take(const std::string& name, const localapi::LocalReply& reply);

    Loop& loop_;
    localapi::LocalApi& api_;
    Log& log_;
    std::set<std::string> allowed_;
    std::map<std::string, Domain> domains_;
    Lifetime lifetime_;
};

}  // namespace runtime::proxy
