#include "renderer/generate/workload/proxy_config.h"

#include <fmt/format.h>

#include "renderer/base/sha256.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/value.h"

namespace renderer::generate {

namespace {

// containerboot replaces it with the device's name.
constexpr std::size_t kHashDigits = 16;

std::string host_port(int port) {
    return fmt::format("{}:{}", kCertDomain, port);
}

Value proxy_handlers(const plan::ProxyPlan& proxy) {
    Value handlers = Value::map();
    for (const plan::ServeHandler& handler : proxy.handlers) {
        handlers.add(handler.path, Value::map({{"Proxy", handler.proxy}}));
    }
    return Value::map({{"Handlers", std::move(handlers)}});
}

Value redirect_handlers(const plan::ProxyPlan& proxy) {
    Value handlers = Value::map();
    for (const plan::ServeHandler& handler : proxy.handlers) {
        handlers.add(handler.path, Value::map({{"Redirect", Value::borrowed(kRedirect)}}));
    }
    return Value::map({{"Handlers", std::move(handlers)}});
}

}  // namespace

Value replica_config(const plan::Workload& workload, std::size_t ordinal) {
    Value config = Value::map({{"Version", "alpha0"}, {"Locked", false}});
    const std::string_view server = plan::spelled_server(workload.release, workload.server_url);
    put_if(config, !server.empty(), "ServerURL", server);
    config.add(kConfigKeyField, "file:" + auth_key_file(workload.pod(ordinal)));
    config.add("Hostname", workload.hostnames[ordinal]);
    config.add("acceptDNS", false);
    config.add("acceptRoutes",
               workload.proxy_class != nullptr && workload.proxy_class->accept_routes);
    return config;
}

std::string tailscaled_config(const plan::Workload& workload, const plan::ProxyPlan& proxy,
                              std::size_t ordinal, bool with_app_connector) {
    Value config = replica_config(workload, ordinal);
    put_if(config, !proxy.routes.empty(), "AdvertiseRoutes", text_list(proxy.routes));
    put_if(config, with_app_connector, "AppConnector",
           Value::map({{"Advertise", proxy.app_connector}}));
    config.add("NoStatefulFiltering", true);
    return write_json(config);
}

std::string serve_config(const plan::ProxyPlan& proxy) {
    Value tcp = Value::map({{"443", Value::map({{"HTTPS", true}})}});
    Value web = Value::map({{host_port(443), proxy_handlers(proxy)}});
    Value funnel = Value::map({{host_port(443), true}});
    if (proxy.http_redirect) {
        tcp.add("80", Value::map({{"HTTP", true}}));
        web.add(host_port(80), redirect_handlers(proxy));
        funnel.add(host_port(80), true);
    }
    Value config = Value::map({{"TCP", std::move(tcp)}, {"Web", std::move(web)}});
    put_if(config, proxy.funnel, "AllowFunnel", std::move(funnel));
    return write_json(config);
}

std::string config_hash(const plan::Workload& workload, const Value& others) {
    Value fields = Value::map();
    put_if(fields, !workload.server_url.empty(), "ServerURL", workload.server_url);
    for (const Member& other : others.members()) {
        fields.add(other.key.clone(), other.value.clone());
    }
    return sha256_hex(write_json(fields)).substr(0, kHashDigits);
}

}  // namespace renderer::generate
