// Keeps a sink up to date with all objects of a kind: lists them in pages, then watches for
// changes. After a failure it continues where it was, at the same page or after the last event. It
// lists again only if the server no longer has that version (410 Gone, also inside the stream), if
// an event cannot be read twice in a row, or if the server is at an older version than we are: etcd
// was restored from a backup, and a watch would report nothing until it has passed our version.
// Source: Kubernetes documentation, "Efficient detection of changes", "Retrieving large results
// sets in chunks"; client-go's tools/cache/reflector.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/kube/client.h"

namespace runtime::kube {

// Receives the objects of a watch.
class WatchSink {
public:
    WatchSink() = default;
    WatchSink(const WatchSink&) = delete;
    WatchSink& operator=(const WatchSink&) = delete;
    virtual ~WatchSink() = default;

    virtual void begin_list() = 0;
    virtual void put(const renderer::Value& object) = 0;
    virtual void erase(const renderer::Value& object) = 0;
    virtual void end_list() = 0;  // objects that were not listed were deleted
};

// Returns the resourceVersion, which orders versions of one object (KEP-5504), or 0 without one.
std::uint64_t version_number(const renderer::Value& object);

struct WatchSource {
    std::string path;
    std::string query = {};  // selectors: "labelSelector=a%3Db"
    // Treats 404 as an empty list, and checks again later: the kind is not installed.
    bool may_be_absent = false;
};

class Watch {
public:
    // All references must outlive the watch.
    Watch(Loop& loop, Client& client, Log& log, RandomSource& random, WatchSource source,
          WatchSink& sink);

    void start() { list(); }

private:
    using Step = void (Watch::*)();

    void list();
    void ask_for_page();
    void take_page(const Reply& reply);
    void tell_absence();
    void resume();
    void take_version(const Reply& reply);
    void follow();
    void take_bytes(std::string_view bytes);
    Step take_event(std::string_view line);
    Step doubt();
    void take_end(const Reply& reply);
    void wait_then(Step step, std::string_view why);

    Loop& loop_;
    Client& client_;
    Log& log_;
    RandomSource& random_;
    WatchSource source_;
    WatchSink& sink_;

    Backoff backoff_;
    std::string continued_;  // where the next page starts; empty: at the first
    std::string version_;    // where the next watch starts
    std::string buffer_;     // an incomplete line
    bool heard_ = false;     // this stream has sent an event
    bool doubts_ = false;    // the event after `version_` could not be read
    RequestId request_ = 0;
};

}  // namespace runtime::kube
