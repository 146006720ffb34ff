#include "renderer/contract/group_offer.h"

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace renderer::inline contract {

namespace {

constexpr std::string_view kName = "name";
constexpr std::string_view kParent = "parent";
constexpr std::string_view kPorts = "ports";
constexpr std::string_view kTags = "tags";
constexpr std::string_view kCertificate = "certificate";

std::vector<std::string> texts_in(const Value* list) {
    std::vector<std::string> texts;
    for (const Value& item : items_of(list)) {
        texts.emplace_back(text_of(item));
    }
    return texts;
}

}  // namespace

std::string write_offer(const GroupOffer& offer) {
    Value map = Value::map({{kName, offer.name},
                            {kParent, offer.parent},
                            {kPorts, text_list(offer.ports)},
                            {kTags, text_list(offer.tags)}});
    put_if(map, !offer.certificate.empty(), kCertificate, offer.certificate);
    return write_json(map);
}

std::optional<GroupOffer> read_offer(std::string_view text) {
    const auto json = read_json(text);
    if (!json || !json->is_map()) {
        return std::nullopt;
    }
    GroupOffer offer{.name = std::string(text_of(json->find(kName))),
                     .parent = std::string(text_of(json->find(kParent))),
                     .ports = texts_in(json->find(kPorts)),
                     .tags = texts_in(json->find(kTags)),
                     .certificate = std::string(text_of(json->find(kCertificate)))};
    const bool is_whole = !offer.parent.empty() && !offer.ports.empty() && !offer.tags.empty();
    return is_whole ? std::optional(std::move(offer)) : std::nullopt;
}

}  // namespace renderer::inline contract
