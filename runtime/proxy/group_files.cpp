#include "runtime/proxy/group_files.h"

#include <utility>

#include "runtime/base/file.h"

namespace runtime::proxy {

void GroupFiles::watch(const std::function<void()>& changed) {
    if (!environment_.egress_config.empty()) {
        egress_folder_ =
            std::make_unique<WatchedFolder>(loop_, log_, environment_.egress_config, changed);
    }
    if (!environment_.ingress_config.empty()) {
        ingress_folder_ = std::make_unique<WatchedFolder>(
            loop_, log_, folder_of(environment_.ingress_config), changed);
    }
}

void GroupFiles::read() {
    if (!environment_.egress_config.empty()) {
        auto text = files_.read(environment_.egress_config + "/egress-services");
        auto services =
            text ? read_egress_services(*text) : renderer::Result<EgressServices>(text.error());
        if (services) {
            egress_ = std::move(*services);
        } else {
            log_.error(services.error().diagnostic.message);
        }
    }
    if (!environment_.ingress_config.empty()) {
        auto text = files_.read(environment_.ingress_config);
        auto services =
            text ? read_ingress_services(*text) : renderer::Result<IngressServices>(text.error());
        if (services) {
            ingress_ = std::move(*services);
        } else {
            log_.error(services.error().diagnostic.message);
        }
    }
}

}  // namespace runtime::proxy
