// Of several objects with one name, clusters use the one in a folder of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "renderer/repo/paths.h"

namespace renderer::engines {

// Removes all objects but those for which `nearness` is the highest.
template <typename T, typename Nearness>
void keep_nearest(std::vector<const T*>& known, const Nearness& nearness) {
    std::size_t most = 0;
    for (const T* one : known) {
        most = std::max(most, nearness(one));
    }
    std::erase_if(known, [&](const T* one) { return nearness(one) < most; });
}

// Removes all objects but those whose file is nearest to `file`.
template <typename T>
void keep_nearest_file(std::vector<const T*>& known, const std::string& file) {
    keep_nearest(known, [&](const T* one) {
        return one->file == file ? std::string::npos : repo::shared_directories(one->file, file);
    });
}

}  // namespace renderer::engines
