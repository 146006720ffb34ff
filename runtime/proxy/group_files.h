// The services of a group that the pod serves, from the files that its environment names.
#pragma once

#include <functional>
#include <memory>

#include "runtime/base/log.h"
#include "runtime/proxy/environment.h"
#include "runtime/proxy/followed_files.h"
#include "runtime/proxy/group_services.h"
#include "runtime/proxy/watched_folder.h"

namespace runtime::proxy {

class GroupFiles {
public:
    // All references outlive it.
    GroupFiles(Loop& loop, Log& log, const Environment& environment, const FollowedFiles& files)
        : loop_(loop), log_(log), environment_(environment), files_(files) {}

    // Calls `changed` when the folder of a file has changed.
    void watch(const std::function<void()>& changed);
    // Keeps the services that were read before if a file cannot be read.
    void read();

    [[nodiscard]] const EgressServices& egress() const { return egress_; }
    [[nodiscard]] const IngressServices& ingress() const { return ingress_; }

private:
    Loop& loop_;
    Log& log_;
    const Environment& environment_;
    const FollowedFiles& files_;
    EgressServices egress_;
    IngressServices ingress_;
    std::unique_ptr<WatchedFolder> egress_folder_, ingress_folder_;
};

}  // namespace runtime::proxy
