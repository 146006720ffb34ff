// Fuzz target: the byte scanner agrees with the full reader. For every document that the scanner
// calls plain and the reader accepts, both find the same four fields. The documents cover the text
// in order, and a `namespace:` line can be spliced in where the scanner says.
#include <cstdint>
#include <string>

#include "renderer/base/check.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/yaml_reader.h"

namespace {

using namespace renderer;

void check_field(const Value& scanned, const Value* read) {
    if (scanned.is_null()) {
        CHECK(read == nullptr || read->is_null());
    } else {
        CHECK(read != nullptr && *read == scanned);
        CHECK(read->pos() == scanned.pos());
    }
}

void check_splice(const ScannedDocument& document, const SourceMap& sources, SourceId source) {
    const std::string_view text = sources.text(source);
    std::string spliced(
        text.substr(document.range.begin, document.metadata_insert - document.range.begin));
    spliced.append(document.metadata_indent, ' ').append("namespace: spliced\n");
    spliced += text.substr(document.metadata_insert, document.range.end - document.metadata_insert);
    SourceMap again;
    Diagnostics diagnostics;
    const Value root = read_yaml(again, again.add("spliced", spliced), diagnostics);
    CHECK(!diagnostics.has_errors());
    const Value* ns = root.at({"metadata", "namespace"});
    CHECK(ns != nullptr && ns->is_string() && ns->text() == "spliced");
}

void check_pieces(const std::vector<ScannedDocument>& whole, const SourceMap& sources,
                  SourceId source) {
    std::size_t next = 0;
    for (const RawDocument& piece : split_stream(sources.text(source), 3)) {
        for (const ScannedDocument& document : scan_documents(sources, source, piece)) {
            CHECK(next < whole.size());
            const ScannedDocument& same = whole[next++];
            CHECK(document.range.begin == same.range.begin && document.range.end == same.range.end);
            CHECK(document.blank == same.blank && document.plain == same.plain);
        }
    }
    CHECK(next == whole.size());
}

}  // namespace

extern "C" int fuzz_document_scanner(const std::uint8_t* data, std::size_t size) {
    SourceMap sources;
    const SourceId source =
        sources.add("fuzz", std::string(reinterpret_cast<const char*>(data), size));
    std::size_t end = 0;
    const std::vector<ScannedDocument> documents = scan_documents(sources, source);
    check_pieces(documents, sources, source);
    for (const ScannedDocument& document : documents) {
        CHECK(document.range.begin >= end && document.range.end >= document.range.begin);
        end = document.range.end;
        Diagnostics diagnostics;
        const Value root = read_yaml(sources, source, document.range, diagnostics);
        if (document.blank) {
            CHECK(root.is_null());
        }
        if (!document.plain || diagnostics.has_errors()) {
            continue;
        }
        check_field(document.api_version, root.find("apiVersion"));
        check_field(document.kind, root.find("kind"));
        check_field(document.name, root.at({"metadata", "name"}));
        check_field(document.ns, root.at({"metadata", "namespace"}));
        if (document.metadata_insert != 0 && document.ns.is_null()) {
            check_splice(document, sources, source);
        }
    }
    CHECK(end == size || size < 3 || end <= size);
    return 0;
}
