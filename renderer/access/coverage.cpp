#include "renderer/access/coverage.h"

#include <algorithm>
#include <array>
#include <set>

namespace renderer::access {
namespace {

constexpr std::array kDefaultProtocols = {kTcp, kUdp, kIcmp, kIcmp6};

bool has_protocol(const Traffic& traffic, int protocol) {
    return traffic.protocol == protocol ||
           (traffic.protocol < 0 &&
            std::ranges::find(kDefaultProtocols, protocol) != kDefaultProtocols.end());
}

// Returns the addresses behind an endpoint, none for those of a device.
AddressSet addresses_of(const Endpoint& endpoint) {
    return endpoint.kind == Endpoint::Kind::ExitNode ? internet_addresses() : endpoint.addresses;
}

std::vector<Piece> allowed_pieces(const Access& access, const Endpoint& endpoint) {
    return access.match == Match::Part ? access.pieces
                                       : std::vector<Piece>{{traffic_of(endpoint), {}}};
}

// Returns whether the pieces have one port of one protocol for all of the addresses.
bool has_port(const std::vector<Piece>& pieces, int protocol, int port,
              const AddressSet& addresses) {
    AddressSet found;
    for (const Piece& piece : pieces) {
        if (has_protocol(piece.traffic, protocol) && piece.traffic.first <= port &&
            port <= piece.traffic.last) {
            if (piece.addresses.empty()) {
                return true;
            }
            found.add(piece.addresses);
        }
    }
    return !addresses.empty() && found.covers(addresses);
}

// Ports between two ends of ranges are all alike, so that the first of them stands for them.
std::set<int> ports_to_try(const std::vector<Piece>& pieces, const Traffic& wanted) {
    std::set<int> ports = {wanted.first};
    for (const Piece& piece : pieces) {
        for (const int port : {piece.traffic.first, piece.traffic.last + 1}) {
            if (wanted.first <= port && port <= wanted.last) {
                ports.insert(port);
            }
        }
    }
    return ports;
}

bool has_piece(const std::vector<Piece>& pieces, const Piece& wanted, const Endpoint& endpoint) {
    const AddressSet addresses =
        wanted.addresses.empty() ? addresses_of(endpoint) : wanted.addresses;
    const std::set<int> ports = ports_to_try(pieces, wanted.traffic);
    const auto has_each = [&](int protocol) {
        return std::ranges::all_of(
            ports, [&](int port) { return has_port(pieces, protocol, port, addresses); });
    };
    return wanted.traffic.protocol >= 0 ? has_each(wanted.traffic.protocol)
                                        : std::ranges::all_of(kDefaultProtocols, has_each);
}

bool has_all(const std::vector<Piece>& pieces, const std::vector<Piece>& wanted,
             const Endpoint& endpoint) {
    return std::ranges::all_of(
        wanted, [&](const Piece& piece) { return has_piece(pieces, piece, endpoint); });
}

void append(const std::vector<Piece>& from, std::vector<Piece>& pieces) {
    pieces.insert(pieces.end(), from.begin(), from.end());
}

}  // namespace

std::vector<Selector> atoms_of(const Selector& who, const Policy& policy) {
    const auto group = policy.groups.find(who.text);
    if (who.kind != SelectorKind::Group || group == policy.groups.end()) {
        return {who};
    }
    std::vector<Selector> users;
    for (const std::string& user : group->second) {
        users.push_back({.kind = SelectorKind::User, .text = user});
    }
    return users;
}

Match means(const Selector& selector, const Selector& atom, const Policy& policy) {
    if (selector.text == kInternet || atom.text == kInternet) {
        const bool is_all = selector.text == kInternet;
        return is_all ? Match::Yes : Match::No;
    }
    if (selector.kind == SelectorKind::Addresses && selector.text == atom.text) {
        return selector.addresses.covers(atom.addresses) ? Match::Yes : Match::No;
    }
    return match_source(selector, atom, policy);
}

bool is_condition_met(const std::vector<std::string>& needed,
                      const std::vector<std::string>& given) {
    return needed.empty() ||
           (!given.empty() && std::ranges::all_of(given, [&](const std::string& posture) {
               return std::ranges::find(needed, posture) != needed.end();
           }));
}

Match covers(const Allowed& allowed, const Selector& atom, const Access& access,
             const Endpoint& endpoint) {
    std::vector<Piece> sure;
    std::vector<Piece> maybe;
    for (const Access& one : allowed.access) {
        Match match = means(*one.who, atom, allowed.policy);
        if (!is_condition_met(one.postures, access.postures) ||
            (one.match == Match::Unknown && access.match != Match::Unknown)) {
            match = std::min(match, Match::Unknown);
        }
        if (match == Match::Yes) {
            append(allowed_pieces(one, endpoint), sure);
        } else if (match == Match::Unknown) {
            append(allowed_pieces(one, endpoint), maybe);
        }
    }
    const std::vector<Piece> wanted = allowed_pieces(access, endpoint);
    if (has_all(sure, wanted, endpoint)) {
        return Match::Yes;
    }
    append(sure, maybe);
    return !maybe.empty() && maybe.size() > sure.size() && has_all(maybe, wanted, endpoint)
               ? Match::Unknown
               : Match::No;
}

}  // namespace renderer::access
