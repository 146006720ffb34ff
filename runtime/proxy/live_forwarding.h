// The rules of the kernel: what the environment and the files of groups request, for the addresses
// that the tailnet and DNS have now.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/dns/lookup.h"
#include "runtime/dns/resolved_name.h"
#include "runtime/localapi/tailnet_view.h"
#include "runtime/nft/reconciler.h"
#include "runtime/nft/rule_watch.h"
#include "runtime/proxy/forwarding.h"
#include "runtime/proxy/group_files.h"

namespace runtime::proxy {

class LiveForwarding {
public:
    struct Peers {
        Loop& loop;
        Log& log;
        RandomSource& random;
        nft::Dataplane& rules;
        dns::Lookup* lookup;  // null when no DNS name is forwarded to
        bool has_v6;          // the kernel supports IPv6
    };
    struct Listener {
        std::function<void()> on_applied;    // the rules are live
        std::function<void()> on_addresses;  // of the DNS name: plan again
    };
    // All references outlive it.
    LiveForwarding(const Peers& peers, const Environment& environment,
                   const localapi::TailnetView& view, const GroupFiles& groups, Listener listener);

    enum class Planned {
        Done,
        Unknown,  // the rules need something that is not known yet; the old ones stay
        Failed    // `failure` says why
    };
    Planned plan(const localapi::TailnetNode& self);
    [[nodiscard]] const std::string& failure() const { return failure_; }
    // True if the rules that were planned last are live.
    [[nodiscard]] bool is_live() const { return is_planned_ && rules_.is_applied(); }
    [[nodiscard]] bool is_applied() const { return rules_.is_applied(); }
    [[nodiscard]] const EgressTargets& programmed() const { return programmed_; }

private:
    [[nodiscard]] bool are_destinations_known() const {
        return environment_.dest_dns_name.empty() || !destinations_.empty();
    }
    void ensure_forwarding(const nft::Forwarding& forwarding);
    bool find_target(ForwardingInput& input);
    void find_egress(ForwardingInput& input);
    void warn_once(const std::string& warning);

    Peers peers_;
    const Environment& environment_;
    const localapi::TailnetView& view_;
    const GroupFiles& groups_;
    nft::Reconciler rules_;
    nft::RuleWatch rule_watch_;
    std::unique_ptr<dns::ResolvedName> destination_;
    std::vector<IpAddress> destinations_, targets_;
    EgressTargets programmed_;
    nft::Families forwarded_;  // the families that this process enabled in the kernel
    std::string failure_;
    bool is_planned_ = false;  // rules were passed to rules_
    std::set<std::string> warned_;
};

}  // namespace runtime::proxy
