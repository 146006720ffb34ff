#include "runtime/nameserver/records.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "renderer/core/json.h"
#include "runtime/nameserver/message.h"

namespace runtime::nameserver {

namespace {

constexpr std::string_view kVersion = "v1alpha1";

struct Family {
    std::string_view key;
    int family;
    std::size_t size;
    std::string_view article;
};
constexpr Family kIp4{"ip4", AF_INET, 4, "an IPv4"};
constexpr Family kIp6{"ip6", AF_INET6, 16, "an IPv6"};

renderer::Error broken(std::string message) {
    return {renderer::Diagnostic{.rule = "invalid-records", .message = std::move(message)}};
}

std::set<std::string> read_addresses(const Family& family, std::string_view name,
                                     const renderer::Value& list,
                                     std::vector<std::string>& skipped) {
    std::set<std::string> unique;
    for (const renderer::Value& item : list.items()) {
        char bytes[16];
        const std::string text(item.is_string() ? item.text() : std::string_view());
        if (inet_pton(family.family, text.c_str(), bytes) == 1) {
            unique.insert(std::string(bytes, family.size));
        } else {
            skipped.push_back(fmt::format("\"{}\" of \"{}\" is not {} address",
                                          item.is_string() ? item.text() : kind_name(item), name,
                                          family.article));
        }
    }
    return unique;
}

}  // namespace

bool is_in_zone(std::string_view name) {
    while (name.size() > kZone.size()) {
        name = parent_name(name);
    }
    return name == kZone;
}

const Addresses* Records::find(std::string_view name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &found->second;
}

renderer::Result<Records> Records::read(std::string_view text, std::vector<std::string>& skipped) {
    const renderer::Value root = TRY(renderer::read_json(text));
    const renderer::Value* version = root.is_map() ? root.find("version") : nullptr;
    if (version == nullptr || !version->is_string() || version->text() != kVersion) {
        return broken(fmt::format("no records of version \"{}\"", kVersion));
    }
    Records records;
    std::set<std::string> own;
    for (const Family& family : {kIp4, kIp6}) {
        const renderer::Value* names = root.find(family.key);
        if (names == nullptr || names->is_null()) {
            continue;
        }
        if (!names->is_map()) {
            return broken(fmt::format("\"{}\" is {}, not a map", family.key, kind_name(*names)));
        }
        for (const auto& [key, list] : names->members()) {
            const auto name = wire_name(key.text());
            if (!name.has_value() || !is_in_zone(*name) || !list.is_list()) {
                skipped.push_back(fmt::format(
                    "\"{}\" {}", key.text(),
                    !name.has_value()    ? "is not a name"
                    : !is_in_zone(*name) ? "is not below ts.net"
                                         : fmt::format("has {}, not a list", kind_name(list))));
                continue;
            }
            Addresses& entry = records.names_[*name];
            auto& known = family.family == AF_INET ? entry.ip4 : entry.ip6;
            auto addresses = read_addresses(family, key.text(), list, skipped);
            addresses.insert(known.begin(), known.end());  // the same name in another spelling
            known.assign(addresses.begin(), addresses.end());
            own.insert(*name);
        }
    }
    for (const std::string& name : own) {
        for (std::string_view up = name; up.size() > kZone.size(); up = parent_name(up)) {
            records.names_.try_emplace(std::string(parent_name(up)));
        }
    }
    records.names_.try_emplace(std::string(kZone));
    records.size_ = own.size();
    return records;
}

}  // namespace runtime::nameserver
