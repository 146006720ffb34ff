// Tells of one object: what it holds when the watch begins, and each change. Needs the right to
// watch that name and no other, so that a pod may follow what is its own. A watch without a version
// begins with the object itself, so that whatever breaks, the next one makes good for it.
// Source: Kubernetes documentation, "Semantics for watch" (Get State and Start at Most Recent).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/kube/client.h"

namespace runtime {

class ObjectWatch {
public:
    struct Listener {
        std::function<void(const renderer::Value& object)> on_object;  // also the same again
        // It may not be watched, or no longer: asked again in a while.
        std::function<void()> on_refusal;
    };
    // All references outlive it. An object that does not exist, or is deleted, is not told of.
    ObjectWatch(Loop& loop, KubeClient& client, Log& log, RandomSource& random,
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
    // False: the watch has to begin anew.
    bool take_event(std::string_view line);
    void take_end(const KubeReply& reply);

    Loop& loop_;
    KubeClient& client_;
    Log& log_;
    RandomSource& random_;
    std::string path_, name_;
    Listener listener_;
    Backoff backoff_;
    std::string buffer_;     // the beginning of a line
    bool was_told_ = false;  // since it was refused for good
    int refusals_ = 0;       // in a row
    Duration begun_{};       // when this stream did, by the loop's uptime
    RequestId request_ = 0;
    TimerId timer_ = 0;
};

}  // namespace runtime
