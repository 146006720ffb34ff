#include "renderer/engines/kustomize/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/manifest_files.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kAnnotation = "config.kubernetes.io/origin";
constexpr std::string_view kAnnotationKey = "config.kubernetes.io/origin:";

constexpr std::string_view kBuildMetadata = "buildMetadata";
constexpr std::string_view kOriginAnnotations = "originAnnotations";

bool asks_origins(const Value& root) {
    return std::ranges::any_of(items_of(root.find(kBuildMetadata)), [](const Value& entry) {
        return text_of(entry) == kOriginAnnotations;
    });
}

// True if a top-level key can be appended as a line: the map is in block style, the last line is
// complete, and no `...` ends the document.
bool can_be_continued(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return text.ends_with('\n') && first != std::string_view::npos && text[first] != '{' &&
           text.find("\n...") == std::string_view::npos;
}

// Returns the file that the annotation names. `annotation` is its key and its value, which is YAML
// itself, with the `path` of a file, or `configuredIn` of a generator.
std::string file_of_origin(std::string_view annotation) {
    const Value map = read_text(annotation);
    const Value origin = read_text(text_of(map, {kAnnotation}));
    const std::string_view path = text_of(origin, {"path"});
    return std::string(path.empty() ? text_of(origin, {"configuredIn"}) : path);
}

// Removes the annotation from the output of kustomize, in which maps are in block style, and each
// level and the lines of a block scalar are indented by two spaces.
class Annotations {
public:
    explicit Annotations(bool keeps) : keeps_(keeps) {}

    void take(std::string_view annotated) {
        while (!annotated.empty()) {
            const std::size_t end = annotated.find('\n');
            const std::size_t size = end == std::string_view::npos ? annotated.size() : end + 1;
            line(annotated.substr(0, size));
            annotated.remove_prefix(size);
        }
        end_document();
    }

    std::string stream;
    std::vector<std::string> files;  // one for each document

private:
    enum class Place : std::uint8_t { Elsewhere, Metadata, Annotations, Origin };

    void line(std::string_view line) {
        const std::size_t indent = line.find_first_not_of(' ');
        const bool is_blank = line[indent == std::string_view::npos ? 0 : indent] == '\n';
        if (place_ == Place::Origin && (is_blank || indent > kKeyIndent)) {
            origin_ += is_blank ? "\n" : line.substr(kKeyIndent);
            stream += keeps_ ? line : std::string_view();
            return;
        }
        if (place_ == Place::Origin) {
            place_ = Place::Annotations;
        }
        if (indent == 0 && !is_blank) {
            leave_annotations();
            place_ = line == "metadata:\n" ? Place::Metadata : Place::Elsewhere;
        } else if (indent == 2 && place_ != Place::Elsewhere) {
            leave_annotations();
            place_ = line == "  annotations:\n" ? Place::Annotations : Place::Metadata;
            begin_ = stream.size();
            has_others_ = false;
        } else if (indent == kKeyIndent && place_ == Place::Annotations) {
            if (line.substr(kKeyIndent).starts_with(kAnnotationKey)) {
                place_ = Place::Origin;
                origin_ = line.substr(kKeyIndent);
                stream += keeps_ ? line : std::string_view();
                return;
            }
            has_others_ = true;
        }
        if (line == "---\n") {
            end_document();
        }
        stream += line;
    }

    void leave_annotations() {
        const bool was_alone = place_ == Place::Annotations && !has_others_ && !origin_.empty();
        if (was_alone && !keeps_) {
            stream.resize(begin_);
        }
    }

    void end_document() {
        place_ = place_ == Place::Origin ? Place::Annotations : place_;
        leave_annotations();
        place_ = Place::Elsewhere;
        files.push_back(origin_.empty() ? std::string() : file_of_origin(origin_));
        origin_.clear();
    }

    static constexpr std::size_t kKeyIndent = 4;

    bool keeps_;
    Place place_ = Place::Elsewhere;
    std::size_t begin_ = 0;  // of the annotations, in the stream
    bool has_others_ = false;
    std::string origin_;
};

}  // namespace

bool can_ask_origins(const Value& root) {
    return root.is_map() && std::ranges::any_of(root.members(), [](const Member& member) {
               const bool is_list = member.value.is_list() || member.value.is_map();
               return member.name() != "metadata" && is_list && member.value.size() > 0;
           });
}

std::string asking_for_origins(std::string text, const Value& root) {
    if (asks_origins(root)) {
        return text;
    }
    if (root.find(kBuildMetadata) == nullptr && can_be_continued(text)) {
        return fmt::format("{}{}: [{}]\n", text, kBuildMetadata, kOriginAnnotations);
    }
    Value asking = read_text(text);
    Value metadata = Value::list();
    for (const Value& entry : items_of(asking.find(kBuildMetadata))) {
        metadata.append(entry.clone());
    }
    metadata.append(kOriginAnnotations);
    if (asking.is_map()) {
        asking.put(kBuildMetadata, std::move(metadata));
    }
    std::string asked;
    write_yaml(asking, asked);
    return asked;
}

BuildWithOrigins take_origins(std::string_view annotated, const Value& root) {
    Annotations annotations(asks_origins(root));
    annotations.take(annotated);
    BuildWithOrigins build{.stream = std::move(annotations.stream), .origins = {}};
    SourceMap sources;
    const SourceId source = sources.add("", build.stream);
    for (const ScannedDocument& scanned : scan_documents(sources, source)) {
        build.origins.push_back({.begin = scanned.range.begin});
    }
    if (build.origins.size() == annotations.files.size()) {
        for (std::size_t i = 0; i < build.origins.size(); ++i) {
            build.origins[i].file = std::move(annotations.files[i]);
        }
    }
    return build;
}

const DocumentOrigin* origin_at(const std::vector<DocumentOrigin>& origins, std::size_t offset) {
    const auto behind = std::ranges::upper_bound(origins, offset, {}, &DocumentOrigin::begin);
    return behind == origins.begin() ? nullptr : &*std::prev(behind);
}

void name_documents(const std::vector<DocumentOrigin>& origins, SourceId source,
                    SourceMap& sources) {
    const std::string build(sources.path(source));
    for (const DocumentOrigin& origin : origins) {
        if (origin.file.empty()) {
            sources.name_part(source, origin.begin, build);
        } else {
            sources.name_part(source, origin.begin, fmt::format("{} ({})", origin.file, build),
                              origin.file);
        }
    }
}

}  // namespace renderer::engines
