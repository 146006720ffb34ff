// Which keys labels and annotations may have, and how much annotations may hold, as far as both
// programs ask. Source: k8s.io/apimachinery v0.34.0 pkg/util/validation, pkg/api/validation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

inline constexpr std::size_t kMaxAnnotations = std::size_t{256} << 10U;  // bytes, of one object

enum class KeyFault : std::uint8_t {
    ManySlashes,  // then there is no other
    NoPrefix,
    LongPrefix,
    BadPrefix,
    NoName,
    LongName,
    BadName,
};

// In the order above.
std::vector<KeyFault> key_faults(std::string_view key);

// The case of an annotation's key does not matter.
std::vector<KeyFault> annotation_key_faults(std::string_view key);

// The bytes of all keys and texts of a map.
std::size_t annotations_size(const Value& annotations);

}  // namespace renderer
