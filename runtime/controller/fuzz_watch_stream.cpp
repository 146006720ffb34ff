// Fuzz target: for any watch stream, the copy of the objects does not depend on the pieces in which
// it arrives, no version replaces a newer one, and the watch always continues. The first byte says
// how the rest, which is the stream, is cut.
#include <algorithm>
#include <cstdint>

#include "renderer/base/check.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/view/mirror.h"
#include "runtime/testing/fake_loop.h"

namespace {

using namespace runtime;
using namespace runtime::controller;
using renderer::Value;

// Answers the first list with nothing, then holds the first watch open, but no other.
class StreamServer : public Transport {
public:
    explicit StreamServer(Loop& loop) : loop_(loop) {}

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> on_data) override {
        urls.push_back(std::move(request.url));
        if (urls.size() == 1) {
            loop_.after(Duration(1), [done = std::move(done), on_data = std::move(on_data)] {
                on_data(R"({"metadata":{"resourceVersion":"1"},"items":[]})");
                done({.status = 200});
            });
        } else if (urls.size() == 2) {
            is_open = true;
            data_ = std::move(on_data);
            done_ = std::move(done);
        }
        return urls.size();
    }
    void cancel(RequestId id) override {
        CHECK(is_open && id == 2);
        is_open = false;
    }

    void stream(std::string_view bytes) {
        if (is_open) {
            data_(bytes);
        }
    }
    void end() {
        if (is_open) {
            is_open = false;
            done_({.status = 200});
        }
    }

    std::vector<std::string> urls;
    bool is_open = false;

private:
    Loop& loop_;
    std::function<void(std::string_view)> data_;
    std::function<void(HttpReply)> done_;
};

struct Item {
    std::string text;
    bool operator==(const Item&) const = default;
};

std::optional<Item> decode(const Value& object) {
    const auto text = renderer::text_of(object.find("text"));
    return text == "hidden" ? std::nullopt : std::optional(Item{std::string(text)});
}

// A copy that is checked after each event.
class Copy : public kube::WatchSink {
public:
    void begin_list() override { mirror_.begin_list(); }
    void end_list() override { mirror_.end_list(); }
    void put(const Value& object) override {
        const std::uint64_t before = version_of(object);
        mirror_.put(object);
        const bool is_there = mirror_.objects().contains(key_of(object));
        CHECK(!is_there ||
              version_of(object) == std::max<std::uint64_t>(before, kube::version_number(object)));
        CHECK(is_there || kube::version_number(object) >= before);
        ++events;
    }
    void erase(const Value& object) override {
        const std::uint64_t before = version_of(object);
        mirror_.erase(object);
        const bool is_older =
            kube::version_number(object) != 0 && kube::version_number(object) < before;
        CHECK(mirror_.objects().contains(key_of(object)) == is_older);
        ++events;
    }

    [[nodiscard]] const Mirror<Item>::Objects& objects() const { return mirror_.objects(); }
    std::size_t events = 0;

private:
    [[nodiscard]] std::uint64_t version_of(const Value& object) const {
        const auto found = mirror_.objects().find(key_of(object));
        return found == mirror_.objects().end() ? 0 : found->second.version;
    }
    Mirror<Item> mirror_{decode, [](std::string_view, const Item*, const Item*) {}};
};

struct Outcome {
    Mirror<Item>::Objects objects;
    std::size_t events = 0;
    std::vector<std::string> urls;

    bool operator==(const Outcome&) const = default;
};

// Sends pieces of up to `longest` bytes; the last one may be shorter.
Outcome follow(std::string_view stream, std::uint64_t longest) {
    static Log log(Log::Form::Text, LogLevel::Error);
    FakeLoop loop;
    StreamServer server(loop);
    kube::Client client(server, {.server = "https://kube", .ca_file = "", .token_file = ""});
    RandomSource random(1);
    RandomSource cut(longest);
    Copy copy;
    kube::Watch watch(loop, client, log, random, {.path = "/api/v1/pods"}, copy);
    watch.start();
    loop.run_for(Duration(1));
    while (!stream.empty()) {
        const std::string_view piece =
            longest < stream.size() ? stream.substr(0, cut.below(longest) + 1) : stream;
        server.stream(piece);
        stream.remove_prefix(piece.size());
    }
    server.end();
    loop.run_for(std::chrono::minutes(1));
    CHECK(!server.is_open && server.urls.size() == 3);  // it lists again, or continues the watch
    return {copy.objects(), copy.events, server.urls};
}

}  // namespace

extern "C" int fuzz_watch_stream(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Outcome whole = follow(stream, size);
    CHECK(whole.events <= static_cast<std::size_t>(std::count(stream.begin(), stream.end(), '\n')));
    CHECK(follow(stream, std::uint64_t{data[0]} + 1) == whole);
    return 0;
}
