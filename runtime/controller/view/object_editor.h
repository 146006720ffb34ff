// Changes an object that others also write: reads it, changes our fields, and replaces that
// version. An object has one write at a time, a few in a row and then one every two seconds; all
// writes together are limited. After a failure it backs off. An edit that arrives meanwhile is
// dropped: its caller is told to look again (`ClusterView::changed`) at the objects that it has
// named.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "runtime/base/token_bucket.h"
#include "runtime/base/worker.h"
#include "runtime/controller/view/cluster_view.h"

namespace runtime::controller {

class ObjectEditor {
public:
    ObjectEditor(Loop& loop, kube::Client& kube, Log& log, RandomSource& random, ClusterView& view);

    // Returns false if the object is already as it should be.
    using Edit = std::function<bool(renderer::Value& object)>;

    struct Target {
        Source source;  // whose copies are updated
        std::string ns, name;
        std::string subresource = {};  // "status"
        // The least time between a write and the next.
        Duration pause = Duration(0);
        // Returns the object to create if it does not exist; if empty, none is created.
        std::function<renderer::Value()> make = {};
        // What must be looked at again when the edit ends, or does not begin.
        Changes about = {};
    };
    void edit(const Target& target, Edit edit);

private:
    void take_object(const Target& target, const Edit& edit, kube::Reply reply);
    void finish(const Target& target, const Edit& edit, kube::Reply reply);
    void fail(const std::string& path, const kube::Reply& reply);
    void release();
    void drop(const std::string& path);

    Loop& loop_;
    kube::Client& kube_;
    Log& log_;
    ClusterView& view_;
    TokenBuckets writes_{5, std::chrono::seconds(2), 1024};  // by path
    Worker<std::string> edits_;                              // by path
    int busy_ = 0;
    std::map<std::string, Changes> about_;        // by path: edits in progress or waiting
    std::map<std::string, Changes> turned_away_;  // by path: edits that did not begin
};

}  // namespace runtime::controller
