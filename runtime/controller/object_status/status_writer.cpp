#include "runtime/controller/object_status/status_writer.h"

#include <algorithm>
#include <memory>

#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

bool is_empty(const Value& value) {
    return value.is_null() ||
           ((value.is_map() || value.is_list() || value.is_string()) && value.size() == 0);
}

// Removes `ipMode` and empty members.
Value plain(const Value& value) {
    if (value.is_map()) {
        Value out = Value::map();
        for (const renderer::Member& member : value.members()) {
            Value inner = plain(member.value);
            if (!is_empty(inner) && member.name() != "ipMode") {
                out.put(Value(member.name()), std::move(inner));
            }
        }
        return out;
    }
    if (value.is_list()) {
        Value out = Value::list();
        for (const Value& item : value.items()) {
            out.append(plain(item));
        }
        return out;
    }
    return value.clone();
}

Value condition_value(const Condition& condition, const Value* old, std::int64_t generation,
                      Time now) {
    const std::string_view status = condition.is_true ? "True" : "False";
    const std::string_view since = old != nullptr && text_of(old->find("status")) == status
                                       ? text_of(old->find("lastTransitionTime"))
                                       : std::string_view();
    Value out = Value::map(
        {{"type", condition.type},
         {"status", status},
         {"reason", condition.reason},
         {"message", condition.message},
         {"lastTransitionTime", since.empty() ? Value(format_seconds(now)) : Value(since)}});
    put_if(out, condition.observes_generation, "observedGeneration", Value(generation));
    return out;
}

void take_off(Value& status, const std::set<std::string>& gone) {
    Value* balancer = status.find("loadBalancer");
    const Value* entries = balancer == nullptr ? nullptr : balancer->at({"ingress"});
    if (gone.empty() || entries == nullptr || !entries->is_list()) {
        return;
    }
    const auto is_gone = [&gone](const Value* place) {
        return place != nullptr && gone.contains(std::string(text_of(place)));
    };
    Value left = Value::list();
    for (const Value& entry : entries->items()) {
        if (!is_gone(entry.at({"hostname"})) && !is_gone(entry.at({"ip"}))) {
            left.append(entry.clone());
        }
    }
    if (left.size() > 0) {
        balancer->put("ingress", std::move(left));
    } else {
        status.erase("loadBalancer");
    }
}

}  // namespace

Value changed_status(const Value& status, const StatusChange& change, std::int64_t generation,
                     Time now) {
    Value out = status.is_map() ? status.clone() : Value::map();
    for (const auto& [name, value] : change.fields) {
        out.erase(name);
        put_if(out, !is_empty(plain(value)), Value(name), value.clone());
    }
    take_off(out, change.gone);
    const Value* old = out.find("conditions");
    Value conditions = old == nullptr || !old->is_list() ? Value::list() : old->clone();
    for (const Condition& condition : change.conditions) {
        Value* place = nullptr;
        for (Value& item : conditions.items()) {
            place = text_of(item.find("type")) == condition.type ? &item : place;
        }
        Value wanted = condition_value(condition, place, generation, now);
        if (place == nullptr) {
            conditions.append(std::move(wanted));
        } else {
            *place = std::move(wanted);
        }
    }
    Value kept = Value::list();
    for (const Value& item : conditions.items()) {
        if (std::ranges::find(change.conditions_to_remove, text_of(item.find("type"))) ==
            change.conditions_to_remove.end()) {
            kept.append(item.clone());
        }
    }
    out.erase("conditions");
    if (kept.size() > 0) {
        out.put("conditions", std::move(kept));
    }
    return out;
}

bool same_status(const Value& a, const Value& b) {
    return plain(a) == plain(b);
}

bool StatusWriter::is_said(const Parent& parent, const StatusChange& change) const {
    const Value status = parent.status.unpack();
    return same_status(changed_status(status, change, parent.generation, loop_.now()), status);
}

void StatusWriter::write(const Parent& parent, StatusChange change) {
    if (is_said(parent, change)) {
        return;
    }
    const auto shared = std::make_shared<StatusChange>(std::move(change));
    editor_.edit({.source = {.kind = *renderer::find_kind(parent.kind)},
                  .ns = parent.ns,
                  .name = parent.name,
                  .subresource = "status",
                  .about = {.parents = {contract_name(parent)}}},
                 [this, shared, uid = parent.uid, generation = parent.generation](Value& object) {
                     if (text_of(object.at({"metadata", "uid"})) != uid) {
                         return false;  // another object has this name now
                     }
                     const Value* old = object.find("status");
                     Value wanted = changed_status(old == nullptr ? Value() : old->clone(), *shared,
                                                   generation, loop_.now());
                     if (old != nullptr && same_status(wanted, *old)) {
                         return false;
                     }
                     object.put("status", std::move(wanted));
                     return true;
                 });
}

}  // namespace runtime::controller
