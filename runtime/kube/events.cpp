#include "runtime/kube/events.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "renderer/base/sha256.h"
#include "renderer/base/utf8.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"

namespace runtime::kube {

using renderer::text_of;
using renderer::Value;

void Events::post(const ObjectRef& object, EventType type, std::string_view reason,
                  std::string_view message) {
    message = message.substr(0, 1024);  // the API server's limit
    const std::string text = redact(message.substr(0, renderer::find_bad_utf8(message)));
    const std::string ns = object.ns.empty() ? "default" : object.ns;
    const std::string name = fmt::format(
        "{}.{:.16}", object.name,
        renderer::sha256_hex(fmt::format("{}\n{}\n{}\n{}", object.kind, object.uid, reason, text)));
    const std::string path = path_of(renderer::kind_of("Event"), ns, name);
    std::erase_if(quiet_until_,
                  [this](const auto& entry) { return entry.second <= loop_.uptime(); });
    const std::string key = fmt::format("{}\n{}\n{}", object.kind, ns, object.name);
    if (quiet_until_.contains(path) || !budgets_.take(key, loop_.uptime())) {
        return;
    }
    // If there is no room, the server is asked again whether it has the Event.
    if (quiet_until_.size() < kEventsKept) {
        quiet_until_.emplace(path, loop_.uptime() + kEventQuiet);
    }
    Value about = Value::map(
        {{"apiVersion", object.api_version}, {"kind", object.kind}, {"name", object.name}});
    put_if(about, !object.ns.empty(), "namespace", object.ns);
    put_if(about, !object.uid.empty(), "uid", object.uid);
    Value event = Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Event"},
         {"metadata", Value::map({{"name", name}, {"namespace", ns}})},
         {"involvedObject", std::move(about)},
         {"type", Value(std::string_view(type == EventType::Normal ? "Normal" : "Warning"))},
         {"reason", reason},
         {"message", text},
         {"source", Value::map({{"component", renderer::kLeaseName}})}});
    // An empty patch reads the Event with the permission that writing needs.
    auto shared = std::make_shared<Value>(std::move(event));
    client_.json_patch(path, Value::list(), [this, path, shared](const Reply& last) {
        write(path, std::move(*shared), last);
    });
}

void Events::write(const std::string& path, Value event, const Reply& last) {
    const auto said_at = parse_time(text_of(last.object.at({"lastTimestamp"})));
    if (said_at.has_value() && std::chrono::abs(loop_.now() - *said_at) < kEventQuiet) {
        return;
    }
    const Value* count = last.object.at({"count"});
    const std::string_view first = text_of(last.object.at({"firstTimestamp"}));
    const std::string now = format_seconds(loop_.now());
    event.put("count", (count == nullptr ? 0 : count->as_int().value_or(0)) + 1);
    event.put("firstTimestamp", first.empty() ? std::string_view(now) : first);
    event.put("lastTimestamp", now);
    client_.apply(path, event, [this, path](const Reply& reply) {
        if (!reply.ok()) {
            log_.warning("cannot write an event", {{"path", path}, {"cause", reply.message}});
        }
    });
}

}  // namespace runtime::kube
