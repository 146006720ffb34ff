#include "runtime/adopt/adopt_auth.h"

#include <memory>
#include <utility>

#include "renderer/contract/auth_secret.h"
#include "renderer/contract/labels.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::adopt {

using namespace operate;
using renderer::Value;

namespace {

struct BothStates {
    Value old_state, state;

    // Returns the device that was moved; empty if the pod has not the device of the old replica.
    [[nodiscard]] std::string brought() const {
        const std::string device = device_of(old_state);
        return device == device_of(state) ? device : std::string();
    }
};
using SharedStates = std::shared_ptr<BothStates>;

Value blank_auth(const OperateContext& context, const controller::ProxySet& set,
                 const std::string& pod, const std::string& device) {
    controller::AuthContent blank;
    blank.tailnet = set.tailnet;
    blank.device = device;
    const auto replica = controller::split_replica(pod);
    const auto ordinal = static_cast<std::size_t>(replica ? replica->ordinal : 0);
    blank.hostname = ordinal < set.hostnames.size() ? set.hostnames[ordinal] : "";
    return controller::auth_secret(context.ns, pod, set.name, "", set.labels, blank);
}

// Returns the patch that takes an auth Secret back after a rollback. It removes the notes about the
// device: the controller reads these from the tailnet again.
Value taken_again(const Value& auth, const Value& made) {
    Value annotations = auth.at({"metadata", "annotations"}) == nullptr
                            ? Value::map()
                            : auth.at({"metadata", "annotations"})->clone();
    for (const std::string_view note :
         {renderer::kDeviceTagsAnnotation, renderer::kDeviceNameAnnotation,
          renderer::kDeviceAddressesAnnotation, renderer::kDeviceWordsAnnotation}) {
        annotations.erase(note);
    }
    for (const renderer::Member& member : made.at({"metadata", "annotations"})->members()) {
        annotations.put(member.key.clone(), member.value.clone());
    }
    return Value::list(
        {operation("add", "/metadata/labels", made.at({"metadata", "labels"})->clone()),
         operation("add", "/metadata/annotations", std::move(annotations))});
}

Job make_auth(const OperateContext& context, const controller::ProxySet& set,
              const std::string& pod, const SharedStates& states) {
    return [context, set, pod, states](const Next& next) {
        device_of(states->state).empty()
            ? next({})
            : create_once(context.kube, kube::path_of(kube::kSecrets, context.ns),
                          blank_auth(context, set, pod, states->brought()))(next);
    };
}

// Notes the device on the auth Secret, which may have existed before.
Job note_device(const OperateContext& context, const controller::ProxySet& set,
                const std::string& pod, const SharedStates& states) {
    const auto change = [context, set, pod, states](const Value& auth) {
        const std::string device = states->brought();
        if (controller::label_of(auth, renderer::kSecretLabel) == renderer::kReturnedSecret) {
            return taken_again(auth, blank_auth(context, set, pod, device));
        }
        return !device.empty() &&
                       controller::annotation_of(auth, renderer::kDeviceAnnotation).empty()
                   ? annotate(auth, {{renderer::kDeviceAnnotation, device}})
                   : Value();
    };
    return change_object(
        context.kube, secret_path(context, controller::auth_name(pod, set.is_api_proxy)), change);
}

Value returned(const Value& auth) {
    if (controller::label_of(auth, renderer::kSecretLabel) != renderer::kAuthSecret) {
        return {};
    }
    Value labels = auth.at({"metadata", "labels"})->clone();
    labels.put(Value(renderer::kSecretLabel), Value(renderer::kReturnedSecret));
    return Value::list({operation("add", "/metadata/labels", std::move(labels))});
}

}  // namespace

Job let_start(const OperateContext& context, const controller::ProxySet& set,
              const std::string& old_secret, const std::string& pod) {
    return [context, set, old_secret, pod](const Next& next) {
        const auto states = std::make_shared<BothStates>();
        std::vector<Job> jobs{
            read_object(context.kube, secret_path(context, old_secret), states->old_state),
            read_object(context.kube, secret_path(context, pod), states->state)};
        if (!set.is_api_proxy) {
            jobs.push_back(make_auth(context, set, pod, states));
        }
        jobs.push_back(note_device(context, set, pod, states));
        run_in_order(std::move(jobs), next);
    };
}

Job let_go_of_auth(const OperateContext& context, const std::string& pod) {
    // The auth Secret of an API proxy has the name of a Secret of the operator.
    const auto without_role = [](const Value& secret) {
        return controller::label_of(secret, renderer::kSecretLabel) == renderer::kAuthSecret
                   ? without_our_label(secret)
                   : Value();
    };
    return in_order(
        {change_object(context.kube, secret_path(context, controller::auth_name(pod, false)),
                       returned),
         change_object(context.kube, secret_path(context, controller::auth_name(pod, true)),
                       without_role)});
}

Value without_our_label(const Value& secret) {
    const Value* labels = secret.at({"metadata", "labels"});
    if (labels == nullptr || labels->find(renderer::kSecretLabel) == nullptr) {
        return {};
    }
    Value left = labels->clone();
    left.erase(renderer::kSecretLabel);
    return Value::list({operation("add", "/metadata/labels", std::move(left))});
}

}  // namespace runtime::adopt
