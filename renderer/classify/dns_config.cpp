#include "renderer/classify/dns_config.h"

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

DnsConfigInput decode_dns_config(const Document& doc) {
    DnsConfigInput config;
    decode_metadata(doc, config);
    const Fields spec(doc.root.find("spec"));
    const Fields nameserver(spec.map("nameserver"));
    const Fields image(nameserver.map("image"));
    if (!image.text("repo").empty() || !image.text("tag").empty()) {
        config.image_pos = nameserver.pos("image");
    }
    const Fields service(nameserver.map("service"));
    config.cluster_ip = service.text("clusterIP");
    config.cluster_ip_pos = service.pos("clusterIP");
    const Fields pod(nameserver.map("pod"));
    config.tolerations = pod.list("tolerations");
    config.replicas_pos = nameserver.pos("replicas");
    config.replicas = nameserver.number("replicas").value_or(1);
    return config;
}

}  // namespace renderer
