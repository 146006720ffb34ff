// Parses selectors: what rules, or users on the command line, call one end of a connection. A
// policy defines the names that selectors may use.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "renderer/access/model.h"
#include "renderer/policy/hujson.h"

namespace renderer::access {

class SelectorReader {
public:
    // Reads the names of `hosts`, `ipsets` and `tagOwners`; those that are invalid are unknown.
    explicit SelectorReader(const policy::Node& root);

    struct Parsed {
        std::optional<Selector> selector;           // not set if the text is not a selector
        std::string_view rule = "policy-selector";  // "policy-reference" for a name
        std::string expected = {};
    };
    [[nodiscard]] Parsed parse(std::string_view text) const;

private:
    [[nodiscard]] std::optional<AddressSet> addresses_of(std::string_view text) const;
    void read_ip_set(const policy::Node& ip_sets, const policy::Entry& entry, int depth);
    [[nodiscard]] std::optional<AddressSet> ip_set_item(const policy::Node& ip_sets,
                                                        std::string_view item, int depth);

    std::map<std::string, AddressSet, std::less<>> addresses_;  // of hosts and IP sets
    std::set<std::string, std::less<>> tags_;
    std::set<std::string, std::less<>> invalid_;  // IP sets
};

}  // namespace renderer::access
