#include "runtime/localapi/tailnet_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"

namespace runtime::localapi {

namespace {

constexpr std::size_t kMostRecords = 1024;  // for wanted names

template <typename Number>
std::optional<Number> read_number(std::string_view text, int base) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

}  // namespace

std::string full_name(std::string_view name) {
    std::string out = renderer::lower_case(name);
    if (!out.ends_with('.')) {
        out += '.';
    }
    return out;
}

std::optional<IpAddress> address_of_via_name(std::string_view name) {
    const std::string full = full_name(name);
    std::string_view domain = full;
    const std::string_view label = renderer::take(domain, '.');
    const std::size_t via = label.find("-via-");
    const bool is_ours = domain.empty() || domain == "ts.net." || domain.ends_with(".ts.net.") ||
                         domain == "tailscale.net." || domain.ends_with(".tailscale.net.");
    if (via == std::string_view::npos || !is_ours) {
        return std::nullopt;
    }
    std::string v4(label.substr(0, via));
    std::replace(v4.begin(), v4.end(), '-', '.');
    std::string_view digits = label.substr(via + 5);
    const bool is_hex = digits.starts_with("0x");
    digits.remove_prefix(is_hex ? 2 : 0);
    const auto address = IpAddress::parse(v4);
    const auto site = read_number<std::uint32_t>(digits, is_hex ? 16 : 10);
    if (!address || address->is_v6() || !site) {
        return std::nullopt;
    }
    std::string bytes("\xfd\x7a\x11\x5c\xa1\xe0\x0b\x1a", 8);
    for (unsigned shift = 32; shift > 0; shift -= 8) {
        bytes.push_back(static_cast<char>(*site >> (shift - 8) & 0xFFU));
    }
    return IpAddress::from_bytes(bytes.append(address->bytes()));
}

bool TailnetView::want(const std::vector<std::string>& names) {
    std::set<std::string> wanted;
    for (const std::string& name : names) {
        wanted.insert(full_name(name));
    }
    const bool has_new =
        !std::includes(wanted_.begin(), wanted_.end(), wanted.begin(), wanted.end());
    wanted_ = std::move(wanted);
    wanted_via_.clear();
    for (const std::string& name : wanted_) {
        if (const auto via = address_of_via_name(name)) {
            wanted_via_.push_back(*via);
        }
    }
    return has_new;
}

// Removes unneeded routes from the node, and returns whether it is needed. Routes of a single
// address stay: which of them belong to Services is known only from the records, which may come
// later.
bool TailnetView::keep(TailnetNode& node) const {
    if (wanted_.empty()) {
        return false;
    }
    std::erase_if(node.routes, [&](const IpPrefix& route) {
        if (route.is_one_address()) {
            return std::find(node.addresses.begin(), node.addresses.end(), route) !=
                   node.addresses.end();
        }
        return std::none_of(wanted_via_.begin(), wanted_via_.end(),
                            [&](const IpAddress& via) { return route.contains(via); });
    });
    return !node.routes.empty() || wanted_.contains(full_name(node.name));
}

void TailnetView::begin_snapshot() {
    has_self_ = false;
    self_ = {};
    peers_.clear();
    nameless_.clear();
    clear_names();
}

void TailnetView::clear_names() {
    cert_domains_.clear();
    records_.clear();
}

void TailnetView::put_self(TailnetNode node) {
    node.routes.clear();
    self_ = std::move(node);
    has_self_ = true;
}

void TailnetView::put_peer(TailnetNode node) {
    const std::uint64_t id = node.id;
    std::string name = full_name(node.name);
    if (id != 0) {
        nameless_.erase(name);
    }
    if (keep(node)) {
        if (id != 0) {
            peers_.insert_or_assign(id, std::move(node));
        } else {
            nameless_.insert_or_assign(std::move(name), std::move(node));
        }
    } else if (id != 0) {
        peers_.erase(id);
    } else {
        nameless_.erase(name);
    }
}

void TailnetView::remove_peer(std::uint64_t id) {
    peers_.erase(id);
}

void TailnetView::add_cert_domain(std::string_view domain) {
    cert_domains_.emplace_back(domain);
}

void TailnetView::add_record(std::string_view name, std::string_view address) {
    const auto parsed = IpAddress::parse(address);
    std::string full = full_name(name);
    if (parsed && wanted_.contains(full) && records_.size() < kMostRecords) {
        records_.emplace(std::move(full), *parsed);
    }
}

bool TailnetView::is_routed(const IpPrefix& exactly) const {
    const auto has = [&](const auto& node) {
        const auto& routes = node.second.routes;
        return std::find(routes.begin(), routes.end(), exactly) != routes.end();
    };
    return std::any_of(peers_.begin(), peers_.end(), has) ||
           std::any_of(nameless_.begin(), nameless_.end(), has);
}

std::vector<IpAddress> TailnetView::service_addresses(const std::string& name) const {
    std::vector<IpAddress> out;
    const auto [begin, end] = records_.equal_range(name);
    for (auto record = begin; record != end; ++record) {
        const IpAddress& address = record->second;
        if (is_routed(IpPrefix::of(address)) &&
            std::find(out.begin(), out.end(), address) == out.end()) {
            out.push_back(address);
        }
    }
    return out;
}

renderer::Result<std::vector<IpAddress>> TailnetView::resolve(std::string_view name) const {
    const std::string full = full_name(name);
    const auto find_in = [&](const auto& nodes) -> const TailnetNode* {
        const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) {
            return full_name(node.second.name) == full;
        });
        return found == nodes.end() ? nullptr : &found->second;
    };
    const TailnetNode* peer = find_in(peers_);
    if (peer == nullptr) {
        peer = find_in(nameless_);
    }
    if (peer != nullptr && !peer->addresses.empty()) {
        std::vector<IpAddress> out;
        for (const IpPrefix& prefix : peer->addresses) {
            out.push_back(prefix.address);
        }
        return out;
    }
    if (auto addresses = service_addresses(full); !addresses.empty()) {
        return addresses;
    }
    const auto via = address_of_via_name(full);
    if (!via) {
        return renderer::Error{
            {.rule = "no-such-node",
             .message = fmt::format("could not find Tailscale node, service or 4via6 address "
                                    "\"{}\"; it either does not exist, or not reachable because of "
                                    "ACLs",
                                    name)}};
    }
    const auto covers = [&](const auto& node) {
        return std::any_of(node.second.routes.begin(), node.second.routes.end(),
                           [&](const IpPrefix& route) { return route.contains(*via); });
    };
    if (std::any_of(peers_.begin(), peers_.end(), covers) ||
        std::any_of(nameless_.begin(), nameless_.end(), covers)) {
        return std::vector{*via};
    }
    return renderer::Error{{.rule = "no-such-node",
                            .message = fmt::format("resolved 4via6 address {} for \"{}\" but no "
                                                   "peer advertises a route containing it",
                                                   via->text(), name)}};
}

}  // namespace runtime::localapi
