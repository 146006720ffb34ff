// Leader election by a Lease (coordination.k8s.io/v1), by the rules of client-go's: who holds the
// Lease writes it before its time is over; others take it when they have seen it unchanged for that
// time. The holder's clock and ours are never compared.
//
// Losing it is final: the process is expected to end, so that nothing that was begun goes on.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/log.h"
#include "runtime/kube/client.h"

namespace runtime {

inline constexpr Duration kLeaseDuration = std::chrono::seconds(15);
inline constexpr Duration kLeaseRenewal = std::chrono::seconds(3);  // while all is well
inline constexpr Duration kLeaseRetry =
    std::chrono::seconds(2);  // while someone else holds it, and after a failure
inline constexpr Duration kLeaseDeadline =
    std::chrono::seconds(10);  // without a renewal it counts as lost

class Lease {
public:
    // `identity` is unique to this process.
    Lease(Loop& loop, KubeClient& client, Log& log, std::string ns, std::string name,
          std::string identity);

    // `on_lead` is called once we hold it, `on_lost` once we do no longer. Each at most once.
    void start(std::function<void()> on_lead, std::function<void()> on_lost);
    // Gives it back through this client, so that the next one need not wait; then calls `done`.
    // Others may lead from then on: nothing else of this process may run any more.
    void release(KubeClient& client, std::function<void()> done);
    [[nodiscard]] bool leads() const { return leads_; }

private:
    void look();
    void take_seen(KubeReply reply);
    void write(renderer::Value lease, bool is_new);
    void take_written(const KubeReply& reply);
    void check_deadline();
    void lose();
    void again_in(Duration delay);
    [[nodiscard]] renderer::Value fields(std::int64_t transitions, std::string_view acquired) const;

    Loop& loop_;
    KubeClient& client_;
    Log& log_;
    std::string ns_, name_, identity_;
    std::function<void()> on_lead_, on_lost_;

    bool leads_ = false;
    bool ended_ = false;
    std::string seen_;  // version and holder when we last saw a change
    // Uptimes.
    Duration seen_at_ = {};
    Duration renewed_at_ = {};  // when the last write of ours that succeeded was sent
    Duration sent_at_ = {};
    renderer::Value current_;  // as the server has it, while we lead; null: not known
};

}  // namespace runtime
