// Finds Services by namespace and name, for the backends of Ingresses. Applied documents take
// precedence over facts (--context, bootstrap directories).
#pragma once

#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"

namespace renderer::plan {

class ServiceIndex {
public:
    explicit ServiceIndex(const classify::Inventory& inventory);

    // Returns nullptr if the Service is not among the inputs.
    [[nodiscard]] const classify::ServiceInput* find(std::string_view ns,
                                                     std::string_view name) const;
    // Returns the namespaces of all Services with that name, sorted, without duplicates.
    [[nodiscard]] std::vector<std::string_view> namespaces_of(std::string_view name) const;

private:
    std::vector<const classify::ServiceInput*> sorted_;
};

}  // namespace renderer::plan
