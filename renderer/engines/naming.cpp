#include "renderer/engines/naming.h"

#include "renderer/core/text_of.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

Pos naming_tailscale(const Value* value) {
    if (value == nullptr) {
        return {};
    }
    if (repo::mentions_tailscale(text_of(*value))) {
        return value->pos();
    }
    for (const Value& item : items_of(value)) {
        if (const Pos pos = naming_tailscale(&item); pos.known()) {
            return pos;
        }
    }
    for (const Member& member : members_of(value)) {
        const Pos pos = naming_tailscale(&member.value);
        if (pos.known() || repo::mentions_tailscale(member.name())) {
            return pos.known() ? pos : member.key.pos();
        }
    }
    return {};
}

}  // namespace renderer::engines
