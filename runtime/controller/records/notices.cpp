#include "runtime/controller/records/notices.h"

#include <fmt/format.h>

#include "renderer/contract/annotations.h"
#include "renderer/contract/group_config.h"
#include "renderer/contract/tailnet_config.h"
#include "runtime/controller/view/replicas.h"

namespace runtime::controller {

namespace {

constexpr Duration kFirstListsTake = std::chrono::seconds(30);

}  // namespace

std::string unknown_contract(std::string_view version) {
    return fmt::format(
        "it uses contract \"{}\", but this controller supports \"{}\": it is ignored; use the same "
        "version of tailrender and tailrender-runtime",
        version, renderer::kContractVersion);
}

void Notices::reconcile(const Changes& changes) {
    if (!context_.view.apart_complete() && context_.loop.uptime() - started_at_ > kFirstListsTake) {
        context_.events.post(
            context_.ledger.reference(), kube::EventType::Warning, "CannotReadApiProxy",
            fmt::format(
                "cannot read the API proxy in namespace \"{}\", so it is not managed: apply "
                "the Role and the RoleBinding that are rendered for the controller there",
                context_.view.api_ns()));
    }
    for (const ProxySet* set : sets_of(context_.view, changes)) {
        if (!set->contract.empty() && set->contract != renderer::kContractVersion) {
            context_.events.post(context_.view.reference(kube::kStatefulSets, set->name, set->uid),
                                 kube::EventType::Warning, "UnknownContract",
                                 unknown_contract(set->contract));
        }
    }
    const auto look = [this](std::string_view prefix, const auto& config) {
        if (config.contract != renderer::kContractVersion) {
            context_.events.post(
                context_.view.reference(kube::kConfigMaps, fmt::format("{}{}", prefix, config.name),
                                        config.uid),
                kube::EventType::Warning, "UnknownContract", unknown_contract(config.contract));
        }
    };
    for (const auto& [unused, config] : context_.view.tailnet_configs().objects()) {
        look(renderer::kTailnetPrefix, config);
        tell_refusal(config);
    }
    for (const auto& [unused, config] : context_.view.groups().objects()) {
        look(renderer::kGroupPrefix, config);
    }
}

void Notices::tell_refusal(const renderer::TailnetConfig& config) {
    const std::string refusal = context_.tailnets.refusal(config);
    if (config.contract == renderer::kContractVersion && !refusal.empty()) {
        context_.events.post(
            context_.view.reference(kube::kConfigMaps,
                                    fmt::format("{}{}", renderer::kTailnetPrefix, config.name),
                                    config.uid),
            kube::EventType::Warning, "CannotUseTailnet", refusal);
    }
}

}  // namespace runtime::controller
