#include "renderer/emit/helm_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace renderer {
namespace {

constexpr std::string_view kFile = "postrenderer.helm.sh/postrender-filename";

// A document of the stream that says its file.
struct Template {
    Pos begin, end;
    std::string_view file;
};

std::vector<Template> templates_of(const Loaded& loaded) {
    std::vector<Template> found;
    for (const Document& document : loaded.documents) {
        const Value* file = document.root.at({"metadata", "annotations", kFile});
        if (file != nullptr && file->is_string() && !file->text().empty()) {
            found.push_back({.begin = loaded.sources.pos(document.source, document.range.begin),
                             .end = loaded.sources.pos(document.source, document.range.end),
                             .file = file->text()});
        }
    }
    std::ranges::sort(found, {}, &Template::begin);
    return found;
}

// What no document of the stream asked for goes to a file of its own in the same chart.
std::string file_of(Pos pos, const std::vector<Template>& templates) {
    const auto after = std::ranges::upper_bound(templates, pos, {}, &Template::begin);
    if (after != templates.begin() && pos < std::prev(after)->end) {
        return std::string(std::prev(after)->file);
    }
    const std::string_view any = templates.front().file;
    return fmt::format("{}/templates/zz-tailrender.yaml", any.substr(0, any.find('/')));
}

Value& map_at(Value& parent, std::string_view key) {
    Value* found = parent.find(key);
    return found != nullptr ? *found : parent.add(Value::borrowed(key), Value::map());
}

}  // namespace

void name_helm_files(const Loaded& loaded, Objects& objects) {
    const std::vector<Template> templates = templates_of(loaded);
    if (templates.empty()) {
        return;
    }
    for (Object& object : objects) {
        map_at(map_at(object.root, "metadata"), "annotations")
            .put(Value::borrowed(kFile), file_of(object.origin.pos, templates));
    }
}

}  // namespace renderer
