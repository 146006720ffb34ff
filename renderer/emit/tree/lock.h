// The text of tailrender.lock.yaml after a run: one line for each port that a ProxyGroup has
// allocated, sorted. Lines of other clusters are kept; lines that this run does not use are
// removed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/emit/emit.h"

namespace renderer::emit {

class LockText {
public:
    // All runs must be of one repository, so that all have read the same lock.
    void add(const Output& run);
    [[nodiscard]] std::string text() const;

private:
    std::vector<load::LockedPort> earlier_, planned_;
    std::set<std::string, std::less<>> clusters_;  // that were rendered
};

// Writes the text to `path`. An unchanged file is not touched, and an empty text removes the file.
// Returns true if the file has changed.
Result<bool> write_lock(const std::string& path, const std::string& text);

}  // namespace renderer::emit
