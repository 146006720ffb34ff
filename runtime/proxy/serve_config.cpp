#include "runtime/proxy/serve_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/replace.h"
#include "renderer/contract/config_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace runtime::proxy {

using renderer::Member;
using renderer::members_of;
using renderer::Value;

namespace {

void add_domains(const Value& service, std::vector<std::string>& out) {
    for (const Member& site : members_of(service.is_map() ? service.find("Web") : nullptr)) {
        std::string_view host = site.name();
        if (host.ends_with(":443")) {
            host.remove_suffix(4);
            out.emplace_back(host);
        }
    }
    for (const Member& port : members_of(service.is_map() ? service.find("TCP") : nullptr)) {
        const std::string_view name =
            port.value.is_map() ? renderer::text_of(port.value.find("TerminateTLS")) : "";
        if (!name.empty()) {
            out.emplace_back(name);
        }
    }
}

void sort_once(std::vector<std::string>& texts) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

}  // namespace

renderer::Result<ServeConfig> read_serve_config(std::string_view text, std::string_view domain) {
    ServeConfig out;
    out.text = renderer::replace_all(std::string(text), renderer::kCertDomain, domain);
    const auto json = renderer::read_json(out.text);
    if (!json || !json->is_map()) {
        return renderer::Error{
            {.rule = "invalid-serve-config",
             .message = fmt::format("serve proxy: failed to read serve config: {}",
                                    json ? "not a JSON object" : "not JSON")}};
    }
    for (const Member& port : members_of(json->find("TCP"))) {
        const Value* https = port.value.is_map() ? port.value.find("HTTPS") : nullptr;
        out.has_https = out.has_https || (https != nullptr && https->is_bool() && https->as_bool());
    }
    for (const Member& service : members_of(json->find("Services"))) {
        out.services.emplace_back(service.name());
        add_domains(service.value, out.domains);
    }
    sort_once(out.services);
    sort_once(out.domains);
    return out;
}

}  // namespace runtime::proxy
