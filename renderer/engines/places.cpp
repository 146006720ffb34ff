#include "renderer/engines/places.h"

namespace renderer::engines {

void set_places(Value& value, Pos pos) {
    value.set_pos(pos);
    if (value.is_list()) {
        for (Value& item : value.items()) {
            set_places(item, pos);
        }
    } else if (value.is_map()) {
        for (Member& member : value.members()) {
            member.key.set_pos(pos);
            set_places(member.value, pos);
        }
    }
}

}  // namespace renderer::engines
