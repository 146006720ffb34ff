// Does the steps that `decide` returns. A step may be interrupted at any point: it is decided
// again, and doing it twice is harmless. Written objects are put into the copies at once, so that
// the next decision sees them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/jobs.h"
#include "runtime/controller/decide.h"
#include "runtime/controller/keys/device_answers.h"
#include "runtime/controller/keys/key_sweep.h"
#include "runtime/controller/keys/own_devices.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/keys/state_secrets.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/controller/keys/take_over.h"
#include "runtime/kube/client.h"

namespace runtime::controller {

class Apply {
public:
    // `api_ns` is the namespace of replicas that are apart; empty if no replica is.
    Apply(Loop& loop, kube::Client& kube, Tailnets& tailnets, std::string ns, std::string api_ns,
          KeySweeps& sweeps, TakeOver& take_over, DeviceAnswers& answers, OwnDevices& own_devices,
          Written written);

    // Calls `done` with the problem, or "". The replica is copied, because what it points to may
    // change meanwhile.
    void run(const Replica& replica, const Step& step, Next done);

private:
    // A replica whose parts are copies.
    struct Work {
        std::string pod, tailnet, set, parent, hostname;
        int ordinal = 0;
        bool is_apart = false;
        std::string tags, config;
        std::string labels;
        StateSecret state;
        AuthSecret auth, stray;

        [[nodiscard]] std::string auth_name() const {
            return controller::auth_name(pod, !config.empty());
        }
    };
    static Work work_of(const Replica& replica);
    static StateOwner owner_of(const Work& work);
    static DeviceClaim claim_of(const Work& work, std::string_view device);

    void record_key(const Work& work, const MintedKey& key, const step::MintKey& step, Next done);

    // The jobs of each step.
    Job mark_gone(const Work& work, const std::string& since);
    Job mint(const Work& work, const step::MintKey& step);
    Job delete_pod(const Work& work, const step::DeletePod& pod);
    std::vector<Job> spend(const Work& work);
    std::vector<Job> note(const Work& work, const step::NoteDevice& note);
    std::vector<Job> set_tags(const Work& work, const step::SetTags& tags);
    std::vector<Job> remove_stray(const Work& work);
    std::vector<Job> leave_tailnet(const Work& work, const std::string& other);
    std::vector<Job> remove(const Work& work);

    Job write_auth(const Work& work, AuthContent content);
    Job name_device(const Work& work);
    Job note_device(const Work& work, const std::shared_ptr<OwnDevice>& found);
    // Patches a Secret of the controller's namespace.
    Job patch(const std::string& name, std::string_view what, renderer::Value operations);
    Job patch_at(const std::string& path, std::string_view what, renderer::Value operations);
    Job delete_devices(const Work& work, const Job& guard = {});
    Job revoke_key(const std::string& tailnet, const std::string& id, const Job& guard = {});
    Job delete_secret(const std::string& name, const std::string& uid,
                      const std::string& version = {});
    Job delete_auth(const AuthSecret& auth);
    Job delete_state(const Work& work);
    Job must_be_unwanted(const Work& work);
    [[nodiscard]] std::string secret_path(std::string_view name) const;
    [[nodiscard]] std::string state_path(const Work& work) const;

    Loop& loop_;
    kube::Client& kube_;
    Tailnets& tailnets_;
    std::string ns_, api_ns_;
    KeySweeps& sweeps_;
    TakeOver& take_over_;
    DeviceAnswers& answers_;
    OwnDevices& own_devices_;
    Written written_;
    StateSecrets states_;
    // By pod: devices that were handled when their replica left its tailnet. Its state Secret may
    // name them until it is deleted.
    std::map<std::string, std::set<std::string>> settled_;
};

}  // namespace runtime::controller
