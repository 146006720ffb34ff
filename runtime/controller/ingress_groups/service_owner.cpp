#include "runtime/controller/ingress_groups/service_owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::text_list;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kOwners = "tailscale.com/owner-references";
constexpr std::string_view kGroupKind = "ProxyGroup";

std::string_view owner_group(std::string_view parent) {
    return parent.substr(parent.rfind('/') + 1);
}

// The group's own object need not exist, so its uid is the installation's.
Value owner_ref(bool exclusive, std::string_view parent, std::string_view owner) {
    Value ref = Value::map({{"operatorID", Value(owner)}});
    if (exclusive) {
        ref.add("resource", Value::map({{"kind", Value(kGroupKind)},
                                        {"name", Value(owner_group(parent))},
                                        {"uid", Value(owner)}}));
    }
    return ref;
}

// Null if they do not exist or cannot be read.
Value owners_of(const Value& service) {
    const auto json = renderer::read_json(text_of(service.at({"annotations", kOwners})));
    const Value* refs = json ? json->at({"ownerRefs"}) : nullptr;
    return refs != nullptr && refs->is_list() && refs->size() > 0 ? refs->clone() : Value();
}

bool is_of(const Value& ref, std::string_view id) {
    return text_of(ref.at({"operatorID"})) == id;
}

bool is_of(const Value& ref, const Owner& owner) {
    return is_of(ref, owner.id) || (!owner.predecessor.empty() && is_of(ref, owner.predecessor));
}

bool is_exclusive(const Value& ref) {
    return ref.at({"resource"}) != nullptr;
}

// Returns the owners, with `ours` in place of this installation or its predecessor.
Value with_ours(const Value& refs, const Owner& owner, Value ours) {
    Value out = Value::list();
    for (const Value& ref : refs.items()) {
        if (is_of(ref, owner.id) && !ours.is_null()) {
            out.append(std::exchange(ours, Value()));
        } else if (!is_of(ref, owner)) {
            out.append(ref.clone());
        }
    }
    if (!ours.is_null()) {
        out.append(std::move(ours));
    }
    return out;
}

bool same(const Value* list, std::vector<std::string> wanted) {
    std::vector<std::string> found = texts_of(list);
    std::ranges::sort(found);
    std::ranges::sort(wanted);
    return found == wanted;
}

// Returns the annotations with these owners.
Value with_owners(const Value* existing, Value refs) {
    const Value* known = existing == nullptr ? nullptr : existing->find("annotations");
    Value annotations = known != nullptr && known->is_map() ? known->clone() : Value::map();
    annotations.put(Value(kOwners),
                    Value(renderer::write_json(Value::map({{"ownerRefs", std::move(refs)}}))));
    return annotations;
}

Value body_of(const Offer& offer, const Value* existing, Value refs) {
    Value body = Value::map({{"name", offer.name}});
    if (const Value* addresses = existing == nullptr ? nullptr : existing->find("addrs")) {
        body.add("addrs", addresses->clone());
    }
    body.add(
        "comment",
        "This Tailscale Service is managed by the Tailscale Kubernetes Operator, do not modify");
    body.add("annotations", with_owners(existing, std::move(refs)));
    body.add("ports", text_list(offer.ports));
    body.add("tags", text_list(offer.tags));
    return body;
}

}  // namespace

Claim claim_service(const Offer& offer, const Owner& owner, const Value* existing) {
    const bool exclusive = offer.is_exclusive();
    if (existing == nullptr) {
        return {.body = body_of(offer, nullptr,
                                Value::list({owner_ref(exclusive, offer.parent, owner.id)}))};
    }
    const Value refs = owners_of(*existing);
    const auto refuse = [&offer](std::string_view why) {
        return Claim{.refusal =
                         fmt::format("Tailscale Service \"{}\" exists and {}", offer.name, why)};
    };
    if (refs.is_null()) {
        return refuse("was not created by a cluster");
    }
    // One of our groups has or had it: a cluster offers a name only once.
    const bool is_ours_alone = with_ours(refs, owner, {}).size() == 0;
    if (exclusive && !is_ours_alone) {
        return refuse("belongs to another user or controller");
    }
    if (!is_ours_alone && is_exclusive(refs.items()[0])) {
        return refuse("belongs to a group that serves a Kubernetes API");
    }
    Value claimed = with_ours(refs, owner, owner_ref(exclusive, offer.parent, owner.id));
    if (claimed == refs && same(existing->find("ports"), offer.ports) &&
        same(existing->find("tags"), offer.tags)) {
        return {};
    }
    return {.body = body_of(offer, existing, std::move(claimed))};
}

Release release_service(const Owner& owner, const Value& existing) {
    const Value refs = owners_of(existing);
    Value left = refs.is_null() ? Value() : with_ours(refs, owner, {});
    if (left == refs) {
        return {};
    }
    if (left.size() == 0) {
        return {.deletes = true};
    }
    Value body = existing.clone();
    body.put("annotations", with_owners(&existing, std::move(left)));
    return {.body = std::move(body)};
}

}  // namespace runtime::controller
