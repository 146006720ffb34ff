// Leader election by a Lease (coordination.k8s.io/v1), with the rules of client-go. The holder
// renews the Lease before its time is over. Another instance takes it after it has seen the Lease
// unchanged for that time. The clocks of two instances are never compared.
//
// The loss of the Lease is final: the process must exit, so that nothing that it began goes on.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/log.h"
#include "runtime/kube/client.h"

namespace runtime::kube {

inline constexpr Duration kLeaseDuration = std::chrono::seconds(15);
inline constexpr Duration kLeaseRenewal = std::chrono::seconds(3);  // between renewals
inline constexpr Duration kLeaseRetry =
    std::chrono::seconds(2);  // while another instance holds it, and after a failure
inline constexpr Duration kLeaseDeadline =
    std::chrono::seconds(10);  // without a renewal the Lease is lost

class Lease {
public:
    // `identity` is unique to this process.
    Lease(Loop& loop, Client& client, Log& log, std::string ns, std::string name,
          std::string identity);

    // Calls `on_lead` when the Lease is acquired, `on_lost` when it is lost; each at most once.
    void start(std::function<void()> on_lead, std::function<void()> on_lost);
    // Gives the Lease up through this client, so that the next instance need not wait, and then
    // calls `done`. Another instance may lead from then on: nothing else of this process may run.
    void release(Client& client, std::function<void()> done);
    [[nodiscard]] bool leads() const { return leads_; }

private:
    void look();
    void take_seen(Reply reply);
    void write(renderer::Value lease, bool is_new);
    void take_written(const Reply& reply);
    void check_deadline();
    void lose();
    void again_in(Duration delay);
    [[nodiscard]] renderer::Value fields(std::int64_t transitions, std::string_view acquired) const;

    Loop& loop_;
    Client& client_;
    Log& log_;
    std::string ns_, name_, identity_;
    std::function<void()> on_lead_, on_lost_;

    bool leads_ = false;
    bool ended_ = false;
    std::string seen_;  // version and holder at the last change that we saw
    // Uptimes.
    Duration seen_at_ = {};
    Duration renewed_at_ = {};  // when our last successful write was sent
    Duration sent_at_ = {};
    renderer::Value current_;  // as on the server, while we lead; null: unknown
};

}  // namespace runtime::kube
