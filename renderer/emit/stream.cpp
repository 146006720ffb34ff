// The stream writer: one sort over small keys, then one pass that copies ranges of the sources and
// writes objects, on several threads, into buffers of bounded size.
#include <algorithm>
#include <span>
#include <string_view>

#include "renderer/core/parallel.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/emit/edits.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/order.h"

namespace renderer {
namespace {

constexpr std::size_t kPieceEntries = 64;
constexpr std::size_t kPieces = 32;  // of a round, whose text is in memory at once

struct Entry {
    OrderKey key;
    const Document* document = nullptr;  // or
    const Object* object = nullptr;
};

std::string_view text_of(const Value& value) {
    return value.is_string() || value.is_number() ? value.text() : std::string_view();
}

// A document without a kind is blank or only a comment: appliers see nothing in it.
bool is_emitted(const Document& document) {
    return document.reachable && document.list == kNone && document.kind.is_string();
}

void collect(const std::vector<Object>& objects, std::vector<Entry>& entries) {
    for (const Object& object : objects) {
        entries.push_back(
            {order_key(object.api_version(), object.kind(), object.ns(), object.name()), nullptr,
             &object});
    }
}

std::vector<Entry> sorted_entries(const Output& output, const EditIndex& edits) {
    std::vector<Entry> entries;
    entries.reserve(output.loaded.documents.size() + output.loaded.generated_inputs.size() +
                    output.plan.replacements.size() + output.objects.size());
    for (const Document& document : output.loaded.documents) {
        if (is_emitted(document) && !edits.cuts(document.source, document.range)) {
            entries.push_back({order_key(text_of(document.api_version), document.kind.text(),
                                         document.effective_namespace, text_of(document.name)),
                               &document, nullptr});
        }
    }
    collect(output.loaded.generated_inputs, entries);
    collect(output.plan.replacements, entries);
    collect(output.objects, entries);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.key < b.key; });
    return entries;
}

void append(const Entry& entry, const Output& output, const EditIndex& edits, std::string& out) {
    if (entry.object != nullptr) {
        write_yaml(entry.object->root, out);
        return;
    }
    const Document& document = *entry.document;
    edits.append(out, output.loaded.sources.text(document.source), document.source, document.range);
    if (!out.ends_with('\n')) {
        out += '\n';
    }
}

}  // namespace

void emit_stream(const Output& output, unsigned threads,
                 const std::function<void(std::string_view)>& write) {
    const EditIndex edits(output.plan.edits);
    const std::vector<Entry> entries = sorted_entries(output, edits);
    std::vector<std::string> pieces;
    for (std::size_t begin = 0; begin < entries.size(); begin += kPieces * kPieceEntries) {
        const auto round = std::span(entries).subspan(begin).first(
            std::min(kPieces * kPieceEntries, entries.size() - begin));
        pieces.assign((round.size() + kPieceEntries - 1) / kPieceEntries, {});
        for_each_parallel(pieces.size(), threads, [&](std::size_t i) {
            const auto rest = round.subspan(i * kPieceEntries);
            for (const Entry& entry : rest.first(std::min(kPieceEntries, rest.size()))) {
                pieces[i] += &entry == entries.data() ? "" : "---\n";
                append(entry, output, edits, pieces[i]);
            }
        });
        std::ranges::for_each(pieces, write);
    }
}

}  // namespace renderer
