#include <fmt/format.h>

#include <algorithm>

#include "renderer/diff/formats.h"
#include "renderer/diff/outline.h"

namespace renderer {
namespace {

constexpr std::string_view kMark = "<!-- tailrender diff -->\n\n";
constexpr std::size_t kWarnings = 12'000;  // characters of them
constexpr std::size_t kOpenLines = 25;     // of a section; the rest is folded
constexpr std::size_t kOpenDetails = 12;   // of a line; the rest is counted
constexpr std::size_t kClosing = 300;      // for what stands around a section's lines

// A span may hold whatever a longer fence is not in.
std::string fenced(std::string_view text) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    const bool touches = text.starts_with('`') || text.ends_with('`');
    const std::string_view space = touches ? " " : "";
    return text.empty() ? "(empty)" : fmt::format("{0}{1}{2}{1}{0}", fence, space, text);
}

std::string escaped(char c) {
    constexpr std::string_view kSpecial = "\\`*_<>[]|~&#";
    const std::string text(1, c);
    return kSpecial.find(c) == std::string_view::npos ? text : "\\" + text;
}

// What is no code is escaped, arrows are drawn.
std::string markdown(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        if (text.front() == kCode) {
            const auto end = text.find(kCodeEnd);
            out += fenced(text.substr(1, end - 1));
            text.remove_prefix(end + 1);
        } else if (text.starts_with("->")) {
            out += "→";
            text.remove_prefix(2);
        } else {
            out += escaped(text.front());
            text.remove_prefix(1);
        }
    }
    return out;
}

std::string_view sign(char mark) {
    return mark == '+' ? "➕" : mark == '-' ? "➖" : mark == '!' ? "🚨" : "✏️";
}

std::string item(const OutlineLine& line, std::string_view quote) {
    std::string out = fmt::format("{}- {} {}\n", quote, sign(line.mark), markdown(line.text));
    const std::size_t shown = std::min(line.details.size(), kOpenDetails);
    for (std::size_t i = 0; i < shown; ++i) {
        out += fmt::format("{}  - {}\n", quote, markdown(line.details[i]));
    }
    if (shown < line.details.size()) {
        out += fmt::format("{}  - … and {} more\n", quote, line.details.size() - shown);
    }
    return out;
}

class Markdown {
public:
    std::string print(const Outline& outline) {
        out_ = kMark;
        if (!outline.note.empty()) {
            out_ += fmt::format("**{}**\n\n", markdown(outline.note));
        }
        if (!outline.warnings.empty()) {
            add({.title = fmt::format("Warnings of HEAD: {}", outline.warnings.size()),
                 .lines = outline.warnings},
                kWarnings);
        }
        for (std::size_t i = 0; i < outline.sections.size(); ++i) {
            const OutlineSection& section = outline.sections[i];
            const std::size_t needed = 5 * section.title.size() + kClosing;
            const std::size_t left = kMarkdownLimit - out_.size();
            if (left < needed + kClosing) {
                out_ += fmt::format("… and {} that do not fit here\n\n",
                                    counted(outline.sections.size() - i, "section"));
                break;
            }
            // A section may take half of what is left, so that those behind it are seen too.
            const bool last = i + 1 == outline.sections.size();
            add(section, (left - needed - kClosing) / (last ? 1 : 2));
        }
        out_ += fmt::format("**tailrender diff:** {}\n", markdown(outline.summary));
        return std::move(out_);
    }

private:
    void add(const OutlineSection& section, std::size_t share) {
        const bool alarm = section.weight == Weight::Alarm;
        const bool noise = section.weight == Weight::Noise;
        const std::string_view quote = alarm ? "> " : "";
        std::string text;
        std::size_t done = 0;
        bool folded = noise;
        for (; done < section.lines.size(); ++done) {
            const bool fold = !alarm && !folded && done == kOpenLines;
            std::string next = item(section.lines[done], quote);
            if (fold) {
                next = fmt::format("\n{}{}",
                                   fold_begin(fmt::format("{} more", section.lines.size() - done)),
                                   next);
            }
            if (text.size() + next.size() > share) {
                break;
            }
            folded = folded || fold;
            text += next;
        }
        begin(section);
        out_ += text;
        if (done < section.lines.size()) {
            out_ += fmt::format("{}- … and {} more that do not fit here\n", quote,
                                section.lines.size() - done);
        }
        out_ += folded ? "\n</details>\n\n" : "\n";
    }

    void begin(const OutlineSection& section) {
        const std::string title = markdown(section.title);
        switch (section.weight) {
            case Weight::Alarm:
                out_ += fmt::format("> [!CAUTION]\n> ### 🌍 {}\n", title);
                break;
            case Weight::Normal:
                out_ += fmt::format("### {}\n\n", title);
                break;
            case Weight::Noise:
                out_ += fold_begin(section.title);
                break;
        }
    }

    // Markdown inside of HTML would need other escapes: a title there has no code spans.
    static std::string fold_begin(std::string_view title) {
        std::string text;
        for (const char c : title) {
            const bool mark = c == kCode || c == kCodeEnd;
            text += mark ? "" : c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
        }
        return fmt::format("<details><summary>{}</summary>\n\n", text);
    }

    std::string out_;
};

}  // namespace

std::string markdown_report(const Comparison& comparison) {
    return Markdown().print(outline_of(comparison));
}

}  // namespace renderer
