#include "runtime/recording/request_event.h"

#include <map>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "runtime/recording/cast.h"
#include "runtime/recording/query.h"

namespace runtime::recording {

using renderer::Value;

namespace {

Value texts(const std::vector<std::string>& all) {
    Value out = Value::list();
    for (const std::string& text : all) {
        out.append(valid_text(text));
    }
    return out;
}

Value query_value(std::string_view target) {
    std::map<std::string, std::vector<std::string>> sorted;
    for (auto& [name, value] : query_of(target)) {
        sorted[name].push_back(std::move(value));
    }
    Value out = Value::map();
    for (const auto& [name, values] : sorted) {
        out.add(valid_text(name), texts(values));
    }
    return out;
}

Value info_value(const RequestInfo& info) {
    return Value::map({{"IsResourceRequest", info.is_resource},
                       {"Path", valid_text(info.path)},
                       {"Verb", valid_text(info.verb)},
                       {"APIPrefix", info.prefix},
                       {"APIGroup", valid_text(info.group)},
                       {"APIVersion", valid_text(info.version)},
                       {"Namespace", valid_text(info.ns)},
                       {"Resource", valid_text(info.resource)},
                       {"Subresource", valid_text(info.subresource)},
                       {"Name", valid_text(info.name)},
                       {"Parts", info.is_resource ? texts(info.parts) : Value()},
                       {"FieldSelector", valid_text(info.field_selector)},
                       {"LabelSelector", valid_text(info.label_selector)}});
}

Value source_value(const RequestEvent& event) {
    Value out = Value::map({{"node", event.node}, {"nodeID", event.node_id}});
    if (!event.tags.empty()) {
        out.add("nodeTags", texts(event.tags));
        return out;
    }
    renderer::put_if(out, event.user_id != 0, "nodeUserID", event.user_id);
    renderer::put_if(out, !event.user.empty(), "nodeUser", event.user);
    return out;
}

}  // namespace

std::string event_json(const RequestEvent& event, const RequestInfo& info) {
    const std::string body =
        has_sensitive_body(info) ? std::string() : renderer::encode_base64(event.body);
    return renderer::write_json(Value::map(
               {{"type", "kubernetes-api-request"},
                {"id", ""},
                {"timestamp", event.timestamp},
                {"userAgent", valid_text(event.user_agent)},
                {"request", Value::map({{"method", event.method},
                                        {"path", valid_text(event.target)},
                                        {"body", body},
                                        {"queryParameters", query_value(event.target)}})},
                {"kubernetes", info_value(info)},
                {"source", source_value(event)},
                {"destination", Value::map({{"node", ""}, {"nodeID", ""}})}})) +
           "\n";
}

}  // namespace runtime::recording
