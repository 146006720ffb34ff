// The stream writer: sorts small keys, kind by kind, then copies ranges of the sources and writes
// objects in one pass, on several threads, into buffers of limited size.
#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "renderer/base/parallel.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/emit/edits.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/order.h"

namespace renderer::emit {
namespace {

constexpr std::size_t kPieceEntries = 64;
constexpr std::size_t kPieces = 32;  // per round; their text is in memory at the same time

struct StreamEntry {
    OrderKey key;
    const Document* document = nullptr;  // either this or `object`
    const Object* object = nullptr;
};

// A document without a kind is blank or only a comment, which appliers ignore.
bool is_emitted(const Document& document) {
    return document.reachable && document.list == kNone && document.kind.is_string();
}

OrderKey key_of(const StreamEntry& entry) {
    if (const Object* object = entry.object) {
        return order_key(object->api_version(), object->kind(), object->ns(), object->name());
    }
    const Document& document = *entry.document;
    return order_key(scalar_text(document.api_version), document.kind.text(),
                     document.effective_namespace, scalar_text(document.name));
}

std::vector<StreamEntry> all_entries(const Output& output, const EditIndex& edits) {
    std::vector<StreamEntry> entries;
    const std::vector<const Object*> made = output.made();
    entries.reserve(output.loaded.documents.size() + made.size());
    for (const Document& document : output.loaded.documents) {
        if (output.loaded.only_generated) {
            break;
        }
        if (is_emitted(document) && !edits.cuts(document.source, document.range)) {
            entries.push_back({.key = {}, .document = &document});
        }
    }
    for (const Object* object : made) {
        entries.push_back({.key = {}, .object = object});
    }
    return entries;
}

// Sorts each kind separately, so that threads share the work.
std::vector<StreamEntry> sorted_entries(const Output& output, const EditIndex& edits,
                                        unsigned threads) {
    std::vector<StreamEntry> entries = all_entries(output, edits);
    for_each_parallel(entries.size(), threads,
                      [&](std::size_t i) { entries[i].key = key_of(entries[i]); });
    std::map<int, std::vector<StreamEntry>> by_rank;
    for (const StreamEntry& entry : entries) {
        by_rank[entry.key.rank].push_back(entry);
    }
    std::vector<std::vector<StreamEntry>*> ranks;
    ranks.reserve(by_rank.size());
    for (auto& [rank, same] : by_rank) {
        ranks.push_back(&same);
    }
    for_each_parallel(ranks.size(), threads, [&](std::size_t i) {
        std::ranges::stable_sort(*ranks[i], {}, &StreamEntry::key);
    });
    entries.clear();
    for (const std::vector<StreamEntry>* same : ranks) {
        entries.insert(entries.end(), same->begin(), same->end());
    }
    return entries;
}

void append(const StreamEntry& entry, const Output& output, const EditIndex& edits,
            std::string& out) {
    if (entry.object != nullptr && !entry.object->text.empty()) {
        out += entry.object->text;
        return;
    }
    if (entry.object != nullptr) {
        write_yaml(entry.object->root, out);
        return;
    }
    const Document& document = *entry.document;
    edits.append(out, output.loaded.sources.text(document.source), document.source, document.range);
    // Readers of manifests for the API server do the same (k8s.io/apimachinery's LineReader), so a
    // block scalar that ends with the file gets the same value from our stream as from the file.
    // For what kustomize reads: renderer/load/last_scalar.h.
    if (!out.ends_with('\n')) {
        out += '\n';
    }
}

}  // namespace

std::vector<const Object*> Output::made() const {
    std::vector<const Object*> all;
    all.reserve(loaded.generated_inputs.size() + plan.replacements.size() + objects.size());
    for (const auto* some : {&loaded.generated_inputs, &plan.replacements, &objects}) {
        if (loaded.only_generated && some != &objects) {
            continue;
        }
        for (const Object& object : *some) {
            all.push_back(&object);
        }
    }
    return all;
}

void emit_stream(const Output& output, unsigned threads,
                 const std::function<void(std::string_view)>& write) {
    const EditIndex edits(output.plan.edits);
    const std::vector<StreamEntry> entries = sorted_entries(output, edits, threads);
    std::vector<std::string> pieces;
    for (std::size_t begin = 0; begin < entries.size(); begin += kPieces * kPieceEntries) {
        const auto round = std::span(entries).subspan(begin).first(
            std::min(kPieces * kPieceEntries, entries.size() - begin));
        pieces.resize((round.size() + kPieceEntries - 1) / kPieceEntries);
        for_each_parallel(pieces.size(), threads, [&](std::size_t i) {
            pieces[i].clear();
            const auto rest = round.subspan(i * kPieceEntries);
            for (const StreamEntry& entry : rest.first(std::min(kPieceEntries, rest.size()))) {
                pieces[i] += &entry == entries.data() ? "" : "---\n";
                append(entry, output, edits, pieces[i]);
            }
        });
        std::ranges::for_each(pieces, write);
    }
}

}  // namespace renderer::emit
