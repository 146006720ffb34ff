// Callbacks that may outlive the object that they are for. The object is shared, and is kept alive
// only during the call.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace runtime::inline base {

// Returns a callback that does nothing once the object is destroyed. `call` is a member function,
// or a function that takes the object.
template <typename T, typename Call>
auto weakly(std::weak_ptr<T> object, Call call) {
    return [object = std::move(object), call = std::move(call)](auto&&... arguments) {
        if (const auto here = object.lock()) {
            std::invoke(call, *here, arguments...);
        }
    };
}

}  // namespace runtime::inline base
