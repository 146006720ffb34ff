#include "runtime/controller/records/removal_times.h"

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"

namespace runtime::controller {

Removed read_removed(std::string_view text) {
    Removed removed;
    const auto parsed = renderer::read_json(text);
    for (const renderer::Member& member : renderer::members_of(parsed ? &*parsed : nullptr)) {
        if (const auto time = parse_time(text_of(member.value))) {
            removed.emplace(member.name(), *time);
        }
    }
    return removed;
}

}  // namespace runtime::controller
