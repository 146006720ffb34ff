#include "renderer/core/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/edit_distance.h"

namespace renderer::inline core {

void Diagnostics::add(Diagnostic diagnostic) {
    errors_ += diagnostic.severity == Severity::Error ? 1 : 0;
    all_.push_back(std::move(diagnostic));
}

Finding Diagnostics::say(Severity severity, std::string_view rule, Pos pos, std::string message) {
    add({.severity = severity,
         .rule = std::string(rule),
         .pos = pos,
         .message = std::move(message)});
    return Finding(all_.back());
}

Finding Report::say(Severity severity, std::string_view rule, Pos pos, std::string message) {
    Finding added = diagnostics_.say(severity, rule, pos, std::move(message));
    added.object(object_);
    return added;
}

void Diagnostics::remove_warnings(std::string_view rule, Pos pos) {
    std::erase_if(all_, [&](const Diagnostic& one) {
        return one.severity == Severity::Warning && one.rule == rule && one.pos == pos;
    });
}

void Diagnostics::append(Diagnostics other) {
    errors_ += other.errors_;
    all_.insert(all_.end(), std::make_move_iterator(other.all_.begin()),
                std::make_move_iterator(other.all_.end()));
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    const std::string wanted = lower_case(word);
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t longer = std::max(wanted.size(), candidate.size());
        if (longer - std::min(wanted.size(), candidate.size()) >= best_distance) {
            continue;  // each character more is an edit
        }
        const std::size_t distance = edit_distance(wanted, lower_case(candidate));
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string_view nearest_key(std::string_view word,
                             const std::vector<std::string_view>& candidates) {
    constexpr std::size_t kShortest = 4;
    const std::string wanted = lower_case(word);
    std::string_view found = nearest(word, candidates);
    for (const std::string_view candidate : candidates) {
        const std::string known = lower_case(candidate);
        if (found.empty() && std::min(wanted.size(), known.size()) >= kShortest &&
            (known.starts_with(wanted) || wanted.starts_with(known))) {
            found = candidate;
        }
    }
    return found;
}

std::string did_you_mean(std::string_view near) {
    return near.empty() ? std::string() : fmt::format("did you mean \"{}\"?", near);
}

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace renderer::inline core
