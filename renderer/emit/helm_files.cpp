#include "renderer/emit/helm_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"

namespace renderer::emit {
namespace {

constexpr std::string_view kFile = "postrenderer.helm.sh/postrender-filename";

// A document of the stream with the name of its file.
struct Template {
    Pos begin, end;
    std::string_view file;
};

std::vector<Template> templates_of(const load::Loaded& loaded) {
    std::vector<Template> found;
    for (const Document& document : loaded.documents) {
        const std::string_view file = text_of(document.root.at({"metadata", "annotations", kFile}));
        if (!file.empty()) {
            found.push_back({.begin = loaded.sources.pos(document.source, document.range.begin),
                             .end = loaded.sources.pos(document.source, document.range.end),
                             .file = file});
        }
    }
    std::ranges::sort(found, {}, &Template::begin);
    return found;
}

// Objects that belong to no document of the stream go to a file of their own in the same chart.
std::string file_of(Pos pos, const std::vector<Template>& templates) {
    const auto after = std::ranges::upper_bound(templates, pos, {}, &Template::begin);
    if (after != templates.begin() && pos < std::prev(after)->end) {
        return std::string(std::prev(after)->file);
    }
    const std::string_view any = templates.front().file;
    return fmt::format("{}/templates/zz-tailrender.yaml", any.substr(0, any.find('/')));
}

// Returns the rest of the line after `key`, without quotes; "" if the key is missing.
std::string_view line_after(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) {
        return {};
    }
    const std::size_t begin = text.find_first_not_of(" '\"", at + key.size());
    const std::size_t end = text.find_first_of("'\"\r\n", begin);
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin);
}

// Returns the template of the document around a byte, which may be one that could not be parsed.
// Helm 3 begins each document with a comment.
std::string_view template_at(std::string_view stream, std::size_t offset) {
    const std::size_t separator = stream.rfind("\n---", offset);
    const std::size_t begin = separator == std::string_view::npos ? 0 : separator + 1;
    const std::size_t end = stream.find("\n---", std::max(offset, begin));
    const std::string_view document = stream.substr(begin, end - begin);
    const std::string_view source = line_after(document, "# Source: ");
    return source.empty() ? line_after(document, fmt::format("{}:", kFile)) : source;
}

Value& map_at(Value& parent, std::string_view key) {
    Value* found = parent.find(key);
    return found != nullptr ? *found : parent.add(Value::borrowed(key), Value::map());
}

}  // namespace

void name_helm_files(const load::Loaded& loaded, generate::Objects& objects) {
    const std::vector<Template> templates = templates_of(loaded);
    if (templates.empty()) {
        return;
    }
    for (Object& object : objects) {
        map_at(map_at(object.root, "metadata"), "annotations")
            .put(Value::borrowed(kFile), file_of(object.origin.pos, templates));
    }
}

Diagnostics with_templates(const load::Loaded& loaded, const Diagnostics& diagnostics) {
    Diagnostics named;
    for (Diagnostic diagnostic : diagnostics.all()) {
        const Pos pos = diagnostic.pos;
        if (pos.known() && loaded.sources.path(loaded.sources.source_of(pos)) == "<stdin>") {
            const std::string_view file = template_at(
                loaded.sources.text(loaded.sources.source_of(pos)), loaded.sources.offset_of(pos));
            if (!file.empty()) {
                diagnostic.notes.push_back({.text = fmt::format("it comes from {}", file)});
            }
        }
        named.add(std::move(diagnostic));
    }
    return named;
}

}  // namespace renderer::emit
