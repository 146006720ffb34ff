// Finds who gains and who loses access to one endpoint. Names of rules and groups do not matter.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/access/compare.h"
#include "renderer/access/coverage.h"
#include "renderer/access/evaluate.h"
#include "renderer/access/model.h"
#include "renderer/core/source_map.h"

namespace renderer::access {

// The policies of both sides must outlive this object.
class Differences {
public:
    // Returns the access that `to` allows and `from` does not. `gains` says whether `to` is the new
    // side; `sources` has the policy file of `to`.
    std::vector<Change> find(const Allowed& from, const Allowed& to, const Endpoint& endpoint,
                             bool gains, const SourceMap& sources);

private:
    // Two entries with equal identities are the same. `members` and `postures` are numbers that
    // `number_of` gives to texts.
    struct Identity {
        Match match;
        std::uint32_t members, postures;
        auto operator<=>(const Identity&) const = default;
    };

    // Returns the entries of `to` that `from` does not have in the same words. This is quick, so
    // only these entries are compared by identity.
    std::vector<const Access*> without_the_same(const Allowed& from, const Allowed& to);
    bool has_same_members(const Selector& who, const Policy& one, const Policy& two);
    std::optional<Identity> identity_of(const Access& access, const Policy& policy);
    std::uint32_t members_of(const Selector& who, const Policy& policy);
    std::uint32_t number_of(const std::string& text);

    std::map<std::string, std::uint32_t> numbers_;
    std::map<std::pair<const Policy*, std::string_view>, std::uint32_t> members_;
    std::map<std::string_view, bool> same_groups_;
};

std::vector<std::string> rule_texts(const std::vector<const Rule*>& rules,
                                    const SourceMap& sources);

}  // namespace renderer::access
