// What a run is doing and how far it is, for a line of progress. Threads may share it.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace renderer::inline base {

class Steps {
public:
    // Names the part of the run that the following steps belong to, such as "cluster home".
    void enter(std::string part);
    // Begins steps, such as 12 of "reading files". Those of another thread that does the same are
    // counted together.
    void begin(std::string_view what, std::size_t count);
    void done();
    // Returns "cluster home: reading files, 3 of 12".
    [[nodiscard]] std::string text() const;

private:
    mutable std::mutex mutex_;
    std::string part_, what_;
    std::size_t done_ = 0;
    std::size_t count_ = 0;
};

}  // namespace renderer::inline base
