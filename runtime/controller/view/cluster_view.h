// What is in the cluster, as far as the controller and its features look: copies of objects, each
// reduced to what is used of it, kept up to date by one watch for each source however many copies
// are made of it. It decides nothing and writes nothing.
//
// A feature adds its own copies in its constructor, before `start`:
//   services_(view.follow<ServiceParent>({.kind = kServices}, decode_service_parent))
// and reads them in its `reconcile` (feature.h), which is called once all copies are complete and
// again after every change that shows in one of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/view/changes.h"
#include "runtime/controller/view/group_config.h"
#include "runtime/controller/view/index.h"
#include "runtime/controller/view/mirror.h"
#include "runtime/controller/view/objects.h"
#include "runtime/controller/view/tailnet_config.h"

namespace runtime::controller {

// Where objects come from: a kind in one namespace, or in all when `ns` is empty.
struct Source {
    renderer::Kind kind;
    std::string ns = {};
    std::string query = {};  // selectors, as in a URL

    [[nodiscard]] std::string key() const { return kube::path_of(kind, ns) + "?" + query; }
};

class ClusterView {
public:
    // All references outlive it.
    // `api_ns` is the API proxy's own namespace; empty: it has none.
    ClusterView(Loop& loop, kube::Client& kube, Log& log, RandomSource& random, std::string ns,
                std::string api_ns = {});
    ~ClusterView();
    ClusterView(const ClusterView&) = delete;
    ClusterView& operator=(const ClusterView&) = delete;

    // What a change of one object means for others: adds to `changes`. `before` and `after` as
    // Mirror says them.
    template <typename T>
    using Meaning = std::function<void(std::string_view name, const T* before, const T* after,
                                       Changes& changes)>;
    // The copy lives as long as the view. Not after `start`. Without a meaning a change is another
    // look at what each feature asks for by itself.
    template <typename T>
    const Mirror<T>& follow(const Source& source, typename Mirror<T>::Decode decode,
                            Meaning<T> meaning = {}) {
        const Mirror<T>& copy = add<T>(source, decode, std::move(meaning));
        are_complete_.push_back([&copy] { return copy.complete(); });
        return copy;
    }
    // Of copies of what belongs to the pod of the same name.
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

    // Called after every change; `changed` is also what someone has to say who wants another look,
    // at something that he names, or only at what time and answers may have changed.
    void on_change(std::function<void(Changes)> listener) { listener_ = std::move(listener); }
    void changed(Changes changes = {}) {
        if (listener_) {
            listener_(std::move(changes));
        }
    }

    void start();
    // Does not wait for the copies of what is apart: there may be no right to read it yet.
    [[nodiscard]] bool complete() const;
    // The copies below are: enough for keys and devices, whatever a feature waits for.
    [[nodiscard]] bool own_complete() const;
    // True if nothing is apart, or the copies of it are complete.
    [[nodiscard]] bool apart_complete() const;

    // What we have written ourselves, so that the next decision sees it before the watch tells.
    void wrote(const Source& source, const renderer::Value& object);
    void erased(const Source& source, const renderer::Value& object);

    [[nodiscard]] const std::string& ns() const { return ns_; }
    // The API proxy's own namespace; empty: it has none. The view looks at the API proxy's objects
    // there, whose names it knows, and at nothing else.
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

    // The controller's own namespace.
    [[nodiscard]] const Mirror<ProxySet>& sets() const { return *sets_; }
    [[nodiscard]] const Mirror<StateSecret>& states() const { return *states_; }
    [[nodiscard]] const Mirror<AuthSecret>& auths() const { return *auths_; }
    [[nodiscard]] const Mirror<Pod>& pods() const { return *pods_; }
    [[nodiscard]] const Mirror<TailnetConfig>& tailnet_configs() const { return *tailnet_configs_; }
    [[nodiscard]] const Mirror<GroupConfig>& groups() const { return *groups_; }
    [[nodiscard]] const Mirror<Certificate>& certificates() const { return *certificates_; }

    // Names of StatefulSets by the parent that they serve, the operator's by its labels;
    [[nodiscard]] const Index& sets_by_parent() const { return sets_by_parent_; }
    // of the operator's by all their labels;
    [[nodiscard]] const Index& operators_sets() const { return operators_sets_; }
    // of Secrets by the device that is noted on them, or that a pod merely names.
    [[nodiscard]] const Index& noted_devices() const { return noted_devices_; }
    [[nodiscard]] const Index& named_devices() const { return named_devices_; }

    [[nodiscard]] Source our_secrets() const;  // those that the controller makes
    // Of a Secret of a replica, in either namespace.
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
    Index sets_by_parent_, operators_sets_, noted_devices_, named_devices_;
    std::map<std::string, std::unique_ptr<Fan>> fans_;  // by key of the source
    std::vector<std::function<bool()>> are_complete_;
    bool started_ = false;

    const Mirror<ProxySet>* sets_;
    const Mirror<StateSecret>* states_;
    const Mirror<AuthSecret>* auths_;
    const Mirror<Pod>* pods_;
    const Mirror<TailnetConfig>* tailnet_configs_;
    const Mirror<GroupConfig>* groups_;
    const Mirror<Certificate>* certificates_;
    std::optional<Apart> apart_;
};

}  // namespace runtime::controller
