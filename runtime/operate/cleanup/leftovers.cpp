#include "runtime/operate/cleanup/leftovers.h"

#include <memory>
#include <utility>

#include "renderer/contract/group_config.h"
#include "renderer/core/document.h"
#include "renderer/core/text_of.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::operate {

using renderer::Kind;
using renderer::text_of;
using renderer::Value;

namespace {

Job list_held_of(const OperateContext& context, const Kind& kind, std::vector<HeldObject>& out) {
    return [&kube = context.kube, &kind, &out](const Next& next) {
        const auto all = std::make_shared<Objects>();
        const auto list = kind.is_custom() ? list_custom : list_all;
        list(kube, kube::path_of(kind, {}),
             *all)([&kind, &out, all, next](const std::string& problem) {
            for (const Value& object : *all) {
                const std::string_view ns = text_of(object, {"metadata", "namespace"});
                const std::string name = name_of(object);
                if (!without_finalizers(object).is_null()) {
                    out.push_back({.name = renderer::object_name(kind.name, ns, name),
                                   .path = kube::path_of(kind, ns, name)});
                }
            }
            next(problem);
        });
    };
}

}  // namespace

Job list_held(const OperateContext& context, std::vector<HeldObject>& out) {
    std::vector<Job> jobs;
    for (const Kind& kind : renderer::kKinds) {
        if (kind.role.is_parent || kind.is_custom()) {
            jobs.push_back(list_held_of(context, kind, out));
        }
    }
    return in_order(std::move(jobs));
}

Job let_go(const OperateContext& context, const HeldObject& held) {
    return change_object(context.kube, held.path, without_finalizers);
}

Job let_end(const OperateContext& context, const std::string& secret) {
    const auto change = [](const Value& object) {
        const bool is_kept = object.at({"metadata", "deletionTimestamp"}) != nullptr &&
                             object.at({"metadata", "finalizers"}) != nullptr;
        return is_kept ? Value::list({removal("/metadata/finalizers")}) : Value();
    };
    return change_object(context.kube, secret_path(context, secret), change);
}

std::size_t accounts_in(const Value& secret) {
    const Value* data = secret.find("data");
    return data != nullptr && data->is_map() ? data->members().size() : 0;
}

Job remove_accounts(const OperateContext& context) {
    const std::string path = kube::path_of(kube::kSecrets, context.ns, renderer::kAcmeAccounts);
    return in_order(
        {change_object(context.kube, path, without_finalizers), erase_object(context.kube, path)});
}

}  // namespace runtime::operate
