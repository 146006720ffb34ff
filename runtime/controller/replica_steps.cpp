#include "runtime/controller/replica_steps.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/contract/group_config.h"

namespace runtime::controller {

using renderer::Value;

namespace {

constexpr Duration kFirstRetry = std::chrono::seconds(1);
constexpr Duration kLastRetry = std::chrono::minutes(2);
constexpr Duration kFailureLasts = std::chrono::minutes(5);
constexpr int kGlitches = 1;  // failures that are not reported

bool names_device(const Replica& replica) {
    return (replica.state != nullptr && !replica.state->device().empty()) ||
           (replica.auth != nullptr && !replica.auth->device.empty());
}

bool deletes_devices(const Step& step) {
    return std::holds_alternative<step::Remove>(step) ||
           std::holds_alternative<step::LeaveTailnet>(step) ||
           std::holds_alternative<step::RemoveState>(step);
}

StepLane lane_of(const Replica& replica, const Step& step) {
    if (deletes_devices(step)) {
        return StepLane::Remove;
    }
    if (std::holds_alternative<step::SetTags>(step)) {
        return StepLane::Tags;
    }
    const auto* mint = std::get_if<step::MintKey>(&step);
    if (mint != nullptr && mint->may_take_over) {
        return StepLane::FirstKey;
    }
    const bool is_asked = (replica.state != nullptr && replica.state->wants_key) ||
                          (replica.auth != nullptr && !replica.auth->restart_pod.empty());
    return mint != nullptr || is_asked ? StepLane::Reissue : StepLane::Prepare;
}

// True for a look for the device that the pod names beside its request.
bool is_asked_look(const Replica& replica, const Step& step) {
    return std::holds_alternative<step::LookForDevice>(step) && replica.state != nullptr &&
           replica.state->wants_key;
}

// Returns the namespace of its parent: "apps" for "Service/apps/web".
std::string_view namespace_of(const Replica& replica) {
    const std::string_view parent =
        replica.set == nullptr ? std::string_view() : replica.set->parent.view();
    const std::size_t first = parent.find('/');
    const std::size_t last = parent.rfind('/');
    return first == last ? std::string_view() : parent.substr(first + 1, last - first - 1);
}

}  // namespace

ReplicaSteps::ReplicaSteps(const FeatureContext& context, const std::string& take_over_tag,
                           Features& features)
    : context_(context),
      features_(features),
      events_(context.events, context.ledger, context.parents),
      removals_(context.loop, context.ledger, context.log),
      take_over_(context.loop, context.tailnets, take_over_tag,
                 {.user_of =
                      [&view = context.view](std::string_view tailnet, std::string_view device) {
                          return user_of(view, tailnet, device, "");
                      },
                  .tell = [this](const std::string& parent,
                                 const ParentEvent& event) { events_.tell(parent, event); }}),
      answers_(context.loop, context.tailnets),
      own_devices_(context.tailnets,
                   {.owner_of =
                        [&view = context.view](const DeviceClaim& claim) {
                            return owner_of(view, claim.tailnet, claim.device, claim.pod);
                        },
                    .user_of =
                        [&view = context.view](const DeviceClaim& claim) {
                            return user_of(view, claim.tailnet, claim.device, claim.pod);
                        },
                    .tell = [this](const std::string& parent,
                                   const ParentEvent& event) { events_.tell(parent, event); }}),
      sweeps_(context.loop, context.log, context.random, context.tailnets, context.view,
              context.owner),
      apply_(
          context.loop, context.kube, context.tailnets, context.view.ns(), context.view.api_ns(),
          sweeps_, take_over_, answers_, own_devices_,
          Written{.put = [&view = context.view](
                             const Value& secret) { view.wrote(view.source_of(secret), secret); },
                  .erased = [&view = context.view](
                                const Value& it) { view.erased(view.source_of(it), it); },
                  .tell = [this](const auto& parent,
                                 const auto& event) { events_.tell(parent, event); }}),
      attempts_(context.loop, context.random, {.first = kFirstRetry, .longest = kLastRetry},
                [this](const std::string& pod) { look({.pods = {pod}}); }) {}

void ReplicaSteps::look(Changes changes) {
    features_.add(changes);
    due_.add(std::move(changes));
    plan_reconcile();
}

void ReplicaSteps::tick() {
    due_.add({.everything = true});
    limits_.forget(context_.loop.uptime());
    plan_reconcile();
}

std::string ReplicaSteps::problem_of(std::string_view pod) const {
    const auto slot = slots_.find(pod);
    return slot != slots_.end() && is_worth_telling(pod, slot->second) ? slot->second.problem
                                                                       : std::string();
}

ReplicaSteps::Counts ReplicaSteps::counts() const {
    return {.busy = attempts_.busy(), .retries = retries_, .keys_minted = keys_minted_};
}

void ReplicaSteps::plan_reconcile() {
    if (!std::exchange(is_planned_, true)) {
        context_.loop.after(Duration(0), [this] {
            is_planned_ = false;
            reconcile();
        });
    }
}

void ReplicaSteps::reconcile() {
    features_.plan();
    if (!context_.view.own_complete()) {
        return due_.add({.everything = true});
    }
    sweeps_.run();
    // The sweep is the first request to the tailnet, also without proxies, so wrong credentials are
    // reported at once.
    if (const std::string problem = sweeps_.problem(); !problem.empty()) {
        events_.tell("", {.type = kube::EventType::Warning,
                          .reason = "CannotUseTailnet",
                          .message = "the controller's own tailnet: " + problem});
    }
    const Changes due = std::exchange(due_, {});
    Replicas replicas(context_.view);
    removals_.see(due, replicas, context_.events);
    consider(due, replicas);
    removals_.write_down();
    start_steps(replicas);
}

void ReplicaSteps::consider(const Changes& due, Replicas& replicas) {
    if (!due.everything) {
        for (const std::string& pod : due.pods) {
            const auto replica = find(replicas, pod);
            replica.has_value() ? enqueue(*replica) : queue_.drop(pod);
        }
        return;
    }
    replicas.each(
        [this, &replicas](const Replica& replica) { enqueue(*find(replicas, replica.pod_name)); });
    std::erase_if(slots_, [this, &replicas](const auto& slot) {
        const bool is_left =
            !attempts_.is_busy(slot.first) && !replicas.find(slot.first).has_value();
        if (is_left) {
            attempts_.forget(slot.first);
        }
        return is_left;
    });
}

std::optional<Replica> ReplicaSteps::find(Replicas& replicas, std::string_view pod) const {
    auto replica = replicas.find(pod);
    if (replica.has_value() && replica->state != nullptr) {
        replica->answer = answers_.find(tailnet_of(*replica), replica->state->device());
    }
    const auto slot = slots_.find(pod);
    if (replica.has_value() && slot != slots_.end() && slot->second.reason == kTagsFailed) {
        replica->tags_wait = context_.loop.uptime() - slot->second.failed_at < kLastRetry;
    }
    return replica;
}

std::optional<Step> ReplicaSteps::next_step(const Replica& replica) {
    const std::string pod(replica.pod_name);
    if (!attempts_.may_begin(pod) || !limits_.steps.may_begin(pod, context_.loop.uptime())) {
        return std::nullopt;
    }
    auto step = decide(replica, context_.loop.now(), context_.cleanup_delay);
    if (!step.has_value() && lacks_config(replica)) {
        block(replica, "NoConfiguration",
              fmt::format(
                  "ConfigMap \"{}{}\" with the key \"{}.hujson\" does not exist or cannot be read",
                  renderer::kGroupPrefix, replica.set->name, pod));
    } else if (!step.has_value() && lacks_https(replica)) {
        block(replica, kHttpsIsOff, std::string(kHttpsIsOffProblem));
    } else if (!step.has_value()) {
        rest(pod);
    }
    return step.has_value() && may_take(replica, *step) ? std::move(step) : std::nullopt;
}

// Ends a problem, because there is nothing to do. After recent failures the slot stays, so that the
// next one waits longer: a pod may change its reports again and again.
void ReplicaSteps::rest(const std::string& pod) {
    const auto slot = slots_.find(pod);
    if (slot == slots_.end()) {
        return;
    }
    slot->second.problem.clear();
    slot->second.is_blocked = false;
    if (attempts_.failures(pod) == 0 ||
        context_.loop.uptime() - slot->second.failed_at > kFailureLasts) {
        attempts_.forget(pod);
        slots_.erase(slot);
    }
}

bool ReplicaSteps::may_take(const Replica& replica, const Step& step) {
    const std::string pod(replica.pod_name);
    if (const auto* pod_step = std::get_if<step::DeletePod>(&step);
        pod_step != nullptr && slots_[pod].deleted_pod == pod_step->uid) {
        return false;  // the copy of the pods is out of date
    }
    if (std::holds_alternative<step::Remove>(step) &&
        !removals_.may_remove(pod, context_.cleanup_delay)) {
        return false;
    }
    if (std::holds_alternative<step::MintKey>(step) &&
        !limits_.mints.may_begin(pod, context_.loop.uptime())) {
        block(replica, "TooManyKeys",
              fmt::format(
                  "{} keys were created for it within minutes: the next one is created in a minute",
                  kAskedAtOnce));
        return false;
    }
    if (is_asked_look(replica, step) && !limits_.looks.may_begin(pod, context_.loop.uptime())) {
        return false;
    }
    const bool prepares_pod =
        std::holds_alternative<step::MintKey>(step) ||
        std::holds_alternative<step::CreateBlankAuth>(step) ||
        (std::holds_alternative<step::CreateState>(step) && is_wanted(replica));
    if (const std::string other = prepares_pod || (deletes_devices(step) && names_device(replica))
                                      ? operators_set(context_.view, replica)
                                      : std::string();
        !other.empty()) {
        block(replica, "OperatorStillServes",
              fmt::format("the operator's StatefulSet \"{}\" still serves {}", other,
                          replica.set == nullptr ? std::string_view("its parent")
                                                 : replica.set->parent.view()));
        return false;
    }
    return true;
}

void ReplicaSteps::enqueue(const Replica& replica) {
    const std::string pod(replica.pod_name);
    if (const auto step = next_step(replica)) {
        queue_.push(
            lane_of(replica, *step),
            {.ns = std::string(namespace_of(replica)), .tailnet = std::string(tailnet_of(replica))},
            pod);
    } else {
        queue_.drop(pod);
    }
}

void ReplicaSteps::start_steps(Replicas& replicas) {
    while (const auto turn = queue_.next()) {
        const auto replica = find(replicas, turn->pod);
        const auto step = replica.has_value() ? next_step(*replica) : std::nullopt;
        if (step.has_value()) {
            start_step(*replica, *step, *turn);
        } else {
            queue_.end(*turn);
        }
    }
}

void ReplicaSteps::start_step(const Replica& replica, const Step& step,
                              const StepQueue::Turn& turn) {
    const std::string pod(replica.pod_name);
    const auto* pod_step = std::get_if<step::DeletePod>(&step);
    const std::string pod_uid = pod_step == nullptr ? std::string() : pod_step->uid;
    const bool mints = std::holds_alternative<step::MintKey>(step);
    const Failure failure{.about = events_.reference(replica),
                          .reason = std::string(failure_reason(step))};
    context_.log.info("step", {{"proxy", pod}, {"step", describe(step)}});
    attempts_.begin(pod);
    limits_.steps.count(pod, context_.loop.uptime());
    if (is_asked_look(replica, step)) {
        limits_.looks.count(pod, context_.loop.uptime());
    }
    apply_.run(replica, step,
               [this, pod, mints, turn, pod_uid, failure](const std::string& problem) {
                   queue_.end(turn);
                   if (problem.empty()) {
                       slots_[pod].deleted_pod = pod_uid;
                   }
                   if (mints && problem.empty()) {
                       ++keys_minted_;
                       limits_.mints.count(pod, context_.loop.uptime());
                   }
                   Failure result = failure;
                   result.problem = problem;
                   take_result(pod, result);
               });
}

bool ReplicaSteps::is_worth_telling(std::string_view pod, const Slot& slot) const {
    return slot.is_blocked || attempts_.failures(pod) > kGlitches;
}

void ReplicaSteps::block(const Replica& replica, std::string_view reason,
                         const std::string& problem) {
    const std::string pod(replica.pod_name);
    slots_[pod].is_blocked = true;
    report(
        pod,
        {.about = events_.reference(replica), .reason = std::string(reason), .problem = problem});
}

void ReplicaSteps::take_result(const std::string& pod, const Failure& failure) {
    Slot& slot = slots_[pod];
    if (failure.problem.empty()) {
        slot.is_blocked = false;
        return attempts_.succeed(pod);
    }
    attempts_.fail(pod);
    slot.failed_at = context_.loop.uptime();
    slot.reason = failure.reason;
    ++retries_;
    report(pod, failure);
    plan_reconcile();  // so that others get its turn
}

void ReplicaSteps::report(const std::string& pod, const Failure& failure) {
    Slot& slot = slots_[pod];
    if (std::exchange(slot.problem, failure.problem) != failure.problem) {
        context_.log.warning("a proxy is blocked", {{"proxy", pod}, {"cause", failure.problem}});
    }
    if (is_worth_telling(pod, slot)) {
        features_.add({.pods = {pod}});
        features_.plan();
        context_.events.post(failure.about, kube::EventType::Warning, failure.reason,
                             fmt::format("{}: {}", pod, failure.problem));
    }
}

}  // namespace runtime::controller
