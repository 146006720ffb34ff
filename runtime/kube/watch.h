// Keeps a copy of all objects of a kind: lists them in pages, then watches for changes, and starts
// anew when the server has forgotten where we were (410 Gone, also inside the stream) or the
// connection fails. Source: Kubernetes documentation, "Efficient detection of changes", "Retrieving
// large results sets in chunks".
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
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
    void take_page(KubeReply reply);
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

// A copy of all objects of a kind, each reduced to what is used of it.
template <typename T>
class Mirror : public WatchSink {
public:
    using Decode = std::optional<T> (*)(const renderer::Value&);
    struct Versioned : T {
        std::uint64_t version = 0;  // 0: of before the list; a restored etcd counts anew
    };
    using Objects = std::map<Text, Versioned, std::less<>>;
    // `decode` says no to objects that are not looked at. `changed` is called after every change
    // that shows in T, with the object's key, and after the first complete list with an empty one.
    Mirror(Decode decode, std::function<void(const std::string& key)> changed)
        : decode_(decode), changed_(std::move(changed)) {}

    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] const Objects& objects() const { return objects_; }
    [[nodiscard]] const T* find(const std::string& key) const {
        const auto found = objects_.find(key);
        return found == objects_.end() ? nullptr : &found->second;
    }

    void begin_list() override {
        unseen_.clear();
        for (auto& [key, object] : objects_) {
            unseen_.emplace(key.view());
            object.version = 0;
        }
    }

    void put(const renderer::Value& object) override {
        const std::string key = key_of(object);
        unseen_.erase(key);
        const std::uint64_t version = version_number(object);
        const auto found = objects_.find(key);
        // What we have written ourselves may be newer than what the watch tells.
        if (found != objects_.end() && version < found->second.version) {
            return;
        }
        auto decoded = decode_(object);
        if (!decoded.has_value()) {
            return drop(key);
        }
        const bool differs = found == objects_.end() || found->second != *decoded;
        objects_.insert_or_assign(found, key, Versioned{std::move(*decoded), version});
        if (differs) {
            changed_(key);
        }
    }

    void erase(const renderer::Value& object) override {
        const std::string key = key_of(object);
        const auto found = objects_.find(key);
        // One that was, when we have made another one of this name since.
        if (const auto version = version_number(object);
            found != objects_.end() && (version == 0 || version >= found->second.version)) {
            drop(key);
        }
    }

    void end_list() override {
        for (const std::string& key : std::exchange(unseen_, {})) {
            drop(key);
        }
        if (!std::exchange(complete_, true)) {
            changed_({});
        }
    }

private:
    void drop(const std::string& key) {
        if (objects_.erase(key) > 0) {
            changed_(key);
        }
    }

    Decode decode_;
    std::function<void(const std::string&)> changed_;
    Objects objects_;
    std::set<std::string> unseen_;
    bool complete_ = false;
};

}  // namespace runtime
