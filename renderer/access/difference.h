// Finds who gains and who loses one endpoint, whatever rules and groups are called.
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

// Both sides' policies must outlive it.
class Differences {
public:
    // Returns what `to` has that `from` has not. `gains` says whether `to` is the new side,
    // `sources` are of the file of `to`.
    std::vector<Change> find(const Allowed& from, const Allowed& to, const Endpoint& endpoint,
                             bool gains, const SourceMap& sources);

private:
    // What makes two entries the same: numbers of texts.
    struct Identity {
        Match match;
        std::uint32_t members, postures;
        auto operator<=>(const Identity&) const = default;
    };

    // Returns what `to` allows, without what `from` allows in the same words. This is quick.
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
