// Finds Services by namespace and name, for the backends of Ingresses. Documents that an applier
// sees win over mere facts (--context, bootstrap directories).
#pragma once

#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"

namespace renderer {

class ServiceIndex {
public:
    explicit ServiceIndex(const Inventory& inventory);

    // nullptr when it is not among the inputs.
    [[nodiscard]] const ServiceInput* find(std::string_view ns, std::string_view name) const;
    // Of all Services of that name, sorted, each once.
    [[nodiscard]] std::vector<std::string_view> namespaces_of(std::string_view name) const;

private:
    std::vector<const ServiceInput*> sorted_;
};

}  // namespace renderer
