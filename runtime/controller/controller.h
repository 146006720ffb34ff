// The controller: gives every proxy its state and auth Secret, renews the keys in them, and removes
// the devices of deleted proxies. It reads the cluster (ClusterView), decides (`decide`, pure),
// queues a step (StepQueue), decides again and applies the step. It keeps the state that it decides
// by only in the cluster and in the tailnet. After a change it looks at the replicas that are
// affected, and every ten seconds at all of them, because time also changes decisions. Features
// (feature.h) do the rest.
//
// It writes only Secrets, ConfigMaps and Events that it has created itself, and no field of other
// objects.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "runtime/base/worker.h"
#include "runtime/controller/apply.h"
#include "runtime/controller/feature.h"
#include "runtime/controller/keys/key_sweep.h"
#include "runtime/controller/keys/step_limit.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/controller/records/removal_guard.h"
#include "runtime/controller/step_queue.h"
#include "runtime/controller/view/cluster_view.h"
#include "runtime/controller/view/population.h"
#include "runtime/controller/view/replicas.h"
#include "runtime/kube/events.h"

namespace runtime::controller {

struct ControllerSettings {
    std::string ns;
    std::string api_ns = {};  // the API proxy's own namespace; empty: it has none
    Duration cleanup_delay = std::chrono::minutes(5);
    std::string take_over_tag = {};           // empty: nothing is taken over
    std::string ingress_class = "tailscale";  // name of the class that is served
    tailnet::TailnetSettings tailnet;         // the controller's own
    OwnAccount account;
};

class Controller {
public:
    // All references outlive the controller. It begins with `start`, once it may write.
    Controller(Loop& loop, Transport& transport, Resolver& resolver, kube::Client& kube, Log& log,
               RandomSource& random, ControllerSettings settings);
    ~Controller();
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    void start();

    // For metrics and tests.
    struct Counts {
        std::size_t replicas = 0;  // wanted
        std::size_t busy = 0;      // that run a step
        std::array<std::size_t, kDeviceStates> devices{};
        std::uint64_t retries = 0;
        std::uint64_t keys_minted = 0;
        std::size_t keys_expiring = 0;
        bool blocks_proxies = false;  // removals of proxies
        bool blocks_services = false;
    };
    [[nodiscard]] Counts counts() const;
    // True if the controller has seen the whole cluster.
    [[nodiscard]] bool is_ready() const { return view_.complete(); }

private:
    // What is remembered of a replica between steps.
    struct Slot {
        bool is_blocked = false;
        std::string deleted_pod;  // UID
        std::string problem;      // the last one
        std::string reason;       // of the step that last failed
        Duration failed_at = {};  // uptime
    };

    // A problem and the object that its Event is about.
    struct Failure {
        kube::ObjectRef about;
        std::string reason;
        std::string problem = {};
    };

    void read_owner();
    void read_ledger(const renderer::Value& table);
    void read_owner_again(const kube::Reply& reply);
    void begin(const std::string& owner);
    void tick();
    void look(Changes changes);
    void plan_reconcile();
    void reconcile();
    void see(const Changes& due, Replicas& replicas);
    void ask_guard();
    void consider(const Changes& due, Replicas& replicas);
    void plan_features();
    [[nodiscard]] std::optional<Replica> find(Replicas& replicas, std::string_view pod) const;
    // Returns the step that may be taken now.
    std::optional<Step> next_step(const Replica& replica);
    bool may_take(const Replica& replica, const Step& step);
    void rest(const std::string& pod);
    void enqueue(const Replica& replica);
    void start_steps(Replicas& replicas);
    void start_step(const Replica& replica, const Step& step, const StepQueue::Turn& turn);
    // `parent` is empty if the parent was deleted.
    [[nodiscard]] kube::ObjectRef reference(std::string_view parent) const;
    [[nodiscard]] kube::ObjectRef reference(const Replica& replica) const;
    void tell(std::string_view parent, const ParentEvent& event);
    [[nodiscard]] bool is_worth_telling(std::string_view pod, const Slot& slot) const;
    // Reports what in the cluster prevents the replica's next step.
    void block(const Replica& replica, std::string_view reason, const std::string& problem);
    void take_result(const std::string& pod, const Failure& failure);
    void report(const std::string& pod, const Failure& failure);

    Loop& loop_;
    Resolver& resolver_;
    kube::Client& kube_;
    Log& log_;
    RandomSource& random_;
    ControllerSettings settings_;

    ClusterView view_;
    Tailnets tailnets_;
    kube::Events events_;
    ObjectEditor editor_;
    Ledger ledger_;
    Parents parents_;
    StatusWriter status_;
    RemovalGuard guard_, service_guard_;
    std::vector<std::unique_ptr<Feature>> features_;
    TakeOver take_over_;
    DeviceAnswers answers_;
    OwnDevices own_devices_;
    std::unique_ptr<KeySweeps> sweeps_;
    std::unique_ptr<Apply> apply_;

    Worker<std::string> attempts_;  // by pod: its steps
    std::map<std::string, Slot, std::less<>> slots_;
    Population population_;
    StepQueue queue_;
    StepLimit steps_{kReplicaStepsAtOnce, kReplicaStepPause};
    StepLimit mints_{kAskedAtOnce, kAskedPause};
    StepLimit looks_{kAskedAtOnce, kAskedPause};
    Changes due_, features_due_;
    std::uint64_t retries_ = 0;
    std::uint64_t keys_minted_ = 0;
    std::uint64_t ticks_ = 0;
    bool reconcile_is_planned_ = false;
    bool features_are_planned_ = false;
};

}  // namespace runtime::controller
