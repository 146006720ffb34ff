#include "runtime/kube/watch.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/url.h"

namespace runtime::kube {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kFirstWait{500};
constexpr Duration kLongestWait{30'000};
constexpr Duration kAbsentWait{600'000};
constexpr int kPage = 500;  // objects per page
constexpr std::size_t kLongestLine = std::size_t{8} << 20U;

std::string with(const std::string& query, const std::string& more) {
    return query.empty() ? more : query + "&" + more;
}

std::string_view version_of(const Value& object) {
    return text_of(object.at({"metadata", "resourceVersion"}));
}

std::uint64_t number_of(std::string_view version) {
    std::uint64_t number = 0;
    std::from_chars(version.data(), version.data() + version.size(), number);
    return number;
}

bool may_pass(const Reply& reply) {
    return reply.code == 0 || reply.code == 429 || reply.code >= 500;
}

// 400 means that this server does not understand the version.
bool is_forgotten(std::int64_t code) {
    return code == 410 || code == 400;
}

}  // namespace

std::uint64_t version_number(const Value& object) {
    return number_of(version_of(object));
}

Watch::Watch(Loop& loop, Client& client, Log& log, RandomSource& random, WatchSource source,
             WatchSink& sink)
    : loop_(loop),
      client_(client),
      log_(log),
      random_(random),
      source_(std::move(source)),
      sink_(sink),
      backoff_(random, kFirstWait, kLongestWait) {}

void Watch::list() {
    continued_.clear();
    doubts_ = false;
    sink_.begin_list();
    ask_for_page();
}

void Watch::ask_for_page() {
    const std::string page = fmt::format("limit={}", kPage);
    client_.list(
        source_.path,
        with(source_.query,
             continued_.empty() ? page : page + "&continue=" + escape_url(continued_)),
        [this](const Value& object) { sink_.put(object); },
        [this](const Reply& reply) { take_page(reply); });
}

void Watch::take_page(const Reply& reply) {
    if (reply.not_found() && source_.may_be_absent) {
        return tell_absence();
    }
    if (!reply.ok()) {
        // 410: the server no longer has the version of the pages that we have.
        const bool may_go_on = !continued_.empty() && may_pass(reply);
        return wait_then(may_go_on ? &Watch::ask_for_page : &Watch::list, reply.message);
    }
    version_ = version_of(reply.object);
    continued_ = text_of(reply.object.at({"metadata", "continue"}));
    if (!continued_.empty()) {
        return ask_for_page();
    }
    sink_.end_list();
    follow();
}

void Watch::tell_absence() {
    sink_.begin_list();
    sink_.end_list();
    loop_.after(kAbsentWait, [this] { list(); });
}

void Watch::resume() {
    // Reads the version of the list, with a single object. There may be no right to objects other
    // than the one that the source names.
    const bool is_named = source_.query.starts_with("fieldSelector=");
    client_.list(
        source_.path, is_named ? with(source_.query, "limit=1") : "limit=1", [](const Value&) {},
        [this](const Reply& reply) { take_version(reply); });
}

void Watch::take_version(const Reply& reply) {
    if (reply.not_found() && source_.may_be_absent) {
        return tell_absence();
    }
    if (!reply.ok()) {
        return wait_then(&Watch::resume, reply.message);
    }
    number_of(version_of(reply.object)) < number_of(version_) ? list() : follow();
}

void Watch::follow() {
    buffer_.clear();
    heard_ = false;
    // The server ends the watch after this time, which differs between watches.
    const auto seconds = 300 + random_.below(300);
    request_ = client_.watch(
        source_.path,
        with(source_.query,
             fmt::format("watch=true&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}",
                         seconds, version_)),
        std::chrono::seconds(seconds + 30), [this](std::string_view bytes) { take_bytes(bytes); },
        [this](const Reply& reply) { take_end(reply); });
}

void Watch::take_bytes(std::string_view bytes) {
    buffer_.append(bytes);
    Step stop = nullptr;
    std::size_t start = 0;
    for (std::size_t end = buffer_.find('\n'); end != std::string::npos && stop == nullptr;
         end = buffer_.find('\n', start)) {
        stop = take_event(std::string_view(buffer_).substr(start, end - start));
        start = end + 1;
    }
    if (start > 0) {
        std::string(buffer_, start).swap(buffer_);  // without spare capacity
    }
    if (stop == nullptr && buffer_.size() > kLongestLine) {
        stop = doubt();
    }
    if (stop != nullptr) {
        client_.cancel(request_);
        wait_then(stop, "the watch cannot resume");
    }
}

// Returns what to do instead of reading on, or nullptr.
Watch::Step Watch::take_event(std::string_view line) {
    const auto event = renderer::read_json_within_limits(line);
    const Value* object = event && event->is_map() ? event->find("object") : nullptr;
    if (object == nullptr || !object->is_map()) {
        return doubt();
    }
    const std::string_view type = text_of(event->find("type"));
    if (type == "ERROR") {
        const Value* code = object->find("code");
        const auto status = code == nullptr ? std::nullopt : code->as_int();
        return !status ? doubt() : is_forgotten(*status) ? &Watch::list : &Watch::resume;
    }
    const bool is_known =
        type == "ADDED" || type == "MODIFIED" || type == "DELETED" || type == "BOOKMARK";
    if (!is_known || version_of(*object).empty()) {
        return doubt();
    }
    if (type == "DELETED") {
        sink_.erase(*object);
    } else if (type != "BOOKMARK") {
        sink_.put(*object);
    }
    version_ = version_of(*object);
    heard_ = true;
    doubts_ = false;
    backoff_.reset();
    return nullptr;
}

// An event that cannot be read may have been damaged in transit. If it happens again, it is the
// server's.
Watch::Step Watch::doubt() {
    return std::exchange(doubts_, true) ? &Watch::list : &Watch::resume;
}

void Watch::take_end(const Reply& reply) {
    if (reply.ok() && heard_) {
        return follow();  // the time of the watch was over
    }
    if (reply.ok()) {
        // A quiet cluster sends nothing. If the stream ended at once, the delay prevents a loop.
        loop_.after(backoff_.next(), [this] { follow(); });
        return;
    }
    wait_then(is_forgotten(reply.code) ? &Watch::list : &Watch::resume, reply.message);
}

void Watch::wait_then(Step step, std::string_view why) {
    const Duration delay = backoff_.next();
    log_.warning("watch was interrupted", {{"path", source_.path},
                                           {"cause", std::string(why)},
                                           {"again_in_ms", fmt::format("{}", delay.count())}});
    loop_.after(delay, [this, step] { (this->*step)(); });
}

}  // namespace runtime::kube
