// Tells a sink of all objects of a kind: lists them in pages, then watches for changes. Whatever
// breaks, it goes on where it was, at the same page or behind the last event. It lists again only
// when the server has forgotten where that was (410 Gone, also inside the stream), when an event
// cannot be read for the second time, and when the server is at an older version than we are: etcd
// was restored from a backup, and a watch would say nothing until it is past ours again.
// Source: Kubernetes documentation, "Efficient detection of changes", "Retrieving large results
// sets in chunks"; client-go's tools/cache/reflector.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/kube/client.h"

namespace runtime {

// Where a watch puts what it sees.
class WatchSink {
public:
    WatchSink() = default;
    WatchSink(const WatchSink&) = delete;
    WatchSink& operator=(const WatchSink&) = delete;
    virtual ~WatchSink() = default;

    virtual void begin_list() = 0;
    virtual void put(const renderer::Value& object) = 0;
    virtual void erase(const renderer::Value& object) = 0;
    virtual void end_list() = 0;  // what the list did not hold is gone
};

// Its resourceVersion, by which versions of one object can be compared (KEP-5504); 0: it has none.
std::uint64_t version_number(const renderer::Value& object);

struct WatchSource {
    std::string path;
    std::string query = {};  // selectors: "labelSelector=a%3Db"
    // 404 is a list of nothing, looked at again in a while: its kind is not installed.
    bool may_be_absent = false;
};

class Watch {
public:
    // All references outlive the watch.
    Watch(Loop& loop, KubeClient& client, Log& log, RandomSource& random, WatchSource source,
          WatchSink& sink);

    void start() { list(); }

private:
    using Step = void (Watch::*)();

    void list();
    void ask_for_page();
    void take_page(const KubeReply& reply);
    void tell_absence();
    void resume();
    void take_version(const KubeReply& reply);
    void follow();
    void take_bytes(std::string_view bytes);
    Step take_event(std::string_view line);
    Step doubt();
    void take_end(const KubeReply& reply);
    void wait_then(Step step, std::string_view why);

    Loop& loop_;
    KubeClient& client_;
    Log& log_;
    RandomSource& random_;
    WatchSource source_;
    WatchSink& sink_;

    Backoff backoff_;
    std::string continued_;  // where the next page starts; empty: at the first
    std::string version_;    // where the next watch starts
    std::string buffer_;     // the beginning of a line
    bool heard_ = false;     // this stream has said something
    bool doubts_ = false;    // what came behind `version_` could not be read
    RequestId request_ = 0;
};

}  // namespace runtime
