#include "runtime/controller/controller.h"

#include <utility>

namespace runtime::controller {

namespace {

constexpr Duration kTick = std::chrono::seconds(10);  // for what depends on time alone
constexpr std::uint64_t kTicksBetweenWholeLooks = 60;

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
      service_guard_(ledger_, log, {.blocked = kBlockedServicesKey, .removed = kRemovedServicesKey},
                     "Tailscale Services"),
      installation_(loop, kube, log, settings_.ns),
      features_(loop, view_) {
    view_.on_change([this](Changes changes) { steps_->look(std::move(changes)); });
}

Controller::~Controller() = default;

void Controller::start() {
    installation_.find([this](const std::string& mark) { begin(mark); });
}

void Controller::begin(const std::string& owner) {
    const FeatureContext context{
        .loop = loop_,
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
        .problem_of = [this](std::string_view pod) { return steps_->problem_of(pod); },
        .service_guard = service_guard_,
        .owner = owner,
        .ingress_class = settings_.ingress_class,
        .cleanup_delay = settings_.cleanup_delay};
    steps_ = std::make_unique<ReplicaSteps>(context, settings_.take_over_tag, features_);
    features_.start(context);
    view_.start();
    tick();
}

void Controller::tick() {
    if (++ticks_ % kTicksBetweenWholeLooks == 0) {
        features_.add({.everything = true});
    }
    steps_->tick();
    loop_.after(kTick, [this] { tick(); });
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
    counts.blocks_services = service_guard_.is_blocked();
    if (steps_ == nullptr) {
        return counts;
    }
    const ReplicaSteps::Counts steps = steps_->counts();
    counts.busy = steps.busy;
    counts.retries = steps.retries;
    counts.keys_minted = steps.keys_minted;
    counts.blocks_proxies = steps_->is_removal_blocked();
    return counts;
}

}  // namespace runtime::controller
