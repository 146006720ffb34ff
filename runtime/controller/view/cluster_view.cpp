#include "runtime/controller/view/cluster_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/check.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/tailnet_config.h"
#include "renderer/core/text_of.h"
#include "runtime/base/url.h"
#include "runtime/controller/keys/secrets.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

// A Role that is limited to a name allows lists and watches with this selector and that name.
constexpr std::string_view kNameSelector = "fieldSelector=metadata.name%3D";

// Returns the object in the replica's namespace, or what is left of it in either one.
template <typename T>
const T* of_replica(const ClusterView& view, std::string_view pod, const T* ours, const T* apart) {
    const auto replica = split_replica(pod);
    if (!replica.has_value()) {
        return ours;
    }
    const bool is_left = ours == nullptr && view.find_set(replica->set) == nullptr;
    return is_left || view.is_apart(replica->set) ? apart : ours;
}

}  // namespace

// One watch and all the copies that it feeds.
class ClusterView::Fan : public kube::WatchSink {
public:
    Fan(Loop& loop, kube::Client& kube, Log& log, RandomSource& random, const Source& source)
        : watch_(loop, kube, log, random,
                 {.path = kube::path_of(source.kind, source.ns),
                  .query = source.query,
                  .may_be_absent = source.kind.is_custom()},
                 *this) {}

    void add(std::unique_ptr<kube::WatchSink> copy) { copies_.push_back(std::move(copy)); }
    void start() { watch_.start(); }

    void begin_list() override {
        erased_ = 0;
        for (const auto& copy : copies_) {
            copy->begin_list();
        }
    }
    void put(const Value& object) override {
        for (const auto& copy : copies_) {
            copy->put(object);
        }
    }
    // Takes the reply to our own write. It may arrive after the watch has reported the deletion.
    void take_written(const Value& object) {
        if (kube::version_number(object) > erased_) {
            put(object);
        }
    }
    void erase(const Value& object) override {
        erased_ = std::max(erased_, kube::version_number(object));
        for (const auto& copy : copies_) {
            copy->erase(object);
        }
    }
    void end_list() override {
        for (const auto& copy : copies_) {
            copy->end_list();
        }
    }

private:
    std::vector<std::unique_ptr<kube::WatchSink>> copies_;
    std::uint64_t erased_ = 0;  // the last version at which the watch reported a deletion
    kube::Watch watch_;
};

ClusterView::ClusterView(Loop& loop, kube::Client& kube, Log& log, RandomSource& random,
                         std::string ns, std::string api_ns)
    : loop_(loop),
      kube_(kube),
      log_(log),
      random_(random),
      ns_(std::move(ns)),
      api_ns_(std::move(api_ns)),
      sets_(&follow<ProxySet>({.kind = kube::kStatefulSets, .ns = ns_}, decode_proxy_set,
                              set_meaning())),
      states_(&follow<StateSecret>(our_secrets(), decode_state_secret, state_meaning())),
      auths_(&follow<AuthSecret>(
          our_secrets(), decode_auth_secret,
          [this](std::string_view, const AuthSecret* before, const AuthSecret* after,
                 Changes& changes) { take_auth(before, after, changes); })),
      pods_(&follow<Pod>(pod_source(), decode_pod, its_pod<Pod>())),
      tailnet_configs_(&follow<renderer::TailnetConfig>(config_maps(), renderer::decode_tailnet,
                                                        everything<renderer::TailnetConfig>())),
      groups_(&follow<GroupConfig>(config_maps(), decode_group, everything<GroupConfig>())),
      certificates_(
          &follow<Certificate>(our_secrets(), decode_certificate, everything<Certificate>())) {
    if (!api_ns_.empty()) {
        follow_apart();
    }
}

ClusterView::~ClusterView() = default;

void ClusterView::follow_apart() {
    apart_ = {
        .sets = &add<ProxySet>(apart(kube::kStatefulSets, renderer::kApiProxyName),
                               decode_proxy_set, set_meaning()),
        .pods = &add<Pod>(apart(kube::kPods, renderer::kApiProxyPod), decode_pod, its_pod<Pod>()),
        .states = &add<StateSecret>(apart(kube::kSecrets, renderer::kApiProxyPod),
                                    decode_named_state, state_meaning()),
        .keys = &add<DeliveredKey>(
            apart(kube::kSecrets, auth_name(renderer::kApiProxyPod, false)), decode_delivered_key,
            [](std::string_view, const DeliveredKey*, const DeliveredKey*, Changes& changes) {
                changes.pods.emplace(renderer::kApiProxyPod);
            })};
}

Source ClusterView::apart(const renderer::Kind& kind, std::string_view name) const {
    return {.kind = kind, .ns = api_ns_, .query = fmt::format("{}{}", kNameSelector, name)};
}

std::string ClusterView::apart_key(std::string_view name) const {
    return fmt::format("{}/{}", api_ns_, name);
}

ClusterView::Meaning<ProxySet> ClusterView::set_meaning() {
    return [this](std::string_view, const ProxySet* before, const ProxySet* after,
                  Changes& changes) { take_set(before, after, changes); };
}

ClusterView::Meaning<StateSecret> ClusterView::state_meaning() {
    return [this](std::string_view, const StateSecret* before, const StateSecret* after,
                  Changes& changes) { take_state(before, after, changes); };
}

bool ClusterView::is_apart(std::string_view set) const {
    return apart_.has_value() && apart_->sets->find(apart_key(set)) != nullptr;
}

void ClusterView::each_set(const std::function<void(const ProxySet&)>& visit) const {
    for (const auto& [unused, set] : sets_->objects()) {
        if (!is_apart(set.name)) {
            visit(set);
        }
    }
    if (apart_.has_value()) {
        for (const auto& [unused, set] : apart_->sets->objects()) {
            visit(set);
        }
    }
}

const ProxySet* ClusterView::find_set(std::string_view name) const {
    return is_apart(name) ? apart_->sets->find(apart_key(name)) : sets_->find(key(name));
}

const Pod* ClusterView::find_pod(std::string_view name) const {
    return of_replica(*this, name, pods_->find(key(name)),
                      apart_.has_value() ? apart_->pods->find(apart_key(name)) : nullptr);
}

const StateSecret* ClusterView::find_state(std::string_view pod) const {
    return of_replica(*this, pod, states_->find(key(pod)),
                      apart_.has_value() ? apart_->states->find(apart_key(pod)) : nullptr);
}

const DeliveredKey* ClusterView::delivered_key() const {
    return apart_.has_value()
               ? apart_->keys->find(apart_key(auth_name(renderer::kApiProxyPod, false)))
               : nullptr;
}

void ClusterView::take_set(const ProxySet* before, const ProxySet* after, Changes& changes) {
    const auto parent_of = [](const ProxySet& set) {
        return set.contract.empty() ? labelled_parent(set.labels) : std::string(set.parent);
    };
    const auto look = [&changes, &parent_of](const ProxySet& set) {
        if (set.contract.empty()) {  // it may have blocked any proxy
            changes.everything = true;
        }
        changes.sets.insert(set.name);
        changes.parents.insert(parent_of(set));
        for (int ordinal = 0; ordinal < set.replicas; ++ordinal) {
            changes.pods.insert(fmt::format("{}-{}", set.name, ordinal));
        }
    };
    if (before != nullptr) {
        indexes_.sets_by_parent.remove(parent_of(*before), before->name);
        indexes_.operators_sets.remove(before->contract.empty() ? before->labels : Text(),
                                       before->name);
        look(*before);
    }
    if (after != nullptr) {
        indexes_.sets_by_parent.add(parent_of(*after), after->name);
        indexes_.operators_sets.add(after->contract.empty() ? after->labels : Text(), after->name);
        look(*after);
    }
}

void ClusterView::take_state(const StateSecret* before, const StateSecret* after,
                             Changes& changes) {
    if (before != nullptr) {
        indexes_.named_devices.remove(before->device_id, before->name);
        indexes_.named_devices.remove(before->node_id, before->name);
    }
    if (after != nullptr) {
        indexes_.named_devices.add(after->device_id, after->name);
        indexes_.named_devices.add(after->node_id, after->name);
    }
    changes.pods.emplace((after == nullptr ? before : after)->name);
}

void ClusterView::take_auth(const AuthSecret* before, const AuthSecret* after, Changes& changes) {
    if (before != nullptr) {
        indexes_.noted_devices.remove(before->device, before->name);
    }
    if (after != nullptr) {
        indexes_.noted_devices.add(after->device, after->name);
    }
    changes.pods.emplace((after == nullptr ? before : after)->pod);
}

void ClusterView::add(const Source& source, std::unique_ptr<kube::WatchSink> copy) {
    CHECK(!started_);
    auto& fan = fans_[source.key()];
    if (fan == nullptr) {
        fan = std::make_unique<Fan>(loop_, kube_, log_, random_, source);
    }
    fan->add(std::move(copy));
}

void ClusterView::start() {
    started_ = true;
    for (const auto& [unused, fan] : fans_) {
        fan->start();
    }
}

bool ClusterView::complete() const {
    return std::all_of(are_complete_.begin(), are_complete_.end(),
                       [](const auto& is_complete) { return is_complete(); });
}

bool ClusterView::own_complete() const {
    return sets_->complete() && states_->complete() && auths_->complete() && pods_->complete() &&
           tailnet_configs_->complete() && groups_->complete() && certificates_->complete();
}

bool ClusterView::apart_complete() const {
    return !apart_.has_value() || (apart_->sets->complete() && apart_->pods->complete() &&
                                   apart_->states->complete() && apart_->keys->complete());
}

void ClusterView::wrote(const Source& source, const Value& object) {
    fans_.at(source.key())->take_written(object);
}

void ClusterView::erased(const Source& source, const Value& object) {
    fans_.at(source.key())->erase(object);
}

std::string ClusterView::key(std::string_view name) const {
    return fmt::format("{}/{}", ns_, name);
}

kube::ObjectRef ClusterView::reference(const renderer::Kind& kind, std::string_view name,
                                       std::string_view uid) const {
    return {std::string(kind.api_version), std::string(kind.name), ns_, std::string(name),
            std::string(uid)};
}

Source ClusterView::our_secrets() const {
    return {.kind = kube::kSecrets,
            .ns = ns_,
            .query = "labelSelector=" + escape_url(renderer::kSecretLabel)};
}

Source ClusterView::source_of(const Value& secret) const {
    const bool is_apart =
        apart_.has_value() && text_of(secret.at({"metadata", "namespace"})) == api_ns_;
    return is_apart ? apart(kube::kSecrets, text_of(secret.at({"metadata", "name"})))
                    : our_secrets();
}

Source ClusterView::config_maps() const {
    return {.kind = kube::kConfigMaps, .ns = ns_};
}

Source ClusterView::pod_source() const {
    return {.kind = kube::kPods, .ns = ns_};
}

}  // namespace runtime::controller
