// Watches one object: reports its content when the watch begins, and after each change. Needs the
// right to watch only that name, so a pod can watch its own objects. A watch without a resource
// version begins with the object itself, so after any failure the next watch catches up.
// Source: Kubernetes documentation, "Semantics for watch" (Get State and Start at Most Recent).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/kube/client.h"

namespace runtime::proxy {

class ObjectWatch {
public:
    struct Listener {
        std::function<void(const renderer::Value& object)> on_object;  // may repeat the last object
        // The server refuses the watch. It is tried again after ten minutes.
        std::function<void()> on_refusal;
    };
    // All references outlive it. Nothing is reported for an object that does not exist or was
    // deleted.
    ObjectWatch(Loop& loop, kube::Client& client, Log& log, RandomSource& random,
                const renderer::Kind& kind, std::string_view ns, std::string name,
                Listener listener);
    ~ObjectWatch();
    ObjectWatch(const ObjectWatch&) = delete;
    ObjectWatch& operator=(const ObjectWatch&) = delete;

    void start() { follow(); }

private:
    void follow();
    void follow_after(Duration delay);
    void take_bytes(std::string_view bytes);
    // Returns false if the watch has to start again.
    bool take_event(std::string_view line);
    void take_end(const kube::Reply& reply);

    Loop& loop_;
    kube::Client& client_;
    Log& log_;
    RandomSource& random_;
    std::string path_, name_;
    Listener listener_;
    Backoff backoff_;
    std::string buffer_;     // an incomplete line
    bool was_told_ = false;  // an event arrived since the last on_refusal
    int refusals_ = 0;       // in a row
    Duration begun_{};       // when this stream began, in the loop's uptime
    RequestId request_ = 0;
    TimerId timer_ = 0;
};

}  // namespace runtime::proxy
