#include "renderer/cli/source_links.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace renderer::cli {
namespace {

// Encodes everything that could end a link or have a meaning in a URL.
std::string encoded(std::string_view path) {
    constexpr std::string_view kPlain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    std::string out;
    for (const char c : path) {
        if (kPlain.find(c) == std::string_view::npos) {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out;
}

// Returns "" for what is not a file below the working directory.
std::string link_to(const std::string& base, std::string_view path, std::uint32_t line) {
    while (path.starts_with("./")) {
        path.remove_prefix(2);
    }
    if (path.empty() || line == 0 || path.starts_with('/') || path.starts_with('<') ||
        path.starts_with("../")) {
        return "";
    }
    return fmt::format("{}{}{}#L{}", base, base.ends_with('/') ? "" : "/", encoded(path), line);
}

// Takes ":12" from the end of the text.
std::optional<std::uint32_t> take_number(std::string_view& text) {
    const std::size_t colon = text.rfind(':');
    std::uint32_t number = 0;
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    text = text.substr(0, colon);
    return number;
}

}  // namespace

std::map<std::string, std::string> source_links(const std::string& base,
                                                const std::deque<Run>& runs,
                                                const std::vector<std::string>& warnings) {
    std::map<std::string, std::string> links;
    for (const Run& run : runs) {
        for (const Document& document : run.loaded.documents) {
            if (!document.reachable || !document.kind.pos().known()) {
                continue;
            }
            const Location place = run.loaded.sources.locate(document.kind.pos());
            std::string link = link_to(base, place.path, place.line);
            const auto [entry, is_new] = links.emplace(document.object_name(), link);
            if (!is_new && entry->second != link) {
                entry->second.clear();
            }
        }
    }
    for (const std::string& warning : warnings) {
        const std::string place = warning.substr(0, warning.find(": "));
        std::string_view rest = place;
        const std::optional<std::uint32_t> column = take_number(rest);
        const std::optional<std::uint32_t> line = column ? take_number(rest) : std::nullopt;
        if (line) {
            links.emplace(place, link_to(base, rest, *line));
        }
    }
    std::erase_if(links, [](const auto& entry) { return entry.second.empty(); });
    return links;
}

}  // namespace renderer::cli
