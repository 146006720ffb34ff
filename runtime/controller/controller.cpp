#include "runtime/controller/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "renderer/core/api.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/replicas.h"

namespace runtime {

using renderer::Value;

namespace {

constexpr Duration kTick = std::chrono::seconds(10);  // for what only time changes
constexpr Duration kFirstRetry = std::chrono::seconds(1);
constexpr Duration kLastRetry = std::chrono::minutes(2);

constexpr Duration kFeaturePause = std::chrono::milliseconds(200);  // one look for many changes
constexpr int kRemovalsAtOnce = 8;
constexpr int kGlitches = 1;  // failures that are nobody's business

bool names_device(const Replica& replica) {
    return (replica.state != nullptr && !replica.state->device().empty()) ||
           (replica.auth != nullptr && !replica.auth->device.empty());
}

}  // namespace

Controller::Controller(Loop& loop, Transport& transport, KubeClient& kube, Log& log, Chance& chance,
                       ControllerSettings settings)
    : loop_(loop),
      kube_(kube),
      log_(log),
      chance_(chance),
      settings_(std::move(settings)),
      view_(loop, kube, log, chance, settings_.ns),
      tailnets_(loop, transport, kube, log, chance, settings_.ns, settings_.tailnet,
                view_.tailnet_configs()),
      events_(loop, kube, log),
      editor_(loop, kube, log, chance, view_),
      ledger_(view_, editor_),
      parents_(view_),
      status_(loop, editor_),
      guard_(ledger_, log, kBlockedKey, "proxies"),
      service_guard_(ledger_, log, kBlockedServicesKey, "Tailscale Services"),
      take_over_(loop, tailnets_, settings_.take_over_tag,
                 {.user_of =
                      [this](std::string_view tailnet, std::string_view device) {
                          return user_of(view_, tailnet, device, "");
                      },
                  .tell = [this](const std::string& parent,
                                 const Telling& telling) { tell(parent, telling); }}),
      sights_(loop, tailnets_),
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
                                   const Telling& telling) { tell(parent, telling); }}) {
    view_.on_change([this] { plan_reconcile(Duration(0)); });
}

Controller::~Controller() = default;

void Controller::start() {
    read_owner();
}

void Controller::read_owner() {
    kube_.get(path_of(kConfigMaps, settings_.ns, renderer::kIngressAddresses),
              [this](const KubeReply& reply) {
                  if (reply.ok() || reply.not_found()) {
                      return read_ledger(reply.object);
                  }
                  read_owner_again(reply);
              });
}

void Controller::read_ledger(const Value& table) {
    const auto take =
        [this, table = std::make_shared<const Value>(table.clone())](const KubeReply& reply) {
            reply.ok() ? begin(mark_of(reply.object, *table)) : read_owner_again(reply);
        };
    kube_.get(
        path_of(kConfigMaps, settings_.ns, kLedgerName), [this, take](const KubeReply& reply) {
            if (!reply.not_found()) {
                return take(reply);
            }
            kube_.create(path_of(kConfigMaps, settings_.ns), empty_ledger(settings_.ns), take);
        });
}

void Controller::read_owner_again(const KubeReply& reply) {
    log_.warning("cannot read what marks this installation", {{"cause", reply.message}});
    loop_.after(kFirstRetry, [this] { read_owner(); });
}

void Controller::begin(const std::string& owner) {
    sweeps_ = std::make_unique<KeySweeps>(loop_, log_, chance_, tailnets_, view_, owner);
    apply_ = std::make_unique<Apply>(
        loop_, kube_, tailnets_, settings_.ns, *sweeps_, take_over_, sights_, own_devices_,
        Written{
            .put = [this](const Value& secret) { view_.wrote(view_.our_secrets(), secret); },
            .erased = [this](const Value& secret) { view_.erased(view_.our_secrets(), secret); }});
    features_ =
        make_features({.loop = loop_,
                       .kube = kube_,
                       .log = log_,
                       .chance = chance_,
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
                               return slot != slots_.end() && slot->second.is_worth_telling()
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
    plan_reconcile(Duration(0));
    loop_.after(kTick, [this] { tick(); });
}

void Controller::plan_reconcile(Duration delay) {
    if (delay > Duration(0)) {
        loop_.after(delay, [this] { plan_reconcile(Duration(0)); });
        return;
    }
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
        for (const auto& feature : features_) {
            feature->reconcile();
        }
    });
}

GuardAnswer Controller::ask_guard(const std::map<std::string, Replica>& all) {
    std::set<std::string> leaving;
    for (const auto& [pod, replica] : all) {
        if (!is_wanted(replica)) {
            leaving.insert(pod);
        }
    }
    GuardAnswer answer = guard_.ask(leaving, all.size());
    guard_.tell(events_, answer);
    return answer;
}

void Controller::reconcile() {
    plan_features();
    if (!view_.own_complete()) {
        return;
    }
    sweeps_->run();
    // The first that asks it, whether or not there is a proxy: wrong credentials show at once.
    if (const std::string problem = sweeps_->problem(); !problem.empty()) {
        events_.post(ledger_.reference(), EventType::Warning, "CannotUseTailnet",
                     "the controller's own tailnet: " + problem);
    }
    auto all = replicas_of(view_);
    const GuardAnswer guard = ask_guard(all);
    for (auto& [unused, replica] : all) {
        if (replica.state != nullptr) {
            replica.sight = sights_.find(replica.state->device());
        }
        consider(replica, guard);
    }
    std::erase_if(slots_, [&all](const auto& slot) {
        return !slot.second.attempts.busy() && !all.contains(slot.first);
    });
}

void Controller::consider(const Replica& replica, const GuardAnswer& guard) {
    const std::string pod(replica.pod_name);
    if (const auto slot = slots_.find(pod);
        slot != slots_.end() && !slot->second.attempts.may_begin(loop_.uptime())) {
        return;
    }
    const auto step = decide(replica, loop_.now(), settings_.cleanup_delay);
    if (!step.has_value() && lacks_config(replica)) {
        return hinder(
            replica, "NoConfiguration",
            fmt::format("there is no ConfigMap \"{}{}\" with the key \"{}.hujson\", or it "
                        "cannot be read",
                        renderer::kGroupPrefix, replica.set->name, pod));
    }
    if (!step.has_value()) {
        slots_.erase(pod);
        return;
    }
    const auto* pod_step = std::get_if<step::DeletePod>(&*step);
    const std::string pod_uid = pod_step == nullptr ? std::string() : pod_step->uid;
    if (!pod_uid.empty() && slots_[pod].deleted_pod == pod_uid) {
        return;  // the copy of the pods is behind
    }
    const bool removes = std::holds_alternative<step::Remove>(*step);
    if (removes && (!guard.may_remove(pod) || removals_ >= kRemovalsAtOnce)) {
        return;
    }
    const bool mints = std::holds_alternative<step::MintKey>(*step);
    const bool deletes_devices =
        names_device(replica) && (removes || std::holds_alternative<step::LeaveTailnet>(*step) ||
                                  std::holds_alternative<step::RemoveState>(*step));
    const bool lets_pod_start = mints || std::holds_alternative<step::CreateBlankAuth>(*step);
    if (const std::string other =
            lets_pod_start || deletes_devices ? operators_set(view_, replica) : std::string();
        !other.empty()) {
        return hinder(replica, "OperatorStillServes",
                      fmt::format("the operator's StatefulSet \"{}\" still serves {}", other,
                                  replica.set == nullptr ? std::string_view("its parent")
                                                         : replica.set->parent.view()));
    }
    const Said said{.about = reference(replica), .reason = std::string(failure_reason(*step))};
    log_.info("step", {{"proxy", pod}, {"step", describe(*step)}});
    slots_[pod].attempts.begin();
    removals_ += removes ? 1 : 0;
    apply_->run(replica, *step,
                [this, pod, mints, removes, pod_uid, said](const std::string& problem) {
                    removals_ -= removes ? 1 : 0;
                    keys_minted_ += mints && problem.empty() ? 1 : 0;
                    if (problem.empty()) {
                        slots_[pod].deleted_pod = pod_uid;
                    }
                    Said result = said;
                    result.problem = problem;
                    take_result(pod, result);
                });
}

bool Controller::Slot::is_worth_telling() const {
    return is_hindered || attempts.failures() > kGlitches;
}

ObjectRef Controller::reference(std::string_view parent) const {
    return parent.empty() ? ledger_.reference() : parents_.reference(parent);
}

ObjectRef Controller::reference(const Replica& replica) const {
    return reference(replica.set == nullptr ? std::string_view() : replica.set->parent.view());
}

void Controller::tell(std::string_view parent, const Telling& telling) {
    events_.post(reference(parent), telling.type, telling.reason, telling.message);
}

void Controller::hinder(const Replica& replica, std::string_view reason,
                        const std::string& problem) {
    const std::string pod(replica.pod_name);
    slots_[pod].is_hindered = true;
    report(pod, {.about = reference(replica), .reason = std::string(reason), .problem = problem});
}

void Controller::take_result(const std::string& pod, const Said& said) {
    Slot& slot = slots_[pod];
    if (said.problem.empty()) {
        slot.attempts.succeed();
        slot.is_hindered = false;
        return plan_reconcile(Duration(0));
    }
    const Duration delay = slot.attempts.fail(chance_, kFirstRetry, kLastRetry, loop_.uptime());
    ++retries_;
    report(pod, said);
    plan_reconcile(delay);
}

void Controller::report(const std::string& pod, const Said& said) {
    Slot& slot = slots_[pod];
    if (std::exchange(slot.problem, said.problem) != said.problem) {
        log_.warning("a proxy waits", {{"proxy", pod}, {"cause", said.problem}});
    }
    if (slot.is_worth_telling()) {
        events_.post(said.about, EventType::Warning, said.reason,
                     fmt::format("{}: {}", pod, said.problem));
    }
}

Controller::Counts Controller::counts() const {
    Counts counts;
    for (const auto& [unused, replica] : replicas_of(view_)) {
        counts.replicas += is_wanted(replica) ? 1 : 0;
        ++counts.devices.at(static_cast<std::size_t>(device_of(replica).state));
        const AuthSecret* auth = replica.auth;
        counts.keys_expiring +=
            auth != nullptr && !auth->blank && is_expiring(*auth, loop_.now()) ? 1 : 0;
    }
    counts.busy =
        static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) {
            return slot.second.attempts.busy();
        }));
    counts.retries = retries_;
    counts.keys_minted = keys_minted_;
    counts.blocks_proxies = guard_.is_blocked();
    counts.blocks_services = service_guard_.is_blocked();
    return counts;
}

}  // namespace runtime
