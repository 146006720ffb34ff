// What is in the cluster, as far as the controller and its features look: copies of objects, each
// reduced to what is used of it, kept up to date by one watch for each source however many copies
// are made of it. It decides nothing and writes nothing.
//
// A feature adds its own copies in its constructor, before `start`:
//   services_(view.follow<ServiceParent>({.resource = kServices}, decode_service_parent))
// and reads them in its `reconcile` (feature.h), which is called once all copies are complete and
// again after every change that shows in one of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/controller/group_objects.h"
#include "runtime/controller/mirror.h"
#include "runtime/controller/objects.h"
#include "runtime/controller/tailnet_config.h"

namespace runtime {

// Where objects come from: a kind in one namespace, or in all when `ns` is empty.
struct Source {
    Resource resource;
    std::string ns = {};
    std::string query = {};      // selectors, as in a URL
    bool may_be_absent = false;  // the kind: of a CRD that is not installed there are no objects

    [[nodiscard]] std::string key() const { return path_of(resource, ns) + "?" + query; }
};

class ClusterView {
public:
    // All references outlive it.
    ClusterView(Loop& loop, KubeClient& kube, Log& log, Chance& chance, std::string ns);
    ~ClusterView();
    ClusterView(const ClusterView&) = delete;
    ClusterView& operator=(const ClusterView&) = delete;

    // The copy lives as long as the view. Not after `start`.
    template <typename T>
    const Mirror<T>& follow(const Source& source, typename Mirror<T>::Decode decode) {
        auto mirror =
            std::make_unique<Mirror<T>>(decode, [this](const std::string&) { changed(); });
        const Mirror<T>& copy = *mirror;
        add(source, std::move(mirror), [&copy] { return copy.complete(); });
        return copy;
    }

    // Called after every change; also what somebody has to say who wants another look.
    void on_change(std::function<void()> listener) { listener_ = std::move(listener); }
    void changed() {
        if (listener_) {
            listener_();
        }
    }

    void start();
    [[nodiscard]] bool complete() const;
    // The copies below are: enough for keys and devices, whatever a feature waits for.
    [[nodiscard]] bool own_complete() const;

    // What we have written ourselves, so that the next decision sees it before the watch tells.
    void wrote(const Source& source, const renderer::Value& object);
    void erased(const Source& source, const renderer::Value& object);

    [[nodiscard]] const std::string& ns() const { return ns_; }
    [[nodiscard]] std::string key(std::string_view name) const;  // of an object in our namespace

    // The controller's own namespace.
    [[nodiscard]] const Mirror<ProxySet>& sets() const { return *sets_; }
    [[nodiscard]] const Mirror<StateSecret>& states() const { return *states_; }
    [[nodiscard]] const Mirror<AuthSecret>& auths() const { return *auths_; }
    [[nodiscard]] const Mirror<Pod>& pods() const { return *pods_; }
    [[nodiscard]] const Mirror<TailnetConfig>& tailnet_configs() const { return *tailnet_configs_; }
    [[nodiscard]] const Mirror<GroupConfig>& groups() const { return *groups_; }
    [[nodiscard]] const Mirror<Certificate>& certificates() const { return *certificates_; }

    [[nodiscard]] Source our_secrets() const;  // those that the controller makes
    [[nodiscard]] Source config_maps() const;
    [[nodiscard]] Source pod_source() const;

private:
    class Fan;
    void add(const Source& source, std::unique_ptr<WatchSink> copy,
             std::function<bool()> is_complete);

    Loop& loop_;
    KubeClient& kube_;
    Log& log_;
    Chance& chance_;
    std::string ns_;
    std::function<void()> listener_;
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
};

}  // namespace runtime
