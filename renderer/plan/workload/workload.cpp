#include "renderer/plan/workload/workload.h"

#include <fmt/format.h>

namespace renderer {

std::string Workload::pod(std::size_t ordinal) const {
    return fmt::format("{}-{}", name, ordinal);
}

Value labels_of(const Workload& workload) {
    Value labels = Value::map();
    for (const auto& [key, value] : workload.labels) {
        labels.add(Value::borrowed(key), value);
    }
    return labels;
}

}  // namespace renderer
