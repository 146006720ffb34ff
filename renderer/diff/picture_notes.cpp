#include "renderer/diff/picture_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "renderer/base/split.h"
#include "renderer/base/white_space.h"
#include "renderer/core/diagnostics.h"
#include "renderer/diff/outline.h"

namespace renderer::diff {
namespace {

constexpr std::size_t kMostLines = 3;  // of a section
constexpr std::size_t kMostDetails = 2;
// No section begins after so many lines. GitHub draws no text for Mermaid of more than 50,000
// characters, which the lines of many clusters would be.
constexpr std::size_t kMostOfAll = 40;

std::string note_text(std::string_view text) {
    std::string out(text);
    std::erase_if(out, [](char c) { return c == kCode || c == kCodeEnd; });
    return out;
}

void add_section(const OutlineSection& section, std::vector<std::string>& notes) {
    notes.push_back(note_text(section.title));
    const std::size_t shown = std::min(section.lines.size(), kMostLines);
    for (std::size_t i = 0; i < shown; ++i) {
        const OutlineLine& line = section.lines[i];
        notes.push_back(fmt::format("{} {}", line.mark, note_text(line.text)));
        for (std::size_t j = 0; j < std::min(line.details.size(), kMostDetails); ++j) {
            notes.push_back(fmt::format("· {}", note_text(line.details[j])));
        }
    }
    if (shown < section.lines.size()) {
        notes.push_back(fmt::format("… and {} more", section.lines.size() - shown));
    }
}

bool changes_access(const Comparison& comparison) {
    const std::optional<AccessComparison>& access = comparison.access;
    return (access && !(access->lacking.empty() && access->unjudged.empty())) ||
           std::ranges::any_of(comparison.clusters, [](const ClusterComparison& cluster) {
               return !cluster.access.empty();
           });
}

}  // namespace

std::vector<std::string> picture_notes(const Comparison& comparison, bool is_drawn) {
    std::vector<std::string> notes;
    if (!is_drawn && !changes_access(comparison)) {
        return notes;
    }
    std::size_t left_out = 0;
    const Outline outline = outline_of(comparison);
    for (const OutlineSection& section : outline.sections) {
        if (section.lists_objects || section.lists_generated) {
            continue;
        }
        if (notes.size() < kMostOfAll) {
            add_section(section, notes);
        } else {
            ++left_out;
        }
    }
    if (left_out > 0) {
        notes.push_back(
            fmt::format("… and {}, which tailrender diff prints", counted(left_out, "part")));
    }
    for (const std::string_view absence : split(outline.absences, ',')) {
        notes.emplace_back(trim(absence));
    }
    if (!comparison.access) {
        notes.emplace_back("who gains or loses access is not compared: no policy file is named");
    }
    return notes;
}

}  // namespace renderer::diff
