#include "renderer/emit/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace renderer {
namespace {

constexpr int kContext = 3;
constexpr int kMaxEdits = 2000;

using Lines = std::vector<std::string_view>;  // with their ends

Lines split(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

// One step of the edit script: a line of the old text, of the new one, or of both.
struct Step {
    char mark;  // ' ', '-', '+'
    int old_line;
    int new_line;
};

// Finds the shortest edit script by walking furthest-reaching paths, keeping one frontier per edit.
class Myers {
public:
    Myers(const Lines& old_lines, const Lines& new_lines)
        : old_(old_lines), new_(new_lines), n_(count(old_lines)), m_(count(new_lines)) {}

    std::vector<Step> run() {
        skip_common_ends();
        std::vector<Step> steps;
        steps.reserve(old_.size());
        for (int i = 0; i < head_; ++i) {
            steps.push_back({' ', i, i});
        }
        const int edits = search();
        append_middle(edits, steps);
        for (int i = 0; i < tail_; ++i) {
            steps.push_back({' ', n_ - tail_ + i, m_ - tail_ + i});
        }
        return steps;
    }

private:
    static int count(const Lines& lines) { return static_cast<int>(lines.size()); }
    bool same(int x, int y) const {
        return old_[static_cast<std::size_t>(x)] == new_[static_cast<std::size_t>(y)];
    }

    void skip_common_ends() {
        while (head_ < std::min(n_, m_) && same(head_, head_)) {
            ++head_;
        }
        while (tail_ < std::min(n_, m_) - head_ && same(n_ - 1 - tail_, m_ - 1 - tail_)) {
            ++tail_;
        }
    }

    int width() const { return n_ - head_ - tail_; }
    int height() const { return m_ - head_ - tail_; }

    static int& at(std::vector<int>& frontier, int k, int d) {
        const int index = k + d;
        return frontier[static_cast<std::size_t>(index)];
    }

    // Furthest x on diagonal k with d edits, from the frontier with d - 1 edits.
    static int furthest(std::vector<int>& previous, int k, int d) {
        if (d == 0) {
            return 0;
        }
        const bool down = k == -d || (k != d && at(previous, k - 1, d) < at(previous, k + 1, d));
        return down ? at(previous, k + 1, d) : at(previous, k - 1, d) + 1;
    }

    // Number of edits, or -1 when there are too many. Frontier d has room for diagonals
    // -(d+1)..d+1, so that the next one may look beyond its ends.
    int search() {
        std::vector<int> previous(3, 0);
        for (int d = 0; d <= std::min(width() + height(), kMaxEdits); ++d) {
            std::vector<int> frontier(2 * static_cast<std::size_t>(d) + 3, -1);
            for (int k = -d; k <= d; k += 2) {
                int x = furthest(previous, k, d);
                while (x < width() && x - k < height() && x - k >= 0 &&
                       same(head_ + x, head_ + x - k)) {
                    ++x;
                }
                at(frontier, k, d + 1) = x;
                if (x >= width() && x - k >= height()) {
                    frontiers_.push_back(std::move(frontier));
                    return d;
                }
            }
            frontiers_.push_back(frontier);
            previous = std::move(frontier);
        }
        return -1;
    }

    void append_middle(int edits, std::vector<Step>& steps) {
        if (edits < 0) {
            for (int x = 0; x < width(); ++x) {
                steps.push_back({'-', head_ + x, head_});
            }
            for (int y = 0; y < height(); ++y) {
                steps.push_back({'+', n_ - tail_, head_ + y});
            }
            return;
        }
        std::vector<Step> reversed;
        int x = width();
        int y = height();
        for (int d = edits; d > 0; --d) {
            std::vector<int>& previous = frontiers_[static_cast<std::size_t>(d - 1)];
            const int k = x - y;
            const bool down =
                k == -d || (k != d && at(previous, k - 1, d) < at(previous, k + 1, d));
            const int from_x = at(previous, down ? k + 1 : k - 1, d);
            const int from_y = from_x - (down ? k + 1 : k - 1);
            walk_back(x, y, from_x + (down ? 0 : 1), from_y + (down ? 1 : 0), reversed);
            reversed.push_back({down ? '+' : '-', head_ + from_x, head_ + from_y});
            x = from_x;
            y = from_y;
        }
        walk_back(x, y, 0, 0, reversed);
        steps.insert(steps.end(), reversed.rbegin(), reversed.rend());
    }

    void walk_back(int x, int y, int to_x, int to_y, std::vector<Step>& reversed) const {
        while (x > to_x && y > to_y) {
            --x;
            --y;
            reversed.push_back({' ', head_ + x, head_ + y});
        }
    }

    const Lines& old_;
    const Lines& new_;
    int n_, m_;
    int head_ = 0;
    int tail_ = 0;
    std::vector<std::vector<int>> frontiers_;
};

// Index ranges of the steps that make one hunk each.
std::vector<std::pair<int, int>> hunks(const std::vector<Step>& steps) {
    std::vector<std::pair<int, int>> ranges;
    const int size = static_cast<int>(steps.size());
    for (int i = 0; i < size; ++i) {
        if (steps[static_cast<std::size_t>(i)].mark == ' ') {
            continue;
        }
        const int begin = std::max(0, i - kContext);
        const int end = std::min(size, i + 1 + kContext);
        if (!ranges.empty() && begin <= ranges.back().second) {
            ranges.back().second = end;
        } else {
            ranges.emplace_back(begin, end);
        }
    }
    return ranges;
}

std::string range_text(int first, int count) {
    return count == 1 ? fmt::format("{}", first + 1)
                      : fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

}  // namespace

std::string unified_diff(std::string_view old_name, std::string_view new_name,
                         std::string_view old_text, std::string_view new_text) {
    if (old_text == new_text) {
        return {};
    }
    const Lines old_lines = split(old_text);
    const Lines new_lines = split(new_text);
    const std::vector<Step> steps = Myers(old_lines, new_lines).run();
    std::string out = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
    for (const auto& [begin, end] : hunks(steps)) {
        const auto first = steps.begin() + begin;
        const auto last = steps.begin() + end;
        const auto added = std::count_if(first, last, [](const Step& s) { return s.mark == '+'; });
        const auto removed =
            std::count_if(first, last, [](const Step& s) { return s.mark == '-'; });
        const int both = static_cast<int>(last - first - added - removed);
        fmt::format_to(std::back_inserter(out), "@@ -{} +{} @@\n",
                       range_text(first->old_line, both + static_cast<int>(removed)),
                       range_text(first->new_line, both + static_cast<int>(added)));
        for (auto step = first; step != last; ++step) {
            const std::string_view line = step->mark == '+'
                                              ? new_lines[static_cast<std::size_t>(step->new_line)]
                                              : old_lines[static_cast<std::size_t>(step->old_line)];
            out += step->mark;
            out += line;
            if (!line.ends_with('\n')) {
                out += "\n\\ No newline at end of file\n";
            }
        }
    }
    return out;
}

}  // namespace renderer
