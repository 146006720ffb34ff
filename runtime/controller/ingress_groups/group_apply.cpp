#include "runtime/controller/ingress_groups/group_apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/label_value.h"
#include "runtime/base/json_patch.h"
#include "runtime/controller/ingress_groups/service_owner.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

// A service without addresses is not reached; they may come later.
void take(Registration registration, const GroupApply::Taken& taken, const Next& done) {
    if (registration.addresses.empty()) {
        return done("the Tailscale Service has no addresses yet");
    }
    taken(std::move(registration));
    done({});
}

}  // namespace

GroupApply::GroupApply(const FeatureContext& context) : context_(context) {}

Owner GroupApply::owner() const {
    const LedgerCopy* ledger = context_.ledger.copy();
    return {.id = context_.owner, .predecessor = ledger == nullptr ? "" : ledger->predecessor};
}

std::string GroupApply::secret_path(std::string_view name) const {
    return kube::path_of(kube::kSecrets, context_.view.ns(), name);
}

tailnet::Api* GroupApply::api_of(const std::string& key, const Next& done) {
    std::string problem;
    tailnet::Api* api = context_.tailnets.find(split_record_key(key).tailnet, problem);
    if (api == nullptr) {
        done(problem);
    }
    return api;
}

void GroupApply::register_service(const std::string& key, const Offer& offer, Taken taken,
                                  Next done) {
    if (tailnet::Api* api = api_of(key, done)) {
        api->get_service(offer.name, [this, key, offer, taken = std::move(taken),
                                      done = std::move(done)](const tailnet::Reply& reply) {
            if (!reply.ok() && !reply.not_found()) {
                return done("cannot read the Tailscale Service: " + reply.message);
            }
            claim(key, offer, reply, taken, done);
        });
    }
}

void GroupApply::claim(const std::string& key, const Offer& offer, const tailnet::Reply& found,
                       const Taken& taken, const Next& done) {
    const Claim claim = claim_service(offer, owner(), found.ok() ? &found.body : nullptr);
    if (!claim.refusal.empty()) {
        taken({.refusal = claim.refusal});
        return done(claim.refusal);
    }
    if (claim.body.is_null()) {
        return take({.addresses = texts_of(found.body.find("addrs")), .is_there = true}, taken,
                    done);
    }
    tailnet::Api* api = api_of(key, done);
    if (api == nullptr) {
        return;
    }
    api->put_service(offer.name, claim.body, [taken, done](const tailnet::Reply& reply) {
        if (!reply.ok()) {
            return done("cannot register the Tailscale Service: " + reply.message);
        }
        take({.addresses = texts_of(reply.body.find("addrs")), .is_there = true, .is_new = true},
             taken, done);
    });
}

void GroupApply::remove(const std::string& key, const ServiceRecord& record,
                        const Certificate* certificate, const Next& done) {
    std::vector<Job> jobs{must_not_be_offered(key, record), release(key)};
    if (certificate != nullptr) {
        jobs.push_back(deletion_of(*certificate));
    }
    run_in_order(std::move(jobs), done);
}

// Reads from the API server, because the copy may be out of date.
Job GroupApply::must_not_be_offered(const std::string& key, const ServiceRecord& record) {
    return [this, key, record](const Next& next) {
        const std::string name = std::string(renderer::kGroupPrefix) + record.group;
        context_.kube.get(
            kube::path_of(kube::kConfigMaps, context_.view.ns(), name),
            [this, key, record, name, next](const kube::Reply& reply) {
                if (reply.not_found()) {
                    return next({});
                }
                const auto group = reply.ok() ? decode_group(reply.object) : std::nullopt;
                if (!group.has_value() || group->contract != renderer::kContractVersion ||
                    !group->problem.empty()) {
                    return next(fmt::format("cannot read ConfigMap \"{}\"", name));
                }
                const std::string_view service = split_record_key(key).service;
                const bool offered =
                    std::any_of(group->offers.begin(), group->offers.end(),
                                [service](const Offer& offer) { return offer.name == service; });
                return offered ? must_be_elsewhere(key, record, next) : next({});
            });
    };
}

// The group offers a service of that name: it must be in another tailnet now.
void GroupApply::must_be_elsewhere(const std::string& key, const ServiceRecord& record,
                                   const Next& next) {
    context_.kube.get(
        kube::path_of(kube::kStatefulSets, context_.view.ns(), record.group),
        [key, next](const kube::Reply& reply) {
            const auto set = reply.ok() ? decode_proxy_set(reply.object) : std::nullopt;
            const bool moved = set.has_value() && split_record_key(key).tailnet != set->tailnet;
            next(moved ? std::string() : fmt::format("\"{}\" is offered again", key));
        });
}

Job GroupApply::release(const std::string& key) {
    const RecordName parts = split_record_key(key);
    return context_.tailnets.removal(
        std::string(parts.tailnet),
        [this, name = std::string(parts.service)](tailnet::Api& api, const Next& next) {
            const auto finish = [next](const tailnet::Reply& reply) { next(unless_gone(reply)); };
            api.get_service(name, [this, &api, name, finish, next](const tailnet::Reply& reply) {
                if (!reply.ok()) {
                    return finish(reply);
                }
                const Release release = release_service(owner(), reply.body);
                if (release.deletes) {
                    return api.delete_service(name, finish);
                }
                if (release.body.is_null()) {
                    return next({});
                }
                api.put_service(name, release.body, finish);
            });
        });
}

void GroupApply::create_certificate(std::string_view group, const Offer& offer, const Next& done) {
    context_.kube.create(secret_path(), certificate_secret(context_.view.ns(), group, offer),
                         [this, name = offer.certificate, group = std::string(group),
                          done](const kube::Reply& reply) {
                             if (reply.code == 409) {
                                 return adopt_certificate(name, group, done);
                             }
                             if (reply.ok()) {
                                 context_.view.wrote(context_.view.our_secrets(), reply.object);
                             }
                             done(reply.problem("cannot create the certificate's Secret"));
                         });
}

void GroupApply::create_accounts(const Next& done) {
    context_.kube.create(
        secret_path(), accounts_secret(context_.view.ns()), [done](const kube::Reply& reply) {
            done(reply.code == 409 ? std::string()
                                   : reply.problem("cannot create the Secret of ACME accounts"));
        });
}

// The operator's Secret of that name has the certificate: the label makes it the controller's.
void GroupApply::adopt_certificate(const std::string& name, std::string_view group,
                                   const Next& done) {
    context_.kube.get(secret_path(name), [this, name, group = std::string(group),
                                          done](const kube::Reply& reply) {
        const Value* labels = reply.ok() ? reply.object.at({"metadata", "labels"}) : nullptr;
        const bool is_certificate =
            labels != nullptr &&
            text_of(labels->at({renderer::label::kSecretType})) ==
                renderer::label::kCertificateType &&
            text_of(labels->at({renderer::label::kDomain})) == renderer::shortened_label(name);
        if (!is_certificate) {
            return done(
                reply.ok()
                    ? fmt::format("Secret \"{}\" exists and belongs to another user or controller",
                                  name)
                    : reply.problem("cannot read the certificate's Secret"));
        }
        Value annotations = reply.object.at({"metadata", "annotations"}) == nullptr
                                ? Value::map()
                                : reply.object.at({"metadata", "annotations"})->clone();
        annotations.put(Value(renderer::kSetAnnotation), Value(group));
        const Value operations =
            Value::list({operation("add", "/metadata/annotations", std::move(annotations)),
                         operation("add", "/metadata/labels/" + pointer(renderer::kSecretLabel),
                                   Value(renderer::kCertificateSecret))});
        context_.kube.json_patch(
            secret_path(name), operations, [this, done](const kube::Reply& made) {
                if (made.ok()) {
                    context_.view.wrote(context_.view.our_secrets(), made.object);
                }
                done(made.problem("cannot adopt the certificate's Secret"));
            });
    });
}

Job GroupApply::deletion_of(const Certificate& certificate) {
    return [this, certificate](const Next& next) {
        context_.kube.erase(
            secret_path(certificate.name), {.uid = certificate.uid},
            [this, certificate, next](const kube::Reply& reply) {
                if (reply.ok() || reply.not_found()) {
                    context_.view.erased(
                        context_.view.our_secrets(),
                        Value::map(
                            {{"metadata", Value::map({{"name", certificate.name},
                                                      {"namespace", context_.view.ns()}})}}));
                    return next({});
                }
                next(reply.problem("cannot delete the certificate's Secret"));
            });
    };
}

void GroupApply::write_table(const AddressTable& table, const Next& done) {
    const Value object = address_table(context_.view.ns(), table);
    const auto finish = [this, done](const kube::Reply& reply) {
        if (reply.ok()) {
            context_.view.wrote(context_.view.config_maps(), reply.object);
        }
        done(reply.problem(
            fmt::format("cannot write ConfigMap \"{}\"", renderer::kIngressAddresses)));
    };
    if (table.version.empty()) {
        return context_.kube.create(kube::path_of(kube::kConfigMaps, context_.view.ns()), object,
                                    finish);
    }
    context_.kube.replace(
        kube::path_of(kube::kConfigMaps, context_.view.ns(), renderer::kIngressAddresses), object,
        finish);
}

void GroupApply::delete_pod(const Pod& pod, const Next& done) {
    context_.kube.erase(kube::path_of(kube::kPods, context_.view.ns(), pod.name), {.uid = pod.uid},
                        [done](const kube::Reply& reply) {
                            const bool gone = reply.not_found() || reply.code == 409;
                            done(gone ? std::string() : reply.problem("cannot delete the pod"));
                        });
}

}  // namespace runtime::controller
