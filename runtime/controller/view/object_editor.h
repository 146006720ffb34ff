// Changes an object that others write, too: reads it, changes what is ours, and writes that very
// version. One write for each object at a time, a few in a row and then one every two seconds, and
// few of all; after a failure it waits, longer each time. What is asked for meanwhile is dropped:
// who asks is asked to look again
// (`ClusterView::changed`), at what he has named.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "runtime/base/attempts.h"
#include "runtime/base/token_bucket.h"
#include "runtime/controller/view/cluster_view.h"

namespace runtime::controller {

class ObjectEditor {
public:
    ObjectEditor(Loop& loop, kube::Client& kube, Log& log, RandomSource& random, ClusterView& view)
        : loop_(loop), kube_(kube), log_(log), random_(random), view_(view) {}

    // False: the object is already as it should be.
    using Edit = std::function<bool(renderer::Value& object)>;

    struct Target {
        Source source;  // whose copies are told
        std::string ns, name;
        std::string subresource = {};  // "status"
        // After a write, at least so long until the next.
        Duration pause = Duration(0);
        // What to begin with when the object is not there; nothing: then it stays so.
        std::function<renderer::Value()> make = {};
        // What is to be looked at again when it is over, or is not begun.
        Changes about = {};
    };
    void edit(const Target& target, Edit edit);

private:
    void take_object(const Target& target, const Edit& edit, kube::Reply reply);
    void finish(const Target& target, const Edit& edit, kube::Reply reply);
    void fail(const Target& target, const kube::Reply& reply);
    void release();
    void pause(const Target& target, Duration delay);
    void look_again(const Target& target, Duration delay);

    Loop& loop_;
    kube::Client& kube_;
    Log& log_;
    RandomSource& random_;
    ClusterView& view_;
    TokenBuckets writes_{5, std::chrono::seconds(2), 1024};  // by path
    std::map<std::string, Attempts> attempts_;  // by path: of what is under way, or has to wait
    int busy_ = 0;
    std::map<std::string, Changes> turned_away_;  // by path: it, or too much, was under way
};

}  // namespace runtime::controller
