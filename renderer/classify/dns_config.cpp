#include "renderer/classify/dns_config.h"

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

DnsConfigInput decode_dns_config(const Document& doc) {
    DnsConfigInput config;
    decode_metadata(doc, config);
    const Fields spec(doc.root.find("spec"), "spec", config.faults);
    const Fields nameserver(spec.map("nameserver"), "spec.nameserver", config.faults);
    config.has_nameserver = nameserver.exists();
    const Fields image(nameserver.map("image"), "spec.nameserver.image", config.faults);
    if (!image.text("repo").empty() || !image.text("tag").empty()) {
        config.image_pos = nameserver.pos("image");
    }
    const Fields service(nameserver.map("service"), "spec.nameserver.service", config.faults);
    config.cluster_ip = service.text("clusterIP");
    config.cluster_ip_pos = service.pos("clusterIP");
    const Fields pod(nameserver.map("pod"), "spec.nameserver.pod", config.faults);
    config.tolerations = pod.list("tolerations");
    config.replicas_pos = nameserver.pos("replicas");
    config.replicas = nameserver.any("replicas") == nullptr ? 1 : nameserver.number("replicas");
    return config;
}

}  // namespace renderer
