#include "runtime/controller/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "renderer/core/text_of.h"
#include "runtime/base/url.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/key_sweep.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kDevices = "tailrender-devices";
constexpr Duration kTick = std::chrono::seconds(10);  // for what only time changes
constexpr Duration kSweepInterval = std::chrono::hours(1);
constexpr Duration kSecondSweep =
    std::chrono::minutes(1);  // for what our predecessor still had on its way
constexpr Duration kFirstRetry = std::chrono::seconds(1);
constexpr Duration kLastRetry = std::chrono::minutes(2);

// Removals at once that need nobody's word.
constexpr std::size_t kSafeRemovals = 5;
constexpr std::size_t kSafePercent = 20;

}  // namespace

class Controller::SecretSink : public WatchSink {
public:
    SecretSink(Mirror<StateSecret>& states, Mirror<AuthSecret>& auths)
        : states_(states), auths_(auths) {}

    void begin_list() override {
        states_.begin_list();
        auths_.begin_list();
    }
    void put(const Value& object) override {
        states_.put(object);
        auths_.put(object);
    }
    void erase(const Value& object) override {
        states_.erase(object);
        auths_.erase(object);
    }
    void end_list() override {
        states_.end_list();
        auths_.end_list();
    }

private:
    Mirror<StateSecret>& states_;
    Mirror<AuthSecret>& auths_;
};

Controller::Controller(Loop& loop, Transport& transport, KubeClient& kube, Log& log, Chance& chance,
                       ControllerSettings settings)
    : loop_(loop),
      kube_(kube),
      log_(log),
      chance_(chance),
      settings_(std::move(settings)),
      sets_(decode_proxy_set, when_changed()),
      states_(decode_state_secret, when_changed()),
      auths_(decode_auth_secret, when_changed()),
      pods_(decode_pod, when_changed()),
      tailnet_configs_(decode_tailnet, when_changed()),
      secrets_(std::make_unique<SecretSink>(states_, auths_)),
      tailnets_(loop, transport, kube, log, chance, settings_.ns, settings_.tailnet,
                tailnet_configs_) {}

Controller::~Controller() = default;

std::function<void(const std::string&)> Controller::when_changed() {
    return [this](const std::string&) { plan_reconcile(Duration(0)); };
}

void Controller::start() {
    read_owner();
}

// The uid of our own ConfigMap marks what is ours in the tailnet: it lives as long as the
// installation.
void Controller::read_owner() {
    const auto take = [this](const KubeReply& reply) {
        if (reply.ok()) {
            return begin(std::string(text_of(reply.object.at({"metadata", "uid"}))));
        }
        log_.warning("cannot read the table of devices", {{"cause", reply.message}});
        loop_.after(kFirstRetry, [this] { read_owner(); });
    };
    kube_.get(path_of(kConfigMaps, settings_.ns, kDevices), [this, take](const KubeReply& reply) {
        if (!reply.not_found()) {
            return take(reply);
        }
        kube_.create(path_of(kConfigMaps, settings_.ns),
                     Value::map({{"apiVersion", "v1"},
                                 {"kind", "ConfigMap"},
                                 {"metadata",
                                  Value::map({{"name", kDevices}, {"namespace", settings_.ns}})}}),
                     take);
    });
}

void Controller::begin(const std::string& owner) {
    key_mark_ = key_mark(owner);
    apply_ = std::make_unique<Apply>(
        loop_, kube_, tailnets_, settings_.ns, key_mark_,
        Written{.put = [this](const Value& secret) { secrets_->put(secret); },
                .erased = [this](const Value& secret) { secrets_->erase(secret); }});
    const auto watch = [this](Resource resource, const std::string& query, WatchSink& sink) {
        watches_.push_back(std::make_unique<Watch>(loop_, kube_, log_, chance_,
                                                   path_of(resource, settings_.ns), query, sink));
        watches_.back()->start();
    };
    const auto labelled = [](std::string_view label) {
        return "labelSelector=" + escape_url(label);
    };
    watch(kStatefulSets, "", sets_);
    watch(kSecrets, labelled(kSecretLabel), *secrets_);
    watch(kPods, "", pods_);
    watch(kConfigMaps, "", tailnet_configs_);
    loop_.after(kSecondSweep, [this] { sweep_is_due_ = true; });
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

std::map<std::string, Replica> Controller::replicas() const {
    const auto key = [this](std::string_view name) {
        return fmt::format("{}/{}", settings_.ns, name);
    };
    std::map<std::string, Replica> all;
    const auto add = [&](const std::string& name, const ProxySet* set, int ordinal) {
        const auto [entry, is_new] = all.try_emplace(name);
        if (is_new) {
            entry->second = {.pod_name = entry->first,
                             .ordinal = ordinal,
                             .set = set,
                             .state = states_.find(key(name)),
                             .auth = auths_.find(key(auth_name(name))),
                             .pod = pods_.find(key(name))};
        }
    };
    for (const auto& [unused, set] : sets_.objects()) {
        for (int ordinal = 0; set.contract == kContractVersion && ordinal < set.replicas;
             ++ordinal) {
            add(fmt::format("{}-{}", set.name, ordinal), &set, ordinal);
        }
    }
    // What is left of replicas that nobody wants any more; not of a contract that we do not know.
    const auto add_left = [&](const std::string& pod, const std::string& set_name) {
        const auto name = split_replica(pod);
        const ProxySet* set = sets_.find(key(set_name));
        if (name.has_value() &&
            (set == nullptr || set->contract.empty() || set->contract == kContractVersion)) {
            add(pod, set != nullptr && set->contract.empty() ? nullptr : set, name->ordinal);
        }
    };
    for (const auto& [unused, state] : states_.objects()) {
        add_left(state.name, state.set);
    }
    for (const auto& [unused, auth] : auths_.objects()) {
        add_left(auth.name.substr(0, auth.name.size() - auth_name("").size()), auth.set);
    }
    return all;
}

// The operator's own StatefulSet for the same parent: its device is still in the tailnet.
std::string Controller::blocked_by(const Replica& replica) const {
    for (const auto& [unused, set] : sets_.objects()) {
        if (set.contract.empty() && replica.set != nullptr && !set.labels.empty() &&
            set.labels == replica.set->labels && set.name != replica.set->name) {
            return set.name;
        }
    }
    return {};
}

// Many proxies that vanish at once are rather a mistake than a wish.
bool Controller::removal_is_safe(const std::map<std::string, Replica>& all) {
    const auto leaving = static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const auto& entry) { return !is_wanted(entry.second); }));
    const bool safe = leaving <= std::max(kSafeRemovals, all.size() * kSafePercent / 100);
    if (safe == removal_is_blocked_) {
        removal_is_blocked_ = !safe;
        if (!safe) {
            log_.error(
                "too many proxies have vanished at once: nothing is removed",
                {{"vanished", fmt::format("{}", leaving)}, {"of", fmt::format("{}", all.size())}});
        }
    }
    return safe;
}

void Controller::reconcile() {
    const bool complete = sets_.complete() && states_.complete() && auths_.complete() &&
                          pods_.complete() && tailnet_configs_.complete();
    if (!complete || sweeping_) {
        return;
    }
    sweep_is_due_ = apply_->take_sweep_wish() || sweep_is_due_;
    if (sweep_is_due_ && minting_ == 0) {
        return sweep();
    }
    const auto all = replicas();
    const bool may_remove = removal_is_safe(all);
    for (const auto& [unused, replica] : all) {
        consider(replica, may_remove);
    }
    std::erase_if(slots_, [&all](const auto& slot) {
        return !slot.second.busy && !all.contains(slot.first);
    });
}

void Controller::consider(const Replica& replica, bool may_remove) {
    const std::string pod(replica.pod_name);
    Slot& slot = slots_[pod];
    if (slot.busy || loop_.now() < slot.not_before) {
        return;
    }
    const auto step = decide(replica, loop_.now(), settings_.cleanup_delay);
    if (!step.has_value()) {
        slot.problem.clear();
        return;
    }
    if (std::holds_alternative<step::Remove>(*step) && !may_remove) {
        return;
    }
    const bool mints = std::holds_alternative<step::MintKey>(*step);
    if (mints && sweep_is_due_) {
        return;
    }
    if (const std::string other = mints ? blocked_by(replica) : std::string(); !other.empty()) {
        return report(pod, fmt::format("the operator's StatefulSet \"{}\" still serves {}", other,
                                       replica.set->parent));
    }
    log_.info("step", {{"proxy", pod}, {"step", describe(*step)}});
    slot.busy = true;
    minting_ += mints ? 1 : 0;
    apply_->run(replica, *step, [this, pod, mints](const std::string& problem) {
        minting_ -= mints ? 1 : 0;
        take_result(pod, problem);
    });
}

void Controller::take_result(const std::string& pod, const std::string& problem) {
    Slot& slot = slots_[pod];
    slot.busy = false;
    if (problem.empty()) {
        slot.backoff.reset();
        slot.not_before = {};
        return plan_reconcile(Duration(0));
    }
    if (slot.backoff == nullptr) {
        slot.backoff = std::make_unique<Backoff>(chance_, kFirstRetry, kLastRetry);
    }
    const Duration delay = slot.backoff->next();
    slot.not_before = loop_.now() + delay;
    report(pod, problem);
    plan_reconcile(delay);
}

void Controller::report(const std::string& pod, const std::string& problem) {
    Slot& slot = slots_[pod];
    if (slot.problem != problem) {
        slot.problem = problem;
        log_.warning("a proxy waits", {{"proxy", pod}, {"cause", problem}});
    }
}

void Controller::sweep() {
    sweep_is_due_ = false;
    std::set<std::string> tailnets{""};
    std::set<std::string> recorded;
    for (const auto& [unused, config] : tailnet_configs_.objects()) {
        tailnets.insert(config.name);
    }
    for (const auto& [unused, auth] : auths_.objects()) {
        recorded.insert(auth.key_id);
    }
    std::vector<Job> jobs;
    jobs.reserve(tailnets.size());
    for (const std::string& tailnet : tailnets) {
        jobs.push_back([this, tailnet, recorded](const Next& next) {
            std::string problem;
            TailnetApi* api = tailnets_.find(tailnet, problem);
            if (api == nullptr) {
                return next({});  // its proxies say so themselves
            }
            sweep_keys(*api, key_mark_, recorded,
                       [this, tailnet, next](const std::string& its_problem) {
                           if (!its_problem.empty()) {
                               log_.warning("cannot look for lost keys",
                                            {{"tailnet", tailnet}, {"cause", its_problem}});
                           }
                           next({});
                       });
        });
    }
    sweeping_ = true;
    run_in_order(std::move(jobs), [this](const std::string&) {
        sweeping_ = false;
        loop_.after(kSweepInterval, [this] { sweep_is_due_ = true; });
        plan_reconcile(Duration(0));
    });
}

Controller::Counts Controller::counts() const {
    Counts counts;
    for (const auto& [unused, replica] : replicas()) {
        counts.replicas += is_wanted(replica) ? 1 : 0;
        counts.leaving += is_wanted(replica) ? 0 : 1;
        counts.joined += replica.state != nullptr && !replica.state->device().empty() ? 1 : 0;
    }
    counts.busy = static_cast<std::size_t>(std::count_if(
        slots_.begin(), slots_.end(), [](const auto& slot) { return slot.second.busy; }));
    counts.removal_is_blocked = removal_is_blocked_;
    return counts;
}

}  // namespace runtime
