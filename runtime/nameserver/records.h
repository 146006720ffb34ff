// The names and addresses of the nameserver, as the controller writes them:
// testdata/contract/nameserver.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"

namespace runtime::nameserver {

struct Addresses {
    std::vector<std::string> ip4, ip6;  // 4 or 16 bytes each, as in a packet
};

class Records {
public:
    // `name` is in wire form and lower case. Returns nullptr if neither it nor a name below it
    // exists.
    [[nodiscard]] const Addresses* find(std::string_view name) const;
    // The number of names with addresses.
    [[nodiscard]] std::size_t size() const { return size_; }

    // Parses records.json. Messages about single invalid names or addresses are added to `skipped`.
    static renderer::Result<Records> read(std::string_view text, std::vector<std::string>& skipped);

private:
    std::map<std::string, Addresses, std::less<>> names_;  // including all parents of these names
    std::size_t size_ = 0;
};

// The zone of all names, `ts.net`, in wire form.
inline constexpr std::string_view kZone("\x02ts\x03net\0", 8);
// Returns true if the name is the zone or is below it.
bool is_in_zone(std::string_view name);

}  // namespace runtime::nameserver
