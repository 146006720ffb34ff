#include "runtime/controller/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/group_config.h"

namespace runtime::controller {

using renderer::Value;

namespace {

constexpr Duration kTick = std::chrono::seconds(10);  // for what depends on time alone
constexpr Duration kFirstRetry = std::chrono::seconds(1);
constexpr Duration kLastRetry = std::chrono::minutes(2);

constexpr Duration kFeaturePause = std::chrono::milliseconds(50);  // one look for many changes
constexpr std::uint64_t kTicksBetweenWholeLooks = 60;
constexpr Duration kYoungInstallation = std::chrono::hours(24);
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

Controller::Controller(Loop& loop, Transport& transport, Resolver& resolver, kube::Client& kube,
                       Log& log, RandomSource& random, ControllerSettings settings)
    : loop_(loop),
      resolver_(resolver),
      kube_(kube),
      log_(log),
      random_(random),
      settings_(std::move(settings)),
      view_(loop, kube, log, random, settings_.ns, settings_.api_ns),
      tailnets_(loop, transport, kube, log, random, settings_.ns, settings_.tailnet,
                settings_.account, view_.tailnet_configs()),
      events_(loop, kube, log),
      editor_(loop, kube, log, random, view_),
      ledger_(view_, editor_),
      parents_(view_),
      status_(loop, editor_),
      guard_(ledger_, log, {.blocked = kBlockedKey, .removed = kRemovedKey}, "proxies"),
      service_guard_(ledger_, log, {.blocked = kBlockedServicesKey, .removed = kRemovedServicesKey},
                     "Tailscale Services"),
      take_over_(loop, tailnets_, settings_.take_over_tag,
                 {.user_of =
                      [this](std::string_view tailnet, std::string_view device) {
                          return user_of(view_, tailnet, device, "");
                      },
                  .tell = [this](const std::string& parent,
                                 const ParentEvent& event) { tell(parent, event); }}),
      answers_(loop, tailnets_),
      own_devices_(tailnets_,
                   {.owner_of =
                        [this](const DeviceClaim& claim) {
                            return owner_of(view_, claim.tailnet, claim.device, claim.pod);
                        },
                    .user_of =
                        [this](const DeviceClaim& claim) {
                            return user_of(view_, claim.tailnet, claim.device, claim.pod);
                        },
                    .tell = [this](const std::string& parent,
                                   const ParentEvent& event) { tell(parent, event); }}),
      attempts_(loop, random, {.first = kFirstRetry, .longest = kLastRetry},
                [this](const std::string& pod) { look({.pods = {pod}}); }) {
    view_.on_change([this](Changes changes) { look(std::move(changes)); });
}

Controller::~Controller() = default;

void Controller::start() {
    read_owner();
}

void Controller::read_owner() {
    kube_.get(kube::path_of(kube::kConfigMaps, settings_.ns, renderer::kIngressAddresses),
              [this](const kube::Reply& reply) {
                  if (reply.ok() || reply.not_found()) {
                      return read_ledger(reply.object);
                  }
                  read_owner_again(reply);
              });
}

void Controller::read_ledger(const Value& table) {
    const auto take =
        [this, table = std::make_shared<const Value>(table.clone())](const kube::Reply& reply) {
            reply.ok() ? begin(mark_of(reply.object, *table)) : read_owner_again(reply);
        };
    const auto take_or_create = [this, take](const kube::Reply& reply) {
        const std::string path = kube::path_of(kube::kConfigMaps, settings_.ns);
        reply.not_found() ? kube_.create(path, empty_ledger(settings_.ns), take) : take(reply);
    };
    kube_.get(kube::path_of(kube::kConfigMaps, settings_.ns, kLedgerName), take_or_create);
}

void Controller::read_owner_again(const kube::Reply& reply) {
    log_.warning("cannot read the id of this installation", {{"cause", reply.message}});
    loop_.after(kFirstRetry, [this] { read_owner(); });
}

void Controller::begin(const std::string& owner) {
    sweeps_ = std::make_unique<KeySweeps>(loop_, log_, random_, tailnets_, view_, owner);
    apply_ = std::make_unique<Apply>(
        loop_, kube_, tailnets_, settings_.ns, settings_.api_ns, *sweeps_, take_over_, answers_,
        own_devices_,
        Written{
            .put = [this](const Value& secret) { view_.wrote(view_.source_of(secret), secret); },
            .erased = [this](const Value& it) { view_.erased(view_.source_of(it), it); },
            .tell = [this](const auto& parent, const auto& event) { tell(parent, event); }});
    features_ =
        make_features({.loop = loop_,
                       .resolver = resolver_,
                       .kube = kube_,
                       .log = log_,
                       .random = random_,
                       .view = view_,
                       .tailnets = tailnets_,
                       .events = events_,
                       .parents = parents_,
                       .status = status_,
                       .ledger = ledger_,
                       .editor = editor_,
                       .problem_of =
                           [this](std::string_view pod) {
                               const auto slot = slots_.find(pod);
                               return slot != slots_.end() && is_worth_telling(pod, slot->second)
                                          ? slot->second.problem
                                          : std::string();
                           },
                       .service_guard = service_guard_,
                       .owner = owner,
                       .ingress_class = settings_.ingress_class,
                       .cleanup_delay = settings_.cleanup_delay});
    view_.start();
    tick();
}

void Controller::tick() {
    due_.add({.everything = true});
    for (StepLimit* limit : {&steps_, &mints_, &looks_}) {
        limit->forget(loop_.uptime());
    }
    if (++ticks_ % kTicksBetweenWholeLooks == 0) {
        features_due_.add({.everything = true});
    }
    plan_reconcile();
    loop_.after(kTick, [this] { tick(); });
}

void Controller::look(Changes changes) {
    features_due_.add(changes);
    due_.add(std::move(changes));
    plan_reconcile();
}

void Controller::plan_reconcile() {
    if (!std::exchange(reconcile_is_planned_, true)) {
        loop_.after(Duration(0), [this] {
            reconcile_is_planned_ = false;
            reconcile();
        });
    }
}

void Controller::plan_features() {
    if (!view_.complete() || std::exchange(features_are_planned_, true)) {
        return;
    }
    loop_.after(kFeaturePause, [this] {
        features_are_planned_ = false;
        const Changes changes = std::exchange(features_due_, {});
        for (const auto& feature : features_) {
            feature->reconcile(changes);
        }
    });
}

void Controller::reconcile() {
    plan_features();
    if (!view_.own_complete()) {
        return due_.add({.everything = true});
    }
    sweeps_->run();
    // The sweep is the first request to the tailnet, also without proxies, so wrong credentials are
    // reported at once.
    if (const std::string problem = sweeps_->problem(); !problem.empty()) {
        events_.post(ledger_.reference(), kube::EventType::Warning, "CannotUseTailnet",
                     "the controller's own tailnet: " + problem);
    }
    const Changes due = std::exchange(due_, {});
    Replicas replicas(view_);
    see(due, replicas);
    ask_guard();
    consider(due, replicas);
    guard_.write_down();
    start_steps(replicas);
}

void Controller::see(const Changes& due, Replicas& replicas) {
    const LedgerCopy* ledger = ledger_.copy();
    const bool counts_all = ledger == nullptr || !ledger->made_at.has_value() ||
                            loop_.now() - *ledger->made_at < kYoungInstallation;
    const auto see_one = [this, counts_all](const Replica& replica) {
        population_.see(replica, loop_.now(), loop_.uptime(), counts_all);
    };
    if (due.everything) {
        population_.begin_all();
        replicas.each(see_one);
        return population_.end_all();
    }
    for (const std::string& pod : due.pods) {
        const auto replica = replicas.find(pod);
        replica.has_value() ? see_one(*replica) : population_.forget(pod);
    }
}

void Controller::ask_guard() {
    Departures departures{
        .wanted = static_cast<std::size_t>(population_.wanted() - population_.wanted_young()),
        .wanted_young = static_cast<std::size_t>(population_.wanted_young())};
    for (const auto& [pod, leaver] : population_.leaving()) {
        (leaver.is_young ? departures.young : departures.leaving).insert(pod);
    }
    guard_.ask(std::move(departures), loop_.now());
    guard_.tell(events_);
}

void Controller::consider(const Changes& due, Replicas& replicas) {
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

std::optional<Replica> Controller::find(Replicas& replicas, std::string_view pod) const {
    auto replica = replicas.find(pod);
    if (replica.has_value() && replica->state != nullptr) {
        replica->answer = answers_.find(tailnet_of(*replica), replica->state->device());
    }
    const auto slot = slots_.find(pod);
    if (replica.has_value() && slot != slots_.end() && slot->second.reason == kTagsFailed) {
        replica->tags_wait = loop_.uptime() - slot->second.failed_at < kLastRetry;
    }
    return replica;
}

std::optional<Step> Controller::next_step(const Replica& replica) {
    const std::string pod(replica.pod_name);
    if (!attempts_.may_begin(pod) || !steps_.may_begin(pod, loop_.uptime())) {
        return std::nullopt;
    }
    auto step = decide(replica, loop_.now(), settings_.cleanup_delay);
    if (!step.has_value() && lacks_config(replica)) {
        block(replica, "NoConfiguration",
              fmt::format(
                  "ConfigMap \"{}{}\" with the key \"{}.hujson\" does not exist or cannot be read",
                  renderer::kGroupPrefix, replica.set->name, pod));
    } else if (!step.has_value()) {
        rest(pod);
    }
    return step.has_value() && may_take(replica, *step) ? std::move(step) : std::nullopt;
}

// Ends a problem, because there is nothing to do. After recent failures the slot stays, so that the
// next one waits longer: a pod may change its reports again and again.
void Controller::rest(const std::string& pod) {
    const auto slot = slots_.find(pod);
    if (slot == slots_.end()) {
        return;
    }
    slot->second.problem.clear();
    slot->second.is_blocked = false;
    if (attempts_.failures(pod) == 0 || loop_.uptime() - slot->second.failed_at > kFailureLasts) {
        attempts_.forget(pod);
        slots_.erase(slot);
    }
}

bool Controller::may_take(const Replica& replica, const Step& step) {
    const std::string pod(replica.pod_name);
    if (const auto* pod_step = std::get_if<step::DeletePod>(&step);
        pod_step != nullptr && slots_[pod].deleted_pod == pod_step->uid) {
        return false;  // the copy of the pods is out of date
    }
    if (std::holds_alternative<step::Remove>(step)) {
        const auto leaver = population_.leaving().find(pod);
        // Times of other clocks may jump.
        if (leaver == population_.leaving().end() ||
            loop_.uptime() - leaver->second.since < settings_.cleanup_delay ||
            !guard_.may_remove(pod, loop_.now())) {
            return false;
        }
    }
    if (std::holds_alternative<step::MintKey>(step) && !mints_.may_begin(pod, loop_.uptime())) {
        block(replica, "TooManyKeys",
              fmt::format(
                  "{} keys were created for it within minutes: the next one is created in a minute",
                  kAskedAtOnce));
        return false;
    }
    if (is_asked_look(replica, step) && !looks_.may_begin(pod, loop_.uptime())) {
        return false;
    }
    const bool prepares_pod =
        std::holds_alternative<step::MintKey>(step) ||
        std::holds_alternative<step::CreateBlankAuth>(step) ||
        (std::holds_alternative<step::CreateState>(step) && is_wanted(replica));
    if (const std::string other = prepares_pod || (deletes_devices(step) && names_device(replica))
                                      ? operators_set(view_, replica)
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

void Controller::enqueue(const Replica& replica) {
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

void Controller::start_steps(Replicas& replicas) {
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

void Controller::start_step(const Replica& replica, const Step& step, const StepQueue::Turn& turn) {
    const std::string pod(replica.pod_name);
    const auto* pod_step = std::get_if<step::DeletePod>(&step);
    const std::string pod_uid = pod_step == nullptr ? std::string() : pod_step->uid;
    const bool mints = std::holds_alternative<step::MintKey>(step);
    const Failure failure{.about = reference(replica), .reason = std::string(failure_reason(step))};
    log_.info("step", {{"proxy", pod}, {"step", describe(step)}});
    attempts_.begin(pod);
    steps_.count(pod, loop_.uptime());
    if (is_asked_look(replica, step)) {
        looks_.count(pod, loop_.uptime());
    }
    apply_->run(replica, step,
                [this, pod, mints, turn, pod_uid, failure](const std::string& problem) {
                    queue_.end(turn);
                    if (problem.empty()) {
                        slots_[pod].deleted_pod = pod_uid;
                    }
                    if (mints && problem.empty()) {
                        ++keys_minted_;
                        mints_.count(pod, loop_.uptime());
                    }
                    Failure result = failure;
                    result.problem = problem;
                    take_result(pod, result);
                });
}

bool Controller::is_worth_telling(std::string_view pod, const Slot& slot) const {
    return slot.is_blocked || attempts_.failures(pod) > kGlitches;
}

kube::ObjectRef Controller::reference(std::string_view parent) const {
    return parent.empty() ? ledger_.reference() : parents_.reference(parent);
}

kube::ObjectRef Controller::reference(const Replica& replica) const {
    return reference(replica.set == nullptr ? std::string_view() : replica.set->parent.view());
}

void Controller::tell(std::string_view parent, const ParentEvent& event) {
    events_.post(reference(parent), event.type, event.reason, event.message);
}

void Controller::block(const Replica& replica, std::string_view reason,
                       const std::string& problem) {
    const std::string pod(replica.pod_name);
    slots_[pod].is_blocked = true;
    report(pod, {.about = reference(replica), .reason = std::string(reason), .problem = problem});
}

void Controller::take_result(const std::string& pod, const Failure& failure) {
    Slot& slot = slots_[pod];
    if (failure.problem.empty()) {
        slot.is_blocked = false;
        return attempts_.succeed(pod);
    }
    attempts_.fail(pod);
    slot.failed_at = loop_.uptime();
    slot.reason = failure.reason;
    ++retries_;
    report(pod, failure);
    plan_reconcile();  // so that others get its turn
}

void Controller::report(const std::string& pod, const Failure& failure) {
    Slot& slot = slots_[pod];
    if (std::exchange(slot.problem, failure.problem) != failure.problem) {
        log_.warning("a proxy is blocked", {{"proxy", pod}, {"cause", failure.problem}});
    }
    if (is_worth_telling(pod, slot)) {
        features_due_.add({.pods = {pod}});
        plan_features();
        events_.post(failure.about, kube::EventType::Warning, failure.reason,
                     fmt::format("{}: {}", pod, failure.problem));
    }
}

Controller::Counts Controller::counts() const {
    Counts counts;
    Replicas(view_).each([this, &counts](const Replica& replica) {
        counts.replicas += is_wanted(replica) ? 1 : 0;
        ++counts.devices.at(static_cast<std::size_t>(device_of(replica).state));
        const AuthSecret* auth = replica.auth;
        counts.keys_expiring +=
            auth != nullptr && !auth->blank && is_expiring(*auth, loop_.now()) ? 1 : 0;
    });
    counts.busy = attempts_.busy();
    counts.retries = retries_;
    counts.keys_minted = keys_minted_;
    counts.blocks_proxies = guard_.is_blocked();
    counts.blocks_services = service_guard_.is_blocked();
    return counts;
}

}  // namespace runtime::controller
