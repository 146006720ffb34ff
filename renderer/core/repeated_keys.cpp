#include "renderer/core/repeated_keys.h"

#include <algorithm>
#include <span>

namespace renderer::inline core {

std::vector<RepeatedKey> repeated_keys(const Value& map) {
    const std::span<const Member> members = map.members();
    std::vector<RepeatedKey> found;
    if (members.size() < 2) {
        return found;
    }
    std::vector<const Member*> sorted;
    sorted.reserve(members.size());
    for (const Member& member : members) {
        sorted.push_back(&member);
    }
    std::ranges::stable_sort(sorted, {}, &Member::name);
    const Member* first = sorted.front();
    for (const Member* member : std::span(sorted).subspan(1)) {
        if (member->name() == first->name()) {
            found.push_back({std::string(member->name()), first->key.pos(), member->key.pos()});
        } else {
            first = member;
        }
    }
    return found;
}

}  // namespace renderer::inline core
