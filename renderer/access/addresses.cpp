#include "renderer/access/addresses.h"

#include <algorithm>
#include <string>

#include "renderer/plan/routes.h"

namespace renderer::access {
namespace {

constexpr std::uint8_t kV4 = 4, kV6 = 6;
constexpr unsigned kByteBits = 8;
constexpr std::uint8_t kFull = 0xff;

std::optional<AddressRange> parse_prefix(std::string_view text) {
    std::string prefix(text);
    if (text.find('/') == std::string_view::npos) {
        prefix += text.find(':') == std::string_view::npos ? "/32" : "/128";
    }
    const auto route = plan::parse_route(prefix);
    if (!route) {
        return std::nullopt;
    }
    const plan::Route start = plan::masked(*route);
    AddressRange range;
    range.first.front() = range.last.front() = route->v6 ? kV6 : kV4;
    const std::size_t size = route->v6 ? start.address.size() : plan::kV4Bytes;
    for (std::size_t i = 0; i < size; ++i) {
        const unsigned from = static_cast<unsigned>(i) * kByteBits;
        const unsigned fixed = start.bits <= from ? 0 : std::min(start.bits - from, kByteBits);
        range.first[i + 1] = start.address[i];
        range.last[i + 1] = static_cast<std::uint8_t>(start.address[i] | (kFull >> fixed));
    }
    return range;
}

// Returns the address behind this one, or the first one of its family behind the last one.
Address next(Address address) {
    const std::size_t size = address.front() == kV6 ? address.size() : plan::kV4Bytes + 1;
    for (std::size_t i = size; i-- > 0 && ++address[i] == 0;) {
    }
    return address;
}

Address previous(Address address) {
    const std::size_t size = address.front() == kV6 ? address.size() : plan::kV4Bytes + 1;
    for (std::size_t i = size; i-- > 0 && address[i]-- == 0;) {
    }
    return address;
}

// True if the first range ends before the second one and an address is between them.
bool is_apart(const AddressRange& one, const AddressRange& two) {
    return one.last < two.first && next(one.last) != two.first;
}

AddressSet set_of(std::initializer_list<std::string_view> texts) {
    AddressSet set;
    for (const std::string_view text : texts) {
        set.add(*parse_prefix(text));
    }
    return set;
}

}  // namespace

std::optional<AddressRange> parse_range(std::string_view text) {
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) {
        return parse_prefix(text);
    }
    const auto first = parse_prefix(text.substr(0, dash));
    const auto last = parse_prefix(text.substr(dash + 1));
    const bool is_range = first && last && text.find('/') == std::string_view::npos &&
                          first->first.front() == last->first.front() && first->first <= last->last;
    return is_range ? std::optional(AddressRange{first->first, last->last}) : std::nullopt;
}

AddressSet::AddressSet(const std::vector<AddressRange>& ranges) {
    for (const AddressRange& range : ranges) {
        add(range);
    }
}

void AddressSet::add(const AddressRange& range) {
    AddressRange whole = range;
    std::vector<AddressRange> kept;
    for (const AddressRange& one : ranges_) {
        if (is_apart(one, whole) || is_apart(whole, one)) {
            kept.push_back(one);
        } else {
            whole = {std::min(one.first, whole.first), std::max(one.last, whole.last)};
        }
    }
    kept.insert(std::ranges::lower_bound(kept, whole.first, {}, &AddressRange::first), whole);
    ranges_ = std::move(kept);
}

void AddressSet::add(const AddressSet& other) {
    for (const AddressRange& range : other.ranges_) {
        add(range);
    }
}

void AddressSet::remove(const AddressRange& range) {
    std::vector<AddressRange> kept;
    for (const AddressRange& one : ranges_) {
        if (one.last < range.first || range.last < one.first) {
            kept.push_back(one);
            continue;
        }
        if (one.first < range.first) {
            kept.push_back({one.first, previous(range.first)});
        }
        if (range.last < one.last) {
            kept.push_back({next(range.last), one.last});
        }
    }
    ranges_ = std::move(kept);
}

void AddressSet::remove(const AddressSet& other) {
    for (const AddressRange& range : other.ranges_) {
        remove(range);
    }
}

bool AddressSet::overlaps(const AddressSet& other) const {
    return std::ranges::any_of(ranges_, [&](const AddressRange& one) {
        return std::ranges::any_of(other.ranges_, [&](const AddressRange& two) {
            return one.first <= two.last && two.first <= one.last;
        });
    });
}

bool AddressSet::covers(const AddressSet& other) const {
    return std::ranges::all_of(other.ranges_, [&](const AddressRange& two) {
        return std::ranges::any_of(ranges_, [&](const AddressRange& one) {
            return one.first <= two.first && two.last <= one.last;
        });
    });
}

std::string AddressSet::key() const {
    std::string bytes;
    for (const AddressRange& range : ranges_) {
        bytes.append(range.first.begin(), range.first.end());
        bytes.append(range.last.begin(), range.last.end());
    }
    return bytes;
}

const AddressSet& tailnet_addresses() {
    static const AddressSet set = set_of({"100.64.0.0/10", "fd7a:115c:a1e0::/48"});
    return set;
}

const AddressSet& internet_addresses() {
    static const AddressSet set = [] {
        AddressSet all = set_of({"0.0.0.0/0", "2000::/3"});
        all.remove(set_of({"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
                           "100.64.0.0/10", "127.0.0.0/8", "224.0.0.0/4"}));
        return all;
    }();
    return set;
}

}  // namespace renderer::access
