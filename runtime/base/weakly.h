// Callbacks that may outlive the object that they are for.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace runtime::inline base {

// Returns a callback that does nothing once the object is destroyed. The object is shared, and is
// kept alive only during the call. `call` is a member function, or a function that takes the
// object.
template <typename T, typename Call>
auto weakly(std::weak_ptr<T> object, Call call) {
    return [object = std::move(object), call = std::move(call)](auto&&... arguments) {
        if (const auto here = object.lock()) {
            std::invoke(call, *here, arguments...);
        }
    };
}

// The same for an object that is not shared. It has this as its last member.
class Lifetime {
public:
    Lifetime() = default;
    Lifetime(const Lifetime&) = delete;
    Lifetime& operator=(const Lifetime&) = delete;
    ~Lifetime() = default;

    // Returns a callback that does nothing once this is destroyed. `call` may destroy it.
    template <typename Call>
    [[nodiscard]] auto guarded(Call call) const {
        return [alive = std::weak_ptr(alive_), call = std::move(call)](auto&&... arguments) {
            if (!alive.expired()) {
                call(std::forward<decltype(arguments)>(arguments)...);
            }
        };
    }

private:
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace runtime::inline base
