// Result<T> is a value or a Diagnostic, for functions that report one error (one file, one parse).
// Stages that can find several mistakes take a Diagnostics instead. It is the subset of
// std::expected that we use. TRY(expr) returns the error of `expr` from the calling function.
#pragma once

#include <utility>
#include <variant>

#include "renderer/base/check.h"
#include "renderer/core/diagnostics.h"

namespace renderer::inline core {

struct Error {
    Diagnostic diagnostic;
};

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
    Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    [[nodiscard]] bool has_value() const { return content_.index() == 0; }
    explicit operator bool() const { return has_value(); }
    T& value() {
        CHECK(has_value());
        return std::get<0>(content_);
    }
    const T& value() const {
        CHECK(has_value());
        return std::get<0>(content_);
    }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    Error& error() {
        CHECK(!has_value());
        return std::get<1>(content_);
    }

private:
    std::variant<T, Error> content_;
};

struct Unit {};

}  // namespace renderer::inline core

#define TRY(expression)                           \
    __extension__({                               \
        auto try_result = (expression);           \
        if (!try_result.has_value()) {            \
            return std::move(try_result.error()); \
        }                                         \
        std::move(try_result.value());            \
    })
