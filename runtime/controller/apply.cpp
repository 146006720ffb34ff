#include "runtime/controller/apply.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/core/text_of.h"
#include "runtime/base/json_patch.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/keys/absence.h"
#include "runtime/controller/keys/key_delivery.h"
#include "runtime/controller/keys/operators_device.h"

namespace runtime::controller {

using renderer::Value;

namespace {

std::string in_the_way(std::string_view secret) {
    return fmt::format(
        "Secret \"{}\" exists and is not the controller's; if nothing renders it "
        "any more, delete it",
        secret);
}

}  // namespace

Apply::Apply(Loop& loop, kube::Client& kube, Tailnets& tailnets, std::string ns, std::string api_ns,
             KeySweeps& sweeps, TakeOver& take_over, DeviceAnswers& answers,
             OwnDevices& own_devices, Written written)
    : loop_(loop),
      kube_(kube),
      tailnets_(tailnets),
      ns_(std::move(ns)),
      api_ns_(std::move(api_ns)),
      sweeps_(sweeps),
      take_over_(take_over),
      answers_(answers),
      own_devices_(own_devices),
      written_(std::move(written)),
      states_(kube, ns_, api_ns_, written_) {}

Apply::Work Apply::work_of(const Replica& replica) {
    Work work;
    work.pod = replica.pod_name;
    work.ordinal = replica.ordinal;
    work.is_apart = replica.is_apart;
    work.config = replica.config;
    work.tailnet = tailnet_of(replica);
    if (replica.auth != nullptr) {
        work.auth = *replica.auth;
        work.hostname = work.auth.hostname;
    }
    if (replica.stray != nullptr) {
        work.stray = *replica.stray;
    }
    if (replica.state != nullptr) {
        work.state = *replica.state;
    }
    if (const auto name = split_replica(replica.pod_name)) {
        work.set = name->set;
    }
    if (replica.set != nullptr) {
        work.tags = replica.set->tags;
        work.labels = replica.set->labels;
        work.parent = replica.set->parent;
        const auto ordinal = static_cast<std::size_t>(replica.ordinal);
        if (ordinal < replica.set->hostnames.size()) {
            work.hostname = replica.set->hostnames[ordinal];
        }
    }
    return work;
}

std::string Apply::secret_path(std::string_view name) const {
    return kube::path_of(kube::kSecrets, ns_, name);
}

std::string Apply::state_path(const Work& work) const {
    return states_.path(owner_of(work));
}

Job Apply::must_be_unwanted(const Work& work) {
    Whereabouts replica{
        .namespaces = {ns_}, .set = work.set, .pod = work.pod, .ordinal = work.ordinal};
    if (!api_ns_.empty() && work.set == renderer::kApiProxyName) {
        replica.namespaces.push_back(api_ns_);
    }
    return replica_must_be_absent(kube_, replica);
}

void Apply::run(const Replica& replica, const Step& step, Next done) {
    struct Doer {
        Apply& apply;
        const Work& work;
        std::string_view wanted_tailnet;

        using Jobs = std::vector<Job>;
        Jobs operator()(const step::CreateState&) const {
            return {apply.states_.create(owner_of(work))};
        }
        Jobs operator()(const step::ReleaseState&) const {
            return {apply.states_.let_go(owner_of(work))};
        }
        Jobs operator()(const step::CreateBlankAuth&) const { return {apply.write_auth(work, {})}; }
        Jobs operator()(const step::DeliverKey&) const {
            return {deliver_key(
                apply.kube_,
                {.from_ns = apply.ns_, .to_ns = apply.api_ns_, .name = work.auth_name()},
                apply.written_)};
        }
        Jobs operator()(const step::MintKey& mint) const { return {apply.mint(work, mint)}; }
        Jobs operator()(const step::ClearRequest&) const {
            return {apply.patch_at(apply.state_path(work), "cannot clear the request",
                                   Value::list({removal("/data/reissue_authkey")}))};
        }
        Jobs operator()(const step::DeletePod& pod) const { return {apply.delete_pod(work, pod)}; }
        Jobs operator()(const step::SpendKey&) const { return apply.spend(work); }
        Jobs operator()(const step::NoteDevice& note) const { return apply.note(work, note); }
        Jobs operator()(const step::SetTags& tags) const { return apply.set_tags(work, tags); }
        Jobs operator()(const step::LookForDevice& look) const {
            return {apply.answers_.look(work.tailnet, look.device)};
        }
        Jobs operator()(const step::WriteConfig&) const {
            return {apply.write_auth(work, without_key(work.auth))};
        }
        Jobs operator()(const step::RemoveStray&) const { return apply.remove_stray(work); }
        Jobs operator()(const step::LeaveTailnet&) const {
            return apply.leave_tailnet(work, std::string(wanted_tailnet));
        }
        Jobs operator()(const step::RemoveState&) const {
            return {apply.delete_devices(work), apply.delete_state(work)};
        }
        Jobs operator()(const step::MarkGone&) const {
            return {apply.must_be_unwanted(work),
                    apply.mark_gone(work, format_seconds(apply.loop_.now()))};
        }
        Jobs operator()(const step::UnmarkGone&) const { return {apply.mark_gone(work, {})}; }
        Jobs operator()(const step::Remove&) const { return apply.remove(work); }
    };
    const Work work = work_of(replica);
    const std::string_view wanted =
        replica.set == nullptr ? std::string_view() : replica.set->tailnet.view();
    run_in_order(std::visit(Doer{*this, work, wanted}, step), std::move(done));
}

StateOwner Apply::owner_of(const Work& work) {
    return {.pod = work.pod,
            .set = work.set,
            .parent = work.parent,
            .tailnet = work.tailnet,
            .labels = work.labels,
            .uid = std::string(work.state.uid),
            .has_auth = !work.auth.name.empty(),
            .is_apart = work.is_apart};
}

// Notes it on the Secret that no pod writes, if there is one; that Secret always has annotations.
Job Apply::mark_gone(const Work& work, const std::string& since) {
    if (work.auth.name.empty()) {
        return states_.mark(owner_of(work), since);
    }
    const std::string path = "/metadata/annotations/" + pointer(renderer::kGoneAnnotation);
    return patch(
        work.auth.name, "cannot annotate the auth Secret",
        Value::list({since.empty() ? removal(path) : operation("add", path, Value(since))}));
}

DeviceClaim Apply::claim_of(const Work& work, std::string_view device) {
    return {.pod = work.pod,
            .parent = work.parent,
            .tailnet = work.tailnet,
            .device = std::string(device),
            .hostname = work.hostname,
            .tags = possible_tags(work.auth, work.tags),
            .is_tailnet_noted = !work.auth.name.empty(),
            .is_noted = !device.empty() && work.auth.device == device};
}

Job Apply::delete_pod(const Work& work, const step::DeletePod& pod) {
    const std::string path = kube::path_of(kube::kPods, work.is_apart ? api_ns_ : ns_, work.pod);
    return [this, path, uid = pod.uid](const Next& next) {
        kube_.erase(path, {.uid = uid}, [next](const kube::Reply& reply) {
            const bool gone = reply.not_found() || reply.code == 409;  // there is another pod now
            next(gone ? std::string() : reply.problem("cannot delete the pod"));
        });
    };
}

std::vector<Job> Apply::note(const Work& work, const step::NoteDevice& note) {
    const auto found = std::make_shared<OwnDevice>();
    return {name_device(work), own_devices_.must_be_own(claim_of(work, work.state.device()), found),
            own_devices_.erase(claim_of(work, note.device_to_delete)), note_device(work, found)};
}

// A key that a pod may join with stays.
std::vector<Job> Apply::set_tags(const Work& work, const step::SetTags& tags) {
    const auto set = [device = tags.device, wanted = split_list(work.tags)](tailnet::Api& api,
                                                                            const Next& next) {
        api.set_tags(device, wanted, done_or_gone(next));
    };
    return {tailnets_.job(work.tailnet, set),
            patch(work.auth.name, "cannot record the tags",
                  noting({{renderer::kDeviceTagsAnnotation, work.tags},
                          {renderer::kHostnameAnnotation, work.hostname}}))};
}

std::vector<Job> Apply::remove_stray(const Work& work) {
    const AuthSecret& stray = work.stray;
    const bool is_used = stray.device == work.state.device() || stray.device == work.auth.device;
    return {revoke_key(work.tailnet, stray.key_id),
            own_devices_.erase(claim_of(work, is_used ? std::string_view() : stray.device.view())),
            delete_auth(stray)};
}

// Deletes the noted device, and those that the state Secret names or named when it was read before:
// the last pod may have joined and ended since.
Job Apply::delete_devices(const Work& work, const Job& guard) {
    return [this, work, guard](const Next& next) {
        kube_.get(state_path(work), [this, work, guard, next](const kube::Reply& reply) {
            if (!reply.ok() && !reply.not_found()) {
                return next(reply.problem("cannot read the state Secret"));
            }
            const StateSecret state = reply.ok() ? read_state(reply.object) : work.state;
            std::set<std::string> named{work.state.device_id, work.state.node_id, state.device_id,
                                        state.node_id, std::string(work.auth.device_named)};
            named.erase(std::string(work.auth.device));
            const bool has_left = work.auth.name.empty();
            if (const auto settled = settled_.find(work.pod);
                has_left && settled != settled_.end()) {
                std::erase_if(named, [&all = settled->second](const std::string& device) {
                    return all.contains(device);
                });
            }
            std::vector<Job> jobs{own_devices_.erase(claim_of(work, work.auth.device), guard)};
            jobs.reserve(1 + named.size());
            for (const std::string& device : named) {
                jobs.push_back(own_devices_.erase_if_own(claim_of(work, device), guard));
            }
            run_in_order(std::move(jobs), [this, work, named, next](const std::string& problem) {
                if (problem.empty() && !work.auth.name.empty()) {
                    settled_[work.pod] = named;
                    settled_[work.pod].emplace(work.auth.device);
                }
                next(problem);
            });
        });
    };
}

Job Apply::revoke_key(const std::string& tailnet, const std::string& id, const Job& guard) {
    if (id.empty()) {
        return [](const Next& next) { next({}); };
    }
    return tailnets_.removal(tailnet, [id, guard](tailnet::Api& api, const Next& next) {
        api.revoke_key(id, done_or_gone(next), guard);
    });
}

Job Apply::write_auth(const Work& work, AuthContent content) {
    content.config = work.config;
    content.tailnet = work.tailnet;
    content.hostname = work.hostname;
    return [this, work, content = std::move(content)](const Next& next) {
        const Value object =
            auth_secret(ns_, work.pod, work.set, work.auth.version, work.labels, content);
        const auto done = [this, next](const kube::Reply& reply) {
            if (reply.ok()) {
                written_.put(reply.object);
            }
            next(reply.problem("cannot write the auth Secret"));
        };
        if (!work.auth.version.empty()) {
            return kube_.replace(secret_path(work.auth.name), object, done);
        }
        kube_.create(kube::path_of(kube::kSecrets, ns_), object,
                     [work, next, done](const kube::Reply& reply) {
                         reply.reason == "AlreadyExists" ? next(in_the_way(work.auth_name()))
                                                         : done(reply);
                     });
    };
}

// Names the device on the auth Secret until it is noted: the tailnet may not answer for long, and
// the state Secret may be deleted meanwhile. The device that was named before has been replaced.
Job Apply::name_device(const Work& work) {
    const std::string device(work.state.device());
    const std::string before(work.auth.device_named);
    if (before == device || work.auth.device == device) {
        return [](const Next& next) { next({}); };
    }
    return [this, work, device, before](const Next& next) {
        std::vector<Job> jobs;
        if (before != work.auth.device.view()) {
            jobs.push_back(own_devices_.erase_if_own(claim_of(work, before)));
        }
        jobs.push_back(patch(work.auth.name, "cannot record the device",
                             noting({{renderer::kDeviceNamedAnnotation, device}})));
        run_in_order(std::move(jobs), next);
    };
}

// Notes the device with its data from the tailnet, once `found` has them.
Job Apply::note_device(const Work& work, const std::shared_ptr<OwnDevice>& found) {
    return [this, work, found](const Next& next) {
        const std::string device(work.state.device());
        Value operations = noting(
            {{renderer::kDeviceAnnotation, device},
             {renderer::kDeviceTagsAnnotation,
              found->tags.empty() ? work.auth.device_tags.view() : std::string_view(found->tags)},
             {renderer::kDeviceNameAnnotation, found->notes.name},
             {renderer::kDeviceAddressesAnnotation, found->notes.addresses},
             {renderer::kDeviceWordsAnnotation, digest_of_words(work.state)},
             {renderer::kHostnameAnnotation, work.hostname}});
        const bool was_named = work.auth.device != device || work.auth.device_named == device;
        // A pod that has joined with the key need not be restarted for it.
        for (const auto& [key, is_there] :
             {std::pair(renderer::kDeviceNamedAnnotation, was_named),
              std::pair(renderer::kRestartAnnotation, !work.auth.restart_pod.empty()),
              std::pair(renderer::kDeviceGoneAnnotation, !work.auth.device_gone.empty())}) {
            if (is_there) {
                operations.append(removal("/metadata/annotations/" + pointer(key)));
            }
        }
        if (contradicts(work.state, found->notes)) {
            own_devices_.tell_contradiction(claim_of(work, device), found->notes);
        }
        answers_.put_seen(work.tailnet, device);
        patch(work.auth.name, "cannot record the device", std::move(operations))(next);
    };
}

Job Apply::patch(const std::string& name, std::string_view what, Value operations) {
    return patch_at(secret_path(name), what, std::move(operations));
}

Job Apply::patch_at(const std::string& path, std::string_view what, Value operations) {
    auto shared = std::make_shared<Value>(std::move(operations));
    return [this, path, what = std::string(what), shared](const Next& next) {
        kube_.json_patch(path, *shared, [this, what, next](const kube::Reply& reply) {
            if (reply.ok()) {
                written_.put(reply.object);
            }
            next(reply.problem(what));
        });
    };
}

Job Apply::delete_secret(const std::string& name, const std::string& uid,
                         const std::string& version) {
    if (uid.empty()) {
        return [](const Next& next) { next({}); };
    }
    return [this, name, uid, version](const Next& next) {
        kube_.erase(secret_path(name), {.uid = uid, .version = version},
                    [this, name, next](const kube::Reply& reply) {
                        if (reply.ok() || reply.not_found()) {
                            written_.erased(Value::map(
                                {{"metadata", Value::map({{"name", name}, {"namespace", ns_}})}}));
                            return next({});
                        }
                        next(reply.problem(fmt::format("cannot delete Secret \"{}\"", name)));
                    });
    };
}

// Deletes only this version, because the renderer may have taken `<pod>-config` over. Pods cannot
// write to it, so they cannot prevent the deletion.
Job Apply::delete_auth(const AuthSecret& auth) {
    return delete_secret(auth.name, auth.uid, auth.version);
}

Job Apply::delete_state(const Work& work) {
    return [this, work](const Next& next) {
        settled_.erase(work.pod);
        states_.erase(owner_of(work))(next);
    };
}

Job Apply::mint(const Work& work, const step::MintKey& step) {
    auto key = std::make_shared<MintedKey>();
    std::vector<Job> jobs;
    if (work.auth.version.empty()) {  // creates no key for a Secret that cannot be written
        jobs.push_back(
            must_be_absent(kube_, secret_path(work.auth_name()), in_the_way(work.auth_name())));
    }
    if (work.is_apart) {
        jobs.push_back(must_be_rendered(kube_, api_ns_, work.auth_name()));
        jobs.push_back(must_be_absent(
            kube_, kube::path_of(kube::kPods, ns_, work.pod),
            fmt::format("pod \"{}/{}\" exists: delete its StatefulSet", ns_, work.pod)));
        jobs.push_back(states_.erase_leftover(owner_of(work)));
    }
    jobs.push_back(own_devices_.erase(claim_of(work, step.device_to_delete)));
    if (step.may_take_over || work.state.device().empty()) {
        jobs.push_back(
            must_not_come_beside_the_operator(kube_, work.labels, work.parent, work.is_apart));
    }
    if (step.may_take_over) {
        jobs.push_back(take_over_.job({.pod = work.pod,
                                       .parent = work.parent,
                                       .tailnet = work.tailnet,
                                       .hostname = work.hostname,
                                       .tags = split_list(work.tags)}));
    }
    jobs.push_back(tailnets_.job(work.tailnet, [this, work, key, is_urgent = !step.may_take_over](
                                                   tailnet::Api& api, const Next& next) {
        api.mint(
            {.tags = split_list(work.tags), .description = sweeps_.mark(), .urgent = is_urgent},
            [this, tailnet = work.tailnet, key, next](tailnet::Reply reply) {
                if (reply.may_be_done) {
                    sweeps_.request(tailnet);
                }
                if (reply.ok()) {
                    key->id = renderer::text_of(reply.body.find("id"));
                    key->key = renderer::text_of(reply.body.find("key"));
                    key->created = format_seconds(loop_.now());  // compared with our clock later
                    key->expires = renderer::text_of(reply.body.find("expires"));
                }
                next(!reply.ok()
                         ? "no auth key: " + reply.message
                         : std::string(key->key.empty() ? "no auth key in the response" : ""));
            });
    }));
    jobs.push_back(
        [this, work, key, step](const Next& next) { record_key(work, *key, step, next); });
    return [this, all = in_order(std::move(jobs))](const Next& next) {
        all([this, begun = sweeps_.begin_mint(), next](const std::string& problem) {
            sweeps_.end_mint(begun);
            next(problem);
        });
    };
}

// From here on a key exists: it is recorded, or revoked.
void Apply::record_key(const Work& work, const MintedKey& key, const step::MintKey& step,
                       Next done) {
    AuthContent content = without_key(work.auth);
    content.key = key;
    content.key_tags = work.tags;
    content.tags_before = work.auth.tags_before;
    add_tags(content.tags_before, work.auth.key_tags);
    content.restart_pod = step.restart_pod;
    if (!step.device_gone.empty()) {
        content.device_gone = step.device_gone;
    }
    write_auth(work,
               content)([this, work, key, done = std::move(done)](const std::string& problem) {
        if (problem.empty()) {
            return revoke_key(work.tailnet, work.auth.key_id)(done);
        }
        // The write may have succeeded although its reply was lost.
        kube_.get(secret_path(work.auth_name()), [this, work, key, problem,
                                                  done](const kube::Reply& reply) {
            const auto auth = reply.ok() ? decode_auth_secret(reply.object) : std::nullopt;
            if (auth.has_value() && auth->key_id == key.id) {
                written_.put(reply.object);
                return revoke_key(work.tailnet, work.auth.key_id)(done);
            }
            if (!reply.ok() && !reply.not_found()) {
                sweeps_.request(work.tailnet);  // unknown: the sweep looks again
                return done(problem);
            }
            revoke_key(work.tailnet, key.id)([this, work, problem, done](const std::string& also) {
                if (!also.empty()) {
                    sweeps_.request(work.tailnet);
                }
                done(problem);
            });
        });
    });
}

std::vector<Job> Apply::spend(const Work& work) {
    AuthContent content = without_key(work.auth);
    content.restart_pod.clear();
    return {revoke_key(work.tailnet, work.auth.key_id), write_auth(work, content)};
}

// The other tailnet must be known before anything is deleted.
std::vector<Job> Apply::leave_tailnet(const Work& work, const std::string& other) {
    return {tailnets_.job(other, [](tailnet::Api&, const Next& next) { next({}); }),
            revoke_key(work.tailnet, work.auth.key_id), delete_devices(work),
            delete_auth(work.auth)};
}

// Requests to the tailnet may wait for long, and the proxy may exist again when they are sent. The
// auth Secret is the last, because it is needed to find a state Secret that its pod has hidden.
std::vector<Job> Apply::remove(const Work& work) {
    const Job still_unwanted = must_be_unwanted(work);
    return {still_unwanted, revoke_key(work.tailnet, work.auth.key_id, still_unwanted),
            delete_devices(work, still_unwanted), delete_state(work), delete_auth(work.auth)};
}

}  // namespace runtime::controller
