#include "runtime/controller/keys/key_delivery.h"

#include <fmt/format.h>

#include "runtime/base/json_patch.h"

namespace runtime::controller {

using renderer::Value;

namespace {

void put_data(kube::Client& kube, const Delivery& delivery, const Value& data,
              const std::function<void(const Value& secret)>& put, const Next& next) {
    kube.json_patch(kube::path_of(kube::kSecrets, delivery.to_ns, delivery.name),
                    Value::list({operation("add", "/data", data.clone())}),
                    [delivery, put, next](const kube::Reply& reply) {
                        if (reply.ok()) {
                            put(reply.object);
                        }
                        next(reply.not_found() ? not_rendered(delivery.to_ns, delivery.name)
                                               : reply.problem("cannot deliver the key"));
                    });
}

}  // namespace

std::string not_rendered(std::string_view ns, std::string_view secret) {
    return fmt::format(
        "Secret \"{}/{}\" does not exist: it is rendered with tailrender.apiProxyNamespace, and "
        "has to be applied",
        ns, secret);
}

Job must_be_rendered(kube::Client& kube, const std::string& ns, const std::string& secret) {
    return [&kube, ns, secret](const Next& next) {
        kube.get(kube::path_of(kube::kSecrets, ns, secret), [ns, secret,
                                                             next](const kube::Reply& reply) {
            next(reply.not_found() ? not_rendered(ns, secret)
                                   : reply.problem("cannot read Secret \"" + secret + "\""));
        });
    };
}

Job deliver_key(kube::Client& kube, const Delivery& delivery, const Written& written) {
    return [&kube, delivery, put = written.put](const Next& next) {
        kube.get(kube::path_of(kube::kSecrets, delivery.from_ns, delivery.name),
                 [&kube, delivery, put, next](const kube::Reply& reply) {
                     const Value* data = reply.ok() ? reply.object.find("data") : nullptr;
                     if (data == nullptr) {
                         return next(reply.ok() ? std::string("the auth Secret has no data")
                                                : reply.problem("cannot read the auth Secret"));
                     }
                     put_data(kube, delivery, *data, put, next);
                 });
    };
}

}  // namespace runtime::controller
