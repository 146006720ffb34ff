#include "runtime/adopt/adopt_record.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/adopt/adopt_plan.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::adopt {

using namespace operate;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kProxyPrefix = "tailrender-adopt-proxy-";
constexpr std::string_view kOpenAnnotation = TAILRENDER_DOMAIN "/adopt-open";

Value record(std::string_view ns, const std::string& name, std::string_view what) {
    Value labels = Value::map();
    labels.put(Value(kRecordLabel), Value(what));
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata",
          Value::map({{"name", name}, {"namespace", ns}, {"labels", std::move(labels)}})},
         {"type", "Opaque"},
         {"data", Value::map()}});
}

void put_datum(Value& secret, const std::string& key, const std::string& text) {
    secret.find("data")->put(key, renderer::encode_base64(text));
}

Value json_datum(const Value& secret, std::string_view key) {
    auto value = renderer::read_json(datum_of(secret, key));
    return value ? std::move(*value) : Value();
}

std::vector<Value> record_items(const Value& list) {
    std::vector<Value> out;
    if (list.is_list()) {
        out.reserve(list.size());
        for (const Value& item : list.items()) {
            out.push_back(item.clone());
        }
    }
    return out;
}

Value find_all(const std::vector<Value>& objects, const std::vector<std::string>& names,
               std::string_view kind) {
    Value out = Value::list();
    for (const Value& object : objects) {
        for (const std::string& name : names) {
            if (name_of(object) == name) {
                // Items of a list have neither apiVersion nor kind.
                Value manifest = manifest_of(object);
                manifest.put("apiVersion",
                             Value::borrowed(kind == "StatefulSet" ? "apps/v1" : "v1"));
                manifest.put("kind", Value(kind));
                out.append(std::move(manifest));
            }
        }
    }
    return out;
}

}  // namespace

Value manifest_of(const Value& object) {
    Value out = object.clone();
    out.erase("status");
    if (Value* metadata = out.find("metadata")) {
        for (const std::string_view key :
             {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields",
              "deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "selfLink"}) {
            metadata->erase(key);
        }
    }
    Value* spec = out.find("spec");
    if (spec != nullptr && spec->is_map() && text_of(spec->find("clusterIP")) != "None") {
        spec->erase("clusterIP");
        spec->erase("clusterIPs");
    }
    return out;
}

std::string record_name(std::string_view old_name) {
    return std::string(kProxyPrefix) + std::string(old_name);
}

Value proxy_record(const AdoptSnapshot& snapshot, const Move& move, std::string_view ns) {
    Value out = record(ns, record_name(move.old_name), "proxy");
    out.find("metadata")->put("annotations", Value::map());
    out.find("metadata")->find("annotations")->put(Value(kOpenAnnotation), "true");
    Value labels = Value::map();
    for (const Value& set : snapshot.sets) {
        if (name_of(set) == move.new_name) {
            for (const auto& [key, text] : parent_labels(set)) {
                labels.put(key, text);
            }
        }
    }
    const Value sets = find_all(snapshot.sets, {move.old_name}, "StatefulSet");
    put_datum(out, "to", move.new_name);
    put_datum(out, "parent", renderer::write_json(labels));
    put_datum(out, "statefulset",
              sets.items().empty() ? "null" : renderer::write_json(sets.items()[0]));
    put_datum(out, "services",
              renderer::write_json(find_all(
                  snapshot.services, {move.old_name, move.old_name + "-metrics"}, "Service")));
    put_datum(out, "secrets",
              renderer::write_json(find_all(snapshot.secrets, move.secrets, "Secret")));
    return out;
}

Value close_record(const Value& record) {
    return annotate(record, {{kOpenAnnotation, ""}});
}

Value open_record(const Value& record) {
    return annotate(record, {{kOpenAnnotation, "true"}});
}

std::optional<AdoptRecord> decode_record(const Value& secret) {
    const std::string name = name_of(secret);
    if (!name.starts_with(kProxyPrefix) ||
        text_of(secret.at({"metadata", "labels", kRecordLabel})) != "proxy") {
        return std::nullopt;
    }
    AdoptRecord out;
    out.name = name;
    out.old_name = name.substr(kProxyPrefix.size());
    out.new_name = datum_of(secret, "to");
    out.is_open = !controller::annotation_of(secret, kOpenAnnotation).empty();
    const Value labels = json_datum(secret, "parent");
    if (labels.is_map()) {
        for (const renderer::Member& member : labels.members()) {
            out.labels[std::string(member.name())] = text_of(member.value);
        }
    }
    out.set = json_datum(secret, "statefulset");
    out.services = record_items(json_datum(secret, "services"));
    out.secrets = record_items(json_datum(secret, "secrets"));
    return out;
}

Value operator_record(std::string_view ns, std::int64_t replicas) {
    Value out = record(ns, std::string(kOperatorRecord), "operator");
    put_datum(out, "replicas", fmt::format("{}", replicas));
    return out;
}

std::int64_t recorded_replicas(const Value& secret) {
    return Value::number(datum_of(secret, "replicas")).as_int().value_or(1);
}

}  // namespace runtime::adopt
