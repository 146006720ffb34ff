#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>

#include "renderer/diff/formats.h"
#include "renderer/diff/outline.h"

namespace renderer::diff {
namespace {

constexpr std::string_view kMark = "<!-- tailrender diff -->\n\n";
constexpr std::size_t kWarnings = 12'000;  // size of their section in characters
constexpr std::size_t kOpenLines = 25;     // lines of a section; the rest is folded
constexpr std::size_t kOpenDetails = 12;   // details of a line; the rest is counted
constexpr std::size_t kClosing = 500;      // for the text around a section's lines
// About three full pictures. Mermaid itself takes 50,000 characters.
constexpr std::size_t kPicture = 20'000;
constexpr std::string_view kPictureTitle = "### Picture\n\n";
constexpr std::string_view kNoRoom =
    "The picture of this change does not fit here: "
    "`tailrender graph --format svg BASE HEAD > change.svg` draws it.\n\n";

// Encloses text in a fence longer than any run of backquotes in it.
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

using SourceLinks = std::map<std::string, std::string>;

// Escapes everything but code, and draws arrows.
std::string markdown(std::string_view text, const SourceLinks& links) {
    std::string out;
    while (!text.empty()) {
        if (text.front() == kCode) {
            const auto end = text.find(kCodeEnd);
            const std::string code(text.substr(1, end - 1));
            const auto link = links.find(code);
            out += link == links.end() ? fenced(code)
                                       : fmt::format("[{}](<{}>)", fenced(code), link->second);
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

std::string item(const OutlineLine& line, std::string_view quote, const SourceLinks& links) {
    std::string out =
        fmt::format("{}- {} {}\n", quote, sign(line.mark), markdown(line.text, links));
    const std::size_t shown = std::min(line.details.size(), kOpenDetails);
    for (std::size_t i = 0; i < shown; ++i) {
        out += fmt::format("{}  - {}\n", quote, markdown(line.details[i], links));
    }
    if (shown < line.details.size()) {
        out += fmt::format("{}  - … and {} more\n", quote, line.details.size() - shown);
    }
    return out;
}

// True for objects that are added or removed; they are named even if there is no room for the rest.
bool comes_or_goes(const OutlineLine& line) {
    return line.mark == '+' || line.mark == '-' || line.is_renamed;
}

std::string brief_item(const OutlineLine& line, std::string_view quote, const SourceLinks& links) {
    OutlineLine brief = line;
    if (!line.names_in_details) {
        brief.details.clear();
    }
    return item(brief, quote, links);
}

std::size_t brief_size(const OutlineLine& line, const SourceLinks& links) {
    return comes_or_goes(line) ? brief_item(line, "> ", links).size() : 0;
}

std::size_t brief_size(const OutlineSection& section, const SourceLinks& links) {
    std::size_t size = 5 * section.title.size() + 2 * kClosing;
    for (const OutlineLine& line : section.lines) {
        size += brief_size(line, links);
    }
    return size;
}

class Markdown {
public:
    explicit Markdown(const SourceLinks& links) : links_(links) {}

    std::string print(const Outline& outline, std::string_view picture) {
        const std::size_t limit = kMarkdownLimit - (picture.empty() ? 0 : kNoRoom.size());
        out_ = kMark;
        if (!outline.note.empty()) {
            out_ += fmt::format("**{}**\n\n", markdown(outline.note, links_));
        }
        if (!outline.warnings.empty()) {
            add({.title = fmt::format("Warnings of HEAD: {}", outline.warnings.size()),
                 .lines = outline.warnings},
                kWarnings, kWarnings);
        }
        std::size_t behind = 0;  // the size of the names in the sections that follow
        for (const OutlineSection& section : outline.sections) {
            behind += brief_size(section, links_);
        }
        for (std::size_t i = 0; i < outline.sections.size(); ++i) {
            const OutlineSection& section = outline.sections[i];
            const std::size_t needed = 5 * section.title.size() + kClosing;
            const std::size_t left = limit - out_.size();
            if (left < needed + kClosing) {
                out_ += fmt::format("… and {} that do not fit here\n\n",
                                    counted(outline.sections.size() - i, "section"));
                break;
            }
            // A section may use half of the rest, so that the following ones are shown as well.
            const bool last = i + 1 == outline.sections.size();
            behind -= brief_size(section, links_);
            const std::size_t free = left - needed - kClosing;
            const std::size_t room = free - std::min(behind, free / 2);
            add(section, last ? room : std::min(free / 2, room), room);
        }
        if (!outline.absences.empty()) {
            out_ += fmt::format("**Otherwise:** {}\n\n", outline.absences);
        }
        add_picture(picture);
        out_ += fmt::format("**tailrender diff:** {}\n", markdown(outline.summary, links_));
        return std::move(out_);
    }

private:
    // It is not folded: GitHub cannot draw Mermaid with labels of edges in a closed section
    // (mermaid-js/mermaid#3504).
    void add_picture(std::string_view picture) {
        const std::size_t needed = kPictureTitle.size() + picture.size() + kClosing;
        if (picture.empty()) {
            return;
        }
        if (picture.size() > kPicture || out_.size() + needed > kMarkdownLimit) {
            out_ += kNoRoom;
            return;
        }
        out_ += fmt::format("{}{}\n", kPictureTitle, picture);
    }

    // In a long section, added and removed objects come first and are not folded. If they do not
    // fit into the section's share, their names use the remaining room.
    void add(OutlineSection section, std::size_t share, std::size_t room) {
        if (section.lines.size() > kOpenLines) {
            std::stable_partition(section.lines.begin(), section.lines.end(), comes_or_goes);
        }
        const bool alarm = section.weight == Weight::Alarm;
        const bool noise = section.weight == Weight::Noise;
        const std::string_view quote = alarm ? "> " : "";
        std::string text;
        std::size_t done = 0;
        std::size_t names = 0;  // the size of the names still to be listed
        for (const OutlineLine& line : section.lines) {
            names += brief_size(line, links_);
        }
        bool folded = noise;
        for (; done < section.lines.size(); ++done) {
            const bool fold =
                !alarm && !folded && done >= kOpenLines && !comes_or_goes(section.lines[done]);
            std::string next = item(section.lines[done], quote, links_);
            if (fold) {
                next = fmt::format("\n{}{}",
                                   fold_begin(fmt::format("{} more", section.lines.size() - done)),
                                   next);
            }
            const std::size_t size = text.size() + next.size();
            if (size > share || size + names - brief_size(section.lines[done], links_) > room) {
                break;
            }
            names -= brief_size(section.lines[done], links_);
            folded = folded || fold;
            text += next;
        }
        begin(section);
        out_ += text;
        add_rest(std::span(section.lines).subspan(done), quote, room - text.size());
        out_ += folded ? "\n</details>\n\n" : "\n";
    }

    void add_rest(std::span<const OutlineLine> lines, std::string_view quote, std::size_t room) {
        std::size_t more = 0;
        std::size_t unnamed = 0;
        for (const OutlineLine& line : lines) {
            const std::string next = comes_or_goes(line) ? brief_item(line, quote, links_) : "";
            if (next.empty() || next.size() > room) {
                ++more;
                unnamed += next.empty() ? 0 : 1;
                continue;
            }
            room -= next.size();
            out_ += next;
        }
        if (more > 0) {
            out_ += fmt::format("{}- … and {} more that do not fit here{}\n", quote, more,
                                unnamed == 0 ? ""
                                             : fmt::format(", {} of them new or lost: `tailrender "
                                                           "diff --format terminal` names them",
                                                           unnamed));
        }
    }

    void begin(const OutlineSection& section) {
        const std::string title = markdown(section.title, links_);
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

    // Markdown inside HTML would need other escapes, so a title there has no code spans.
    static std::string fold_begin(std::string_view title) {
        std::string text;
        for (const char c : title) {
            const bool mark = c == kCode || c == kCodeEnd;
            text += mark ? "" : c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
        }
        return fmt::format("<details><summary>{}</summary>\n\n", text);
    }

    const SourceLinks& links_;
    std::string out_;
};

}  // namespace

std::string markdown_report(const Comparison& comparison, std::string_view picture) {
    return Markdown(comparison.links).print(outline_of(comparison), picture);
}

}  // namespace renderer::diff
