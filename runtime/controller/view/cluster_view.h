// The cluster, as far as the controller and its features use it: copies of objects, each reduced to
// the used fields, and updated by one watch per source, however many copies it has. The view
// decides nothing and writes nothing.
//
// A feature adds its own copies in its constructor, before `start`:
//   services_(view.follow<ServiceParent>({.kind = kServices}, decode_service_parent))
// and reads them in its `reconcile` (feature.h), which is called once all copies are complete and
// again after every change in one of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/contract/tailnet_config.h"
#include "runtime/controller/view/changes.h"
#include "runtime/controller/view/group_config.h"
#include "runtime/controller/view/index.h"
#include "runtime/controller/view/mirror.h"
#include "runtime/controller/view/objects.h"
#include "runtime/kube/events.h"

namespace runtime::controller {

// A source of objects: a kind in one namespace, or in all if `ns` is empty.
struct Source {
    renderer::Kind kind;
    std::string ns = {};
    std::string query = {};  // selectors, as in a URL

    [[nodiscard]] std::string key() const { return kube::path_of(kind, ns) + "?" + query; }
};

class ClusterView {
public:
    // All references outlive it. `api_ns` is the API proxy's own namespace; empty: it has none.
    ClusterView(Loop& loop, kube::Client& kube, Log& log, RandomSource& random, std::string ns,
                std::string api_ns = {});
    ~ClusterView();
    ClusterView(const ClusterView&) = delete;
    ClusterView& operator=(const ClusterView&) = delete;

    // Adds to `changes` what a change of one object means for others. `before` and `after` are as
    // in Mirror.
    template <typename T>
    using Meaning = std::function<void(std::string_view name, const T* before, const T* after,
                                       Changes& changes)>;
    // The copy lives as long as the view. It must not be called after `start`. Without a meaning, a
    // change makes each feature look at what it always looks at.
    template <typename T>
    const Mirror<T>& follow(const Source& source, typename Mirror<T>::Decode decode,
                            Meaning<T> meaning = {}) {
        const Mirror<T>& copy = add<T>(source, decode, std::move(meaning));
        are_complete_.push_back([&copy] { return copy.complete(); });
        return copy;
    }
    // For copies of objects that belong to the pod of the same name.
    template <typename T>
    static Meaning<T> its_pod() {
        return [](std::string_view name, const T*, const T*, Changes& changes) {
            changes.pods.emplace(name);
        };
    }
    template <typename T>
    static Meaning<T> everything() {
        return [](std::string_view, const T*, const T*, Changes& changes) {
            changes.everything = true;
        };
    }

    // The listener is called after every change. Others call `changed` for another look, at the
    // named objects, or only at what depends on time and answers.
    void on_change(std::function<void(Changes)> listener) { listener_ = std::move(listener); }
    void changed(Changes changes = {}) {
        if (listener_) {
            listener_(std::move(changes));
        }
    }

    void start();
    // Without the copies of what is apart: the controller may not be allowed to read it yet.
    [[nodiscard]] bool complete() const;
    // True if the copies below are complete: enough for keys and devices, whatever a feature needs.
    [[nodiscard]] bool own_complete() const;
    // True if nothing is apart, or the copies of it are complete.
    [[nodiscard]] bool apart_complete() const;

    // Adds our own writes, so that the next decision sees them before the watch reports them.
    void wrote(const Source& source, const renderer::Value& object);
    void erased(const Source& source, const renderer::Value& object);

    [[nodiscard]] const std::string& ns() const { return ns_; }
    // The API proxy's own namespace; empty if it has none. There the view reads only the API
    // proxy's objects, whose names are known.
    [[nodiscard]] const std::string& api_ns() const { return api_ns_; }
    [[nodiscard]] bool is_apart(std::string_view set) const;
    // Calls `visit(set)` for the StatefulSets of both namespaces. Of two with the same name it
    // takes the one that is apart.
    void each_set(const std::function<void(const ProxySet&)>& visit) const;
    [[nodiscard]] const ProxySet* find_set(std::string_view name) const;
    // If its StatefulSet was deleted, what is left of the replica is found in either namespace.
    [[nodiscard]] const Pod* find_pod(std::string_view name) const;
    [[nodiscard]] const StateSecret* find_state(std::string_view pod) const;
    // The Secret that the API proxy's pod reads its key from; nullptr: it does not exist.
    [[nodiscard]] const DeliveredKey* delivered_key() const;
    [[nodiscard]] std::string key(std::string_view name) const;  // of an object in our namespace
    // Names such an object, for Events about it.
    [[nodiscard]] kube::ObjectRef reference(const renderer::Kind& kind, std::string_view name,
                                            std::string_view uid) const;

    // The controller's own namespace.
    [[nodiscard]] const Mirror<ProxySet>& sets() const { return *sets_; }
    [[nodiscard]] const Mirror<StateSecret>& states() const { return *states_; }
    [[nodiscard]] const Mirror<AuthSecret>& auths() const { return *auths_; }
    [[nodiscard]] const Mirror<Pod>& pods() const { return *pods_; }
    [[nodiscard]] const Mirror<renderer::TailnetConfig>& tailnet_configs() const {
        return *tailnet_configs_;
    }
    [[nodiscard]] const Mirror<GroupConfig>& groups() const { return *groups_; }
    [[nodiscard]] const Mirror<Certificate>& certificates() const { return *certificates_; }

    // The names of StatefulSets by the parent that they serve, the operator's by its labels;
    [[nodiscard]] const Index& sets_by_parent() const { return indexes_.sets_by_parent; }
    // of the operator's StatefulSets by all their labels;
    [[nodiscard]] const Index& operators_sets() const { return indexes_.operators_sets; }
    // of Secrets by the device that is noted on them, or that a pod only names.
    [[nodiscard]] const Index& noted_devices() const { return indexes_.noted_devices; }
    [[nodiscard]] const Index& named_devices() const { return indexes_.named_devices; }

    [[nodiscard]] Source our_secrets() const;  // those that the controller creates
    // The source of a replica's Secret, in either namespace.
    [[nodiscard]] Source source_of(const renderer::Value& secret) const;
    [[nodiscard]] Source config_maps() const;
    [[nodiscard]] Source pod_source() const;

private:
    class Fan;
    // Copies of the objects that are apart. Each has at most one.
    struct Apart {
        const Mirror<ProxySet>* sets;
        const Mirror<Pod>* pods;
        const Mirror<StateSecret>* states;
        const Mirror<DeliveredKey>* keys;
    };
    // The names of objects by what they are for.
    struct Indexes {
        Index sets_by_parent, operators_sets, noted_devices, named_devices;
    };
    void follow_apart();
    [[nodiscard]] Source apart(const renderer::Kind& kind, std::string_view name) const;
    [[nodiscard]] std::string apart_key(std::string_view name) const;
    [[nodiscard]] Meaning<ProxySet> set_meaning();
    [[nodiscard]] Meaning<StateSecret> state_meaning();
    void take_set(const ProxySet* before, const ProxySet* after, Changes& changes);
    void take_state(const StateSecret* before, const StateSecret* after, Changes& changes);
    void take_auth(const AuthSecret* before, const AuthSecret* after, Changes& changes);
    template <typename T>
    const Mirror<T>& add(const Source& source, typename Mirror<T>::Decode decode,
                         Meaning<T> meaning) {
        auto mirror = std::make_unique<Mirror<T>>(
            decode, [this, meaning = std::move(meaning)](std::string_view key, const T* before,
                                                         const T* after) {
                Changes changes{.everything = key.empty()};
                if (meaning && !key.empty()) {
                    meaning(key.substr(key.rfind('/') + 1), before, after, changes);
                }
                changed(std::move(changes));
            });
        const Mirror<T>& copy = *mirror;
        add(source, std::move(mirror));
        return copy;
    }
    void add(const Source& source, std::unique_ptr<kube::WatchSink> copy);

    Loop& loop_;
    kube::Client& kube_;
    Log& log_;
    RandomSource& random_;
    std::string ns_, api_ns_;
    std::function<void(Changes)> listener_;
    Indexes indexes_;
    std::map<std::string, std::unique_ptr<Fan>> fans_;  // by key of the source
    std::vector<std::function<bool()>> are_complete_;
    bool started_ = false;

    const Mirror<ProxySet>* sets_;
    const Mirror<StateSecret>* states_;
    const Mirror<AuthSecret>* auths_;
    const Mirror<Pod>* pods_;
    const Mirror<renderer::TailnetConfig>* tailnet_configs_;
    const Mirror<GroupConfig>* groups_;
    const Mirror<Certificate>* certificates_;
    std::optional<Apart> apart_;
};

}  // namespace runtime::controller
