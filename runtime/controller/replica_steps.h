// The steps of replicas: decides them (`decide`, pure), queues them (StepQueue), decides again and
// applies them (Apply). After a change it looks at the replicas that are affected.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/worker.h"
#include "runtime/controller/apply.h"
#include "runtime/controller/feature.h"
#include "runtime/controller/features.h"
#include "runtime/controller/keys/key_sweep.h"
#include "runtime/controller/keys/step_limit.h"
#include "runtime/controller/records/parent_events.h"
#include "runtime/controller/records/replica_removals.h"
#include "runtime/controller/step_queue.h"
#include "runtime/controller/view/replicas.h"

namespace runtime::controller {

class ReplicaSteps {
public:
    // All references outlive it. If `take_over_tag` is empty, nothing is taken over.
    ReplicaSteps(const FeatureContext& context, const std::string& take_over_tag,
                 Features& features);

    // Looks at these replicas soon, and at the features.
    void look(Changes changes);
    // Looks at all replicas, because time also changes decisions.
    void tick();
    // Returns why the replica is blocked, or "".
    [[nodiscard]] std::string problem_of(std::string_view pod) const;
    [[nodiscard]] bool is_removal_blocked() const { return removals_.is_blocked(); }

    struct Counts {
        std::size_t busy = 0;  // replicas that run a step
        std::uint64_t retries = 0;
        std::uint64_t keys_minted = 0;
    };
    [[nodiscard]] Counts counts() const;

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

    void plan_reconcile();
    void reconcile();
    void consider(const Changes& due, Replicas& replicas);
    [[nodiscard]] std::optional<Replica> find(Replicas& replicas, std::string_view pod) const;
    // Returns the step that may be taken now.
    std::optional<Step> next_step(const Replica& replica);
    bool may_take(const Replica& replica, const Step& step);
    void rest(const std::string& pod);
    void enqueue(const Replica& replica);
    void start_steps(Replicas& replicas);
    void start_step(const Replica& replica, const Step& step, const StepQueue::Turn& turn);
    [[nodiscard]] bool is_worth_telling(std::string_view pod, const Slot& slot) const;
    // Reports what in the cluster prevents the replica's next step.
    void block(const Replica& replica, std::string_view reason, const std::string& problem);
    void take_result(const std::string& pod, const Failure& failure);
    void report(const std::string& pod, const Failure& failure);

    FeatureContext context_;
    Features& features_;
    ParentEvents events_;
    ReplicaRemovals removals_;
    TakeOver take_over_;
    DeviceAnswers answers_;
    OwnDevices own_devices_;
    KeySweeps sweeps_;
    Apply apply_;

    Worker<std::string> attempts_;  // by pod: its steps
    std::map<std::string, Slot, std::less<>> slots_;
    StepQueue queue_;
    ReplicaLimits limits_;
    Changes due_;
    std::uint64_t retries_ = 0;
    std::uint64_t keys_minted_ = 0;
    bool is_planned_ = false;
};

}  // namespace runtime::controller
