#include "renderer/kube/operator_container.h"

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/core/text_of.h"

namespace renderer::inline kube {

namespace {

// True if the container has the variables that only the operator's process gets.
bool runs_operator(const Value& container) {
    constexpr std::array<std::string_view, 3> kOwn = {"OPERATOR_INITIAL_TAGS", "OPERATOR_HOSTNAME",
                                                      "OPERATOR_SECRET"};
    return find_env(container, "PROXY_IMAGE") != nullptr &&
           std::ranges::any_of(
               kOwn, [&](std::string_view name) { return find_env(container, name) != nullptr; });
}

}  // namespace

const Value* find_env(const Value& container, std::string_view name) {
    const Value* last = nullptr;
    for (const Value& entry : items_of(container.find("env"))) {
        if (text_of(entry.find("name")) == name) {
            last = &entry;
        }
    }
    return last;
}

const Value* operator_container(const Value& deployment) {
    for (const Value& container :
         items_of(deployment.at({"spec", "template", "spec", "containers"}))) {
        if (runs_operator(container)) {
            return &container;
        }
    }
    return nullptr;
}

Value* operator_container(Value& deployment) {
    return const_cast<Value*>(operator_container(std::as_const(deployment)));
}

}  // namespace renderer::inline kube
