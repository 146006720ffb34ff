// The names that the nameserver knows, as the controller writes them:
// testdata/contract/nameserver.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"

namespace runtime {

struct Addresses {
    std::vector<std::string> ip4, ip6;  // 4 or 16 bytes each, as in a packet
};

class Records {
public:
    // The name in wire form and in lower case. nullptr: neither it nor a name below it is there.
    [[nodiscard]] const Addresses* find(std::string_view name) const;
    // Names with records of their own.
    [[nodiscard]] std::size_t size() const { return size_; }

    // `text` is records.json. What is wrong with one name or address goes into `skipped`, in words.
    static renderer::Result<Records> read(std::string_view text, std::vector<std::string>& skipped);

private:
    std::map<std::string, Addresses, std::less<>> names_;  // with all names above them
    std::size_t size_ = 0;
};

// The zone of all names: `ts.net` in wire form.
inline constexpr std::string_view kZone("\x02ts\x03net\0", 8);
// The name is the zone's, or below it.
bool is_in_zone(std::string_view name);

}  // namespace runtime
