#include "runtime/kube/watch.h"

#include <fmt/format.h>

#include <charconv>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/url.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kFirstWait{500};
constexpr Duration kLongestWait{30'000};
constexpr Duration kAbsentWait{600'000};
constexpr int kPage = 500;  // objects
constexpr std::size_t kLongestLine = std::size_t{8} << 20U;

std::string with(const std::string& query, const std::string& more) {
    return query.empty() ? more : query + "&" + more;
}

std::string_view version_of(const Value& object) {
    return text_of(object.at({"metadata", "resourceVersion"}));
}

}  // namespace

std::string key_of(const Value& object) {
    const std::string_view ns = text_of(object.at({"metadata", "namespace"}));
    const std::string_view name = text_of(object.at({"metadata", "name"}));
    return ns.empty() ? std::string(name) : fmt::format("{}/{}", ns, name);
}

std::uint64_t version_number(const Value& object) {
    const std::string_view text = version_of(object);
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

Watch::Watch(Loop& loop, KubeClient& client, Log& log, Chance& chance, WatchSource source,
             WatchSink& sink)
    : loop_(loop),
      client_(client),
      log_(log),
      chance_(chance),
      source_(std::move(source)),
      sink_(sink),
      backoff_(chance, kFirstWait, kLongestWait) {}

void Watch::list(const std::string& continued) {
    if (continued.empty()) {
        sink_.begin_list();
    }
    const std::string page = fmt::format("limit={}", kPage);
    request_ = client_.list(
        source_.path,
        with(source_.query, continued.empty() ? page : page + "&continue=" + escape_url(continued)),
        [this](const Value& object) { sink_.put(object); },
        [this](const KubeReply& reply) { take_page(reply); });
}

void Watch::take_page(const KubeReply& reply) {
    if (reply.not_found() && source_.may_be_absent) {
        sink_.begin_list();
        sink_.end_list();
        loop_.after(kAbsentWait, [this] { list({}); });
        return;
    }
    if (!reply.ok()) {
        // Also 410: the pages that we have are from a time that the server has forgotten.
        return wait_then_list(reply.message);
    }
    version_ = version_of(reply.object);
    const std::string_view continued = text_of(reply.object.at({"metadata", "continue"}));
    if (!continued.empty()) {
        return list(std::string(continued));
    }
    sink_.end_list();
    follow();
}

void Watch::follow() {
    buffer_.clear();
    must_list_ = false;
    heard_ = false;
    // The server ends a watch after this time, at another moment for each watch.
    const auto seconds = 300 + chance_.below(300);
    request_ = client_.watch(
        source_.path,
        with(source_.query,
             fmt::format("watch=true&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}",
                         seconds, version_)),
        std::chrono::seconds(seconds + 30), [this](std::string_view bytes) { take_bytes(bytes); },
        [this](const KubeReply& reply) { take_end(reply); });
}

void Watch::take_bytes(std::string_view bytes) {
    buffer_.append(bytes);
    std::size_t start = 0;
    for (std::size_t end = buffer_.find('\n'); end != std::string::npos && !must_list_;
         end = buffer_.find('\n', start)) {
        take_event(std::string_view(buffer_).substr(start, end - start));
        start = end + 1;
    }
    if (start > 0) {
        std::string(buffer_, start).swap(buffer_);  // without the room of a longer event
    }
    if (must_list_ || buffer_.size() > kLongestLine) {
        client_.cancel(request_);
        wait_then_list(must_list_ ? "the watch cannot go on from here" : "an event has no end");
    }
}

void Watch::take_event(std::string_view line) {
    const auto event = renderer::read_json(line);
    const Value* object = event && event->is_map() ? event->find("object") : nullptr;
    if (object == nullptr || !object->is_map()) {
        must_list_ = true;
        return;
    }
    const std::string_view type = text_of(event->find("type"));
    if (type == "ADDED" || type == "MODIFIED") {
        sink_.put(*object);
    } else if (type == "DELETED") {
        sink_.erase(*object);
    } else if (type != "BOOKMARK") {
        must_list_ = true;  // ERROR, mostly 410: too old
        return;
    }
    version_ = version_of(*object);
    heard_ = true;
    backoff_.reset();
}

void Watch::take_end(const KubeReply& reply) {
    if (reply.ok() && heard_) {
        return follow();  // its time was over
    }
    if (reply.ok()) {
        // Silence for the whole time is usual in a quiet cluster; at once it would be a loop.
        loop_.after(backoff_.next(), [this] { follow(); });
        return;
    }
    wait_then_list(reply.message);
}

void Watch::wait_then_list(std::string_view why) {
    const Duration delay = backoff_.next();
    log_.warning("watch is interrupted", {{"path", source_.path},
                                          {"cause", std::string(why)},
                                          {"again_in_ms", fmt::format("{}", delay.count())}});
    loop_.after(delay, [this] { list({}); });
}

}  // namespace runtime
