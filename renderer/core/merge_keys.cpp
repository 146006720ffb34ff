#include "renderer/core/merge_keys.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace renderer::inline core {

const Member* overridden_member(const Value& map, std::size_t above,
                                const std::vector<Value>& merged) {
    for (const Member& own : map.members().first(std::min(above, map.size()))) {
        for (const Value& one : merged) {
            if (const Value* other = one.find(own.name())) {
                if (*other != own.value) {
                    return &own;
                }
                break;  // it wins over those of later maps
            }
        }
    }
    return nullptr;
}

void merge_into(Value& map, std::vector<Value> merged) {
    if (merged.empty()) {
        return;
    }
    std::set<std::string, std::less<>> seen;
    for (const Member& member : map.members()) {
        seen.emplace(member.name());
    }
    for (Value& one : merged) {
        for (Member& member : one.members()) {
            if (seen.emplace(member.name()).second) {
                map.add(std::move(member.key), std::move(member.value));
            }
        }
    }
}

}  // namespace renderer::inline core
