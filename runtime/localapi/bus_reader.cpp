#include "runtime/localapi/bus_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace runtime::localapi {

namespace {

using Place = BusReader::Place;

constexpr std::array<std::string_view, 7> kStates = {
    "NoState", "InUseOtherUser", "NeedsLogin", "NeedsMachineAuth", "Stopped", "Starting", "Running",
};

struct Step {
    Place from;
    std::string_view key;  // empty: any item or member
    Place to;
};

constexpr Step kSteps[] = {
    {Place::Message, "NetMap", Place::NetMap},
    {Place::Message, "InitialStatus", Place::Status},
    {Place::Message, "SelfChange", Place::Self},
    {Place::Message, "PeersChanged", Place::Peers},
    {Place::Message, "PeersRemoved", Place::Removed},
    {Place::Message, "Health", Place::Health},
    {Place::Health, "Warnings", Place::Warnings},
    {Place::NetMap, "SelfNode", Place::Self},
    {Place::NetMap, "Peers", Place::Peers},
    {Place::NetMap, "DNS", Place::Names},
    {Place::Names, "CertDomains", Place::CertDomains},
    {Place::Names, "ExtraRecords", Place::Records},
    {Place::Status, "Self", Place::Self},
    {Place::Status, "Peer", Place::Peers},
    {Place::Status, "CertDomains", Place::CertDomains},
    {Place::Status, "ExtraRecords", Place::Records},
    {Place::Peers, "", Place::Peer},
    {Place::Records, "", Place::Record},
    {Place::Self, "Addresses", Place::Addresses},
    {Place::Self, "TailscaleIPs", Place::Addresses},
    {Place::Self, "AllowedIPs", Place::Routes},
    {Place::Peer, "Addresses", Place::Addresses},
    {Place::Peer, "TailscaleIPs", Place::Addresses},
    {Place::Peer, "AllowedIPs", Place::Routes},
};

Place step(Place from, std::string_view key) {
    for (const Step& candidate : kSteps) {
        if (candidate.from == from && (candidate.key.empty() || candidate.key == key)) {
            return candidate.to;
        }
    }
    return Place::Other;
}

// Returns 0 if the text is not the number of a node.
std::uint64_t read_id(std::string_view text) {
    std::uint64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    return error == std::errc() && end == text.data() + text.size() ? id : 0;
}

void add_prefix(std::vector<IpPrefix>& to, std::string_view text) {
    if (const auto prefix = IpPrefix::parse(text)) {
        to.push_back(*prefix);
    }
}

}  // namespace

std::string_view name_of(BackendState state) {
    return kStates[static_cast<std::size_t>(state)];
}

void BusReader::on_begin(bool) {
    const Place next = places_.empty() ? Place::Message : step(place(), key_);
    if (place() == Place::Warnings && key_ == "login-state") {
        message_.login_failed = true;
    }
    places_.push_back(next);
    if (next == Place::NetMap || next == Place::Status) {
        message_.is_snapshot = true;
        sink_.begin_snapshot();
    } else if (next == Place::Self || next == Place::Peer) {
        node_ = {};
    } else if (next == Place::Record) {
        record_name_.clear();
        record_type_.clear();
        record_value_.clear();
    }
}

void BusReader::on_end() {
    const Place ended = place();
    places_.pop_back();
    if (ended == Place::Self) {
        message_.has_self = true;
        sink_.put_self(std::move(node_));
    } else if (ended == Place::Peer) {
        message_.has_peers = true;
        sink_.put_peer(std::move(node_));
    } else if (ended == Place::Record) {
        sink_.add_record(record_name_, record_value_);
    }
}

void BusReader::on_document() {
    sink_.end_message(message_);
    message_ = {};
}

void BusReader::on_text(std::string_view text) {
    switch (place()) {
        case Place::Message:
            return take_message(text);
        case Place::Status:
            if (key_ == "BackendState") {
                const auto found = std::find(kStates.begin(), kStates.end(), text);
                if (found != kStates.end()) {
                    message_.state = static_cast<BackendState>(found - kStates.begin());
                }
            }
            return;
        case Place::Self:
        case Place::Peer:
            return take_node(text);
        case Place::Addresses:
            return add_prefix(node_.addresses, text);
        case Place::Routes:
            return add_prefix(node_.routes, text);
        case Place::CertDomains:
            return sink_.add_cert_domain(text);
        case Place::Record:
            (key_ == "Name" ? record_name_ : key_ == "Value" ? record_value_ : record_type_) = text;
            return;
        case Place::Other:
        case Place::NetMap:
        case Place::Names:
        case Place::Peers:
        case Place::Removed:
        case Place::Records:
        case Place::Health:
        case Place::Warnings:
            return;
    }
}

void BusReader::take_message(std::string_view text) {
    if (key_ == "Version") {
        message_.version = text;
    } else if (key_ == "ErrMessage") {
        message_.error = text;
    }
}

// Reads a tailcfg.Node, or an ipnstate.PeerStatus, whose ID is the StableID of a Node.
void BusReader::take_node(std::string_view text) {
    if (key_ == "StableID" || key_ == "ID") {
        node_.stable_id = text;
    } else if (key_ == "Name" || key_ == "DNSName") {
        node_.name = text;
    }
}

void BusReader::on_scalar(std::string_view spelling) {
    const std::uint64_t number = read_id(spelling);
    if (place() == Place::Message && key_ == "State" && number < kStates.size() &&
        spelling != "null") {
        message_.state = static_cast<BackendState>(number);
    } else if ((place() == Place::Self || place() == Place::Peer) &&
               (key_ == "ID" || key_ == "NodeID")) {
        node_.id = number;
    } else if (place() == Place::Removed && number != 0) {
        message_.has_peers = true;
        sink_.remove_peer(number);
    }
}

}  // namespace runtime::localapi
