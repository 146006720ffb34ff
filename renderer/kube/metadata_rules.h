// Rules for the keys of labels and annotations and for the size of annotations, as far as both
// programs check them. Source: k8s.io/apimachinery v0.34.0 pkg/util/validation, pkg/api/validation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer::inline kube {

inline constexpr std::size_t kMaxAnnotations = std::size_t{256} << 10U;  // bytes, for one object

enum class KeyFault : std::uint8_t {
    ManySlashes,  // then there is no other fault
    NoPrefix,
    LongPrefix,
    BadPrefix,
    NoName,
    LongName,
    BadName,
};

// Returns the faults in the order above.
std::vector<KeyFault> key_faults(std::string_view key);

// Ignores the case of the key, as the API server does for annotations.
std::vector<KeyFault> annotation_key_faults(std::string_view key);

// Returns the number of bytes in all keys and texts of a map.
std::size_t annotations_size(const Value& annotations);

}  // namespace renderer::inline kube
