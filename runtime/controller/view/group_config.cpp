#include "runtime/controller/view/group_config.h"

#include <fmt/format.h>

#include <string_view>

#include "renderer/base/sha256.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/labels.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"
#include "runtime/controller/view/api_proxy_config.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::Member;
using renderer::text_of;
using renderer::Value;

namespace {

bool is_of_host(const Offer& offer, std::string_view host) {
    return renderer::is_dns1123_label(host) && offer.name == fmt::format("svc:{}", host);
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
    const bool has = text.ends_with(suffix);
    text.remove_suffix(has ? suffix.size() : 0);
    return has;
}

}  // namespace

std::optional<GroupConfig> decode_group(const Value& object) {
    std::string_view name = text_of(object.at({"metadata", "name"}));
    if (!name.starts_with(renderer::kGroupPrefix)) {
        return std::nullopt;
    }
    name.remove_prefix(renderer::kGroupPrefix.size());
    GroupConfig group;
    group.name = name;
    group.uid = text_of(object.at({"metadata", "uid"}));
    group.contract = annotation_of(object, renderer::kContractAnnotation);
    if (group.contract != renderer::kContractVersion) {
        return group;
    }
    for (const Member& member : renderer::members_of(object.find("data"))) {
        std::string_view key = member.name();
        if (take_suffix(key, ".json")) {
            if (auto offer = renderer::read_offer(text_of(member.value));
                offer && is_of_host(*offer, key)) {
                group.offers.push_back(std::move(*offer));
            } else {
                group.problem = fmt::format("\"{}\" cannot be read", member.name());
            }
        } else if (take_suffix(key, renderer::kHujson)) {
            const auto config = renderer::read_json(text_of(member.value));
            if (config && config->find(kVersionField) != nullptr) {
                group.proxies.emplace(key, text_of(member.value));
            } else {
                group.problem = fmt::format("\"{}\" has no \"{}\"", member.name(), kVersionField);
            }
        }
    }
    return group;
}

std::optional<Certificate> decode_certificate(const Value& object) {
    if (label_of(object, renderer::kSecretLabel) != renderer::kCertificateSecret) {
        return std::nullopt;
    }
    Certificate certificate;
    certificate.name = text_of(object.at({"metadata", "name"}));
    certificate.uid = text_of(object.at({"metadata", "uid"}));
    const std::string_view chain = text_of(object.at({"data", "tls.crt"}));
    const std::string_view key = text_of(object.at({"data", "tls.key"}));
    if (!chain.empty() && !key.empty()) {
        certificate.hash = renderer::sha256_hex(chain).substr(0, 16);
    }
    return certificate;
}

}  // namespace runtime::controller
