#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/markup.h"
#include "renderer/diff/formats.h"
#include "renderer/diff/html_page.h"
#include "renderer/diff/outline.h"

namespace renderer::diff {
namespace {

using PageLinks = std::map<std::string, std::string>;

constexpr std::size_t kMostOpen = 60;  // rows of a section that is not folded

bool is_web_address(std::string_view text) {
    return text.starts_with("https://") || text.starts_with("http://");
}

std::string code_html(const std::string& text, const PageLinks& links) {
    const auto link = links.find(text);
    const std::string code = fmt::format("<code>{}</code>", xml_text(text));
    return link == links.end() || !is_web_address(link->second)
               ? code
               : fmt::format("<a href=\"{}\" rel=\"noopener noreferrer\">{}</a>",
                             xml_text(link->second), code);
}

// Makes elements of the marks of an outline's text.
std::string html_of(std::string_view text, const PageLinks& links) {
    std::string out;
    while (!text.empty()) {
        if (text.front() == kCode) {
            const auto end = text.find(kCodeEnd);
            out += code_html(std::string(text.substr(1, end - 1)), links);
            text.remove_prefix(end + 1);
            continue;
        }
        if (text.starts_with("->")) {
            out += "→";
            text.remove_prefix(2);
            continue;
        }
        const std::size_t end = std::min({text.find(kCode, 1), text.find("->", 1), text.size()});
        out += xml_text(text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

std::string without_marks(std::string_view text) {
    std::string plain(text);
    std::erase_if(plain, [](char c) { return c == kCode || c == kCodeEnd; });
    return xml_text(plain);
}

// The sign of a change, with the word that a screen reader says.
std::string mark_html(char mark) {
    struct Sign {
        char mark;
        std::string_view style, sign, word;
    };
    constexpr std::array<Sign, 4> kSigns = {{{'+', "add", "+", "added"},
                                             {'-', "remove", "−", "removed"},
                                             {'!', "remove", "!", "attention"},
                                             {'~', "change", "~", "changed"}}};
    const Sign& sign = *std::ranges::find(kSigns, mark, &Sign::mark);
    return fmt::format("<span class=\"r-mark r-{}\" role=\"img\" aria-label=\"{}\">{}</span>",
                       sign.style, sign.word, sign.sign);
}

class Page {
public:
    explicit Page(const Comparison& comparison) : comparison_(comparison) {}

    std::string print(std::string_view picture) {
        const Outline outline = outline_of(comparison_);
        begin(outline);
        std::string main;
        std::swap(main, out_);
        if (!picture.empty()) {
            add_picture(picture);
        }
        if (!outline.warnings.empty()) {
            add_lines({.title = fmt::format("Warnings of HEAD: {}", outline.warnings.size()),
                       .lines = outline.warnings});
        }
        for (const OutlineSection& section : outline.sections) {
            if (!section.lists_objects || !comparison_.alone.empty()) {
                add_lines(section);
            }
        }
        if (comparison_.alone.empty()) {
            for (const ClusterComparison& cluster : comparison_.clusters) {
                add_objects(cluster, false);
                add_objects(cluster, true);
            }
        }
        std::swap(main, out_);
        add_contents();
        put("<main id=\"changes\">\n{}</main>\n<script>{}</script>\n</body>\n</html>\n", main,
            kPageScript);
        return std::move(out_);
    }

private:
    template <typename... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    }

    void begin(const Outline& outline) {
        const std::string title =
            fmt::format("{} → {}", xml_text(comparison_.base), xml_text(comparison_.head));
        put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
            "<title>tailrender diff: {0}</title>\n<style>{1}</style>\n</head>\n<body>\n"
            "<a class=\"r-skip\" href=\"#changes\">Skip to the changes</a>\n"
            "<header>\n<h1>{0}</h1>\n",
            title, kPageStyle);
        if (!outline.note.empty()) {
            put("<p class=\"r-note\" role=\"alert\">{}</p>\n", html_of(outline.note, {}));
        }
        if (!outline.absences.empty()) {
            put("<p>Otherwise: {}</p>\n", outline.absences);
        }
        put("<p>{}</p>\n</header>\n"
            "<div class=\"r-tools\" role=\"search\">\n"
            "<input id=\"search\" type=\"search\" aria-label=\"Search the changes\" "
            "aria-describedby=\"count\" placeholder=\"Search (/)\" autocomplete=\"off\">\n"
            "<span id=\"count\" class=\"r-count\" role=\"status\" aria-live=\"polite\"></span>\n"
            "<button type=\"button\" id=\"open\">Unfold all</button>\n"
            "<button type=\"button\" id=\"close\">Fold all</button>\n</div>\n",
            html_of(outline.summary, {}));
    }

    void add_contents() {
        put("<nav aria-label=\"Sections\">\n<ul>\n");
        for (std::size_t i = 0; i < titles_.size(); ++i) {
            put("<li><a href=\"#s{}\">{}</a></li>\n", i + 1, titles_[i]);
        }
        put("</ul>\n</nav>\n");
    }

    void begin_section(const std::string& title, bool is_open, bool is_alarm = false) {
        titles_.push_back(title);
        put("<details class=\"r-section{}\" id=\"s{}\"{}><summary><h2>{}</h2></summary>\n",
            is_alarm ? " r-alarm" : "", titles_.size(), is_open ? " open" : "", title);
    }

    void add_picture(std::string_view picture) {
        begin_section("Picture of the change", true);
        put("<div class=\"r-wide\" tabindex=\"0\" role=\"region\" aria-label=\"Picture of the "
            "change: green is added, dashed red is removed, dotted is changed\">\n{}</div>\n"
            "</details>\n",
            picture);
    }

    void add_lines(const OutlineSection& section) {
        begin_section(without_marks(section.title),
                      section.weight != Weight::Noise && section.lines.size() <= kMostOpen,
                      section.weight == Weight::Alarm);
        put("<ul class=\"r-lines\">\n");
        for (const OutlineLine& line : section.lines) {
            put("<li data-row>{}{}", mark_html(line.mark), html_of(line.text, comparison_.links));
            if (!line.details.empty()) {
                put("<ul>");
                for (const std::string& detail : line.details) {
                    put("<li>{}</li>", html_of(detail, comparison_.links));
                }
                put("</ul>");
            }
            put("</li>\n");
        }
        put("</ul>\n</details>\n");
    }

    // Objects with the fields of both sides beside each other.
    void add_objects(const ClusterComparison& cluster, bool generated) {
        std::vector<const ObjectChange*> changes;
        for (const ObjectChange& change : cluster.objects.changes) {
            if (change.generated == generated) {
                changes.push_back(&change);
            }
        }
        if (changes.empty()) {
            return;
        }
        const std::string where = comparison_.clusters.size() > 1
                                      ? " in cluster " + xml_text(safe(cluster.cluster))
                                      : std::string();
        begin_section(fmt::format("{}{}: {}", generated ? "Generated objects" : "Objects", where,
                                  counted(changes.size(), "difference")),
                      !generated && changes.size() <= kMostOpen);
        for (const ObjectChange* change : changes) {
            add_object(*change);
        }
        put("</details>\n");
    }

    void add_object(const ObjectChange& change) {
        const char mark = change.edit == ObjectEdit::Added     ? '+'
                          : change.edit == ObjectEdit::Removed ? '-'
                                                               : '~';
        std::string title = mark_html(mark) + code_html(safe(change.title), comparison_.links);
        if (change.edit == ObjectEdit::Renamed) {
            title += fmt::format(", was {}", code_html(safe(change.old_title), {}));
        }
        if (change.fields.empty()) {
            put("<p class=\"r-object\" data-row>{}{}</p>\n", title,
                change.edit == ObjectEdit::Changed ? ": its bytes differ" : "");
            return;
        }
        put("<details class=\"r-object\" data-row><summary>{}, {}</summary>\n"
            "<div class=\"r-wide\" tabindex=\"0\" role=\"region\" aria-label=\"Fields of {}\">\n"
            "<table>\n<thead><tr><th scope=\"col\">Field</th><th scope=\"col\">Before</th>"
            "<th scope=\"col\">After</th></tr></thead>\n<tbody>\n",
            title, counted(change.fields.size(), "field"), xml_text(safe(change.title)));
        for (const FieldChange& field : change.fields) {
            put("<tr><th scope=\"row\"><code>{}</code></th><td data-side=\"before\">{}</td>"
                "<td data-side=\"after\">{}</td></tr>\n",
                xml_text(safe(field.path)), value_html(field, field.before),
                value_html(field, field.after));
        }
        put("</tbody>\n</table>\n</div>\n</details>\n");
    }

    static std::string value_html(const FieldChange& field, const std::string& value) {
        if (field.edit == FieldEdit::Reordered) {
            return "the same in another order";
        }
        return value.empty() ? "" : fmt::format("<code>{}</code>", xml_text(safe(value)));
    }

    const Comparison& comparison_;
    std::vector<std::string> titles_;
    std::string out_;
};

}  // namespace

std::string html_report(const Comparison& comparison, std::string_view picture) {
    return Page(comparison).print(picture);
}

}  // namespace renderer::diff
