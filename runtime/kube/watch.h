// Tells a sink of all objects of a kind: lists them in pages, then watches for changes, and starts
// anew when the server has forgotten where we were (410 Gone, also inside the stream) or the
// connection fails. Source: Kubernetes documentation, "Efficient detection of changes", "Retrieving
// large results sets in chunks".
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

// "namespace/name", or "name" of an object without a namespace.
std::string key_of(const renderer::Value& object);

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
    Watch(Loop& loop, KubeClient& client, Log& log, Chance& chance, WatchSource source,
          WatchSink& sink);

    void start() { list({}); }

private:
    void list(const std::string& continued);
    void take_page(const KubeReply& reply);
    void follow();
    void take_bytes(std::string_view bytes);
    void take_event(std::string_view line);
    void take_end(const KubeReply& reply);
    void wait_then_list(std::string_view why);

    Loop& loop_;
    KubeClient& client_;
    Log& log_;
    Chance& chance_;
    WatchSource source_;
    WatchSink& sink_;

    Backoff backoff_;
    std::string version_;     // where the next watch starts
    std::string buffer_;      // the beginning of a line
    bool must_list_ = false;  // our version is too old, or the stream says what we do not know
    bool heard_ = false;      // this stream has said something
    RequestId request_ = 0;
};

}  // namespace runtime
