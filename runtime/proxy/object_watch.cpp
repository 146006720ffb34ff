#include "runtime/proxy/object_watch.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/url.h"

namespace runtime::proxy {

using renderer::Value;

namespace {

constexpr Duration kFirstWait{500};
constexpr Duration kLongestReconnect{30'000};
constexpr Duration kRefusedWait{600'000};
constexpr Duration kLasting{10'000};
constexpr int kMostRefusals = 5;  // in a row, of a watch that was allowed before
constexpr std::size_t kLongestLine = std::size_t{8} << 20U;

bool is_refused(const kube::Reply& reply) {
    return reply.code == 401 || reply.code == 403;
}

}  // namespace

ObjectWatch::ObjectWatch(Loop& loop, kube::Client& client, Log& log, RandomSource& random,
                         const renderer::Kind& kind, std::string_view ns, std::string name,
                         Listener listener)
    : loop_(loop),
      client_(client),
      log_(log),
      random_(random),
      path_(kube::path_of(kind, ns)),
      name_(std::move(name)),
      listener_(std::move(listener)),
      backoff_(random, kFirstWait, kLongestReconnect) {}

ObjectWatch::~ObjectWatch() {
    loop_.cancel(timer_);
    client_.cancel(request_);
}

void ObjectWatch::follow() {
    timer_ = 0;
    buffer_.clear();
    begun_ = loop_.uptime();
    // The server ends the watch after this time, which is random so that not all watches end at
    // once.
    const auto seconds = 300 + random_.below(300);
    request_ = client_.watch(
        path_,
        fmt::format("watch=true&fieldSelector={}&timeoutSeconds={}",
                    escape_url("metadata.name=" + name_), seconds),
        std::chrono::seconds(seconds + 30), [this](std::string_view bytes) { take_bytes(bytes); },
        [this](const kube::Reply& reply) { take_end(reply); });
}

void ObjectWatch::follow_after(Duration delay) {
    loop_.cancel(timer_);
    timer_ = loop_.after(delay, [this] { follow(); });
}

void ObjectWatch::take_bytes(std::string_view bytes) {
    buffer_.append(bytes);
    bool goes_on = true;
    std::size_t start = 0;
    for (std::size_t end = buffer_.find('\n'); end != std::string::npos && goes_on;
         end = buffer_.find('\n', start)) {
        goes_on = take_event(std::string_view(buffer_).substr(start, end - start));
        start = end + 1;
    }
    if (start > 0) {
        std::string(buffer_, start).swap(buffer_);  // frees the memory of a longer event
    }
    if (!goes_on || buffer_.size() > kLongestLine) {
        client_.cancel(std::exchange(request_, 0));
        follow_after(backoff_.next());
    }
}

bool ObjectWatch::take_event(std::string_view line) {
    const auto event = renderer::read_json(line);
    const Value* object = event && event->is_map() ? event->find("object") : nullptr;
    const std::string_view type =
        object == nullptr ? std::string_view() : renderer::text_of(event->find("type"));
    const bool is_told = type == "ADDED" || type == "MODIFIED";
    if (object == nullptr || !object->is_map() || (!is_told && type != "DELETED")) {
        return false;
    }
    was_told_ = true;
    refusals_ = 0;
    if (is_told && renderer::text_of(object->at({"metadata", "name"})) == name_) {
        listener_.on_object(*object);
    }
    return true;
}

void ObjectWatch::take_end(const kube::Reply& reply) {
    request_ = 0;
    // Servers also refuse while they start. The last object stays valid meanwhile.
    refusals_ = is_refused(reply) ? refusals_ + 1 : 0;
    if (refusals_ > (was_told_ ? kMostRefusals : 0)) {
        was_told_ = false;
        log_.info(fmt::format("cannot watch {} {}, so only its mounted files are read: {}", path_,
                              name_, reply.message));
        listener_.on_refusal();
        return follow_after(kRefusedWait);
    }
    // The stream ended by its timeout. A short stream may come from a server that ends each one
    // right after the event with which every watch begins.
    if (reply.ok() && loop_.uptime() - begun_ >= kLasting) {
        backoff_.reset();
        return follow_after({});
    }
    follow_after(backoff_.next());
}

}  // namespace runtime::proxy
