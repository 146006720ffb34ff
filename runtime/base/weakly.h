// Calls that outlive whom they are for: of an object that is shared, made by what keeps it alive
// only while it is called.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace runtime {

// Nothing happens once the object is destroyed. `call`: a member function, or what takes the
// object.
template <typename T, typename Call>
auto weakly(std::weak_ptr<T> object, Call call) {
    return [object = std::move(object), call = std::move(call)](auto&&... arguments) {
        if (const auto here = object.lock()) {
            std::invoke(call, *here, arguments...);
        }
    };
}

}  // namespace runtime
