#include "renderer/load/last_scalar.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "renderer/load/loaded.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::load {

namespace {

// Returns the offset of the `|` or `>` of a block scalar that begins here, npos for other styles.
std::size_t block_indicator(std::string_view text, std::size_t begin) {
    std::size_t at = begin;
    while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
        at =
            text.find_first_not_of(" \t", std::min(text.find_first_of(" \t\r\n", at), text.size()));
    }
    return at < text.size() && (text[at] == '|' || text[at] == '>') ? at : std::string_view::npos;
}

// Only a block scalar at the end of the text can have a value without a line end.
std::optional<Edit> strip(const SourceMap& sources, SourceId source, const Value& value) {
    if (!value.is_string() || value.text().empty() || value.text().ends_with('\n') ||
        !value.pos().known() || sources.source_of(value.pos()) != source) {
        return std::nullopt;
    }
    const std::string_view text = sources.text(source);
    const std::size_t at = block_indicator(text, sources.offset_of(value.pos()));
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t end = text.find_first_not_of("0123456789+-", at + 1);
    const std::string_view header = text.substr(at + 1, end - at - 1);
    if (header.find('-') != std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t keep = header.find('+');
    const bool keeps = keep != std::string_view::npos;
    const std::size_t begin = at + 1 + (keeps ? keep : 0);
    return Edit{.source = source,
                .begin = begin,
                .end = begin + (keeps ? 1 : 0),
                .replacement = "-",
                .reason = "value without a line end"};
}

}  // namespace

void strip_last_scalars(const std::vector<engines::InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, Loaded& loaded) {
    Diagnostics ignored;  // mistakes in a document were reported when it was read
    for (const Document& document : loaded.documents) {
        const std::string_view text = loaded.sources.text(document.source);
        const bool is_last = document.range.end == text.size() && !text.ends_with('\n');
        if (!is_last || !document.reachable || document.list != kNone ||
            files[file_of[document.source]].build == kNone) {
            continue;
        }
        repo::for_each_value(read_document(loaded, document, ignored), [&](const Value& value) {
            if (std::optional<Edit> edit = strip(loaded.sources, document.source, value)) {
                loaded.edits.push_back(std::move(*edit));
            }
        });
    }
}

}  // namespace renderer::load
