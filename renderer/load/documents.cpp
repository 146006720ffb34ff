#include "renderer/load/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "renderer/base/parallel.h"
#include "renderer/base/utf8.h"
#include "renderer/core/encrypted.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/kube/decoded_kinds.h"
#include "renderer/load/built_services.h"
#include "renderer/load/file_names.h"
#include "renderer/load/pending_file.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::load {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;  // enough work for a thread

bool may_hold_objects(std::string_view text) {
    return text.find("apiVersion") != std::string_view::npos ||
           text.find("kind") != std::string_view::npos ||
           (begins_as_utf16(text) && repo::mentions_tailscale(text));
}

void scan_file(const SourceMap& sources, PendingFile& pending, unsigned threads) {
    pending.no_objects = !pending.file->required && !may_hold_objects(sources.text(pending.source));
    if (pending.no_objects) {
        return;
    }
    const std::string_view text = sources.text(pending.source);
    const std::vector<RawDocument> pieces = split_stream(text, text.size() / kPieceBytes + 1);
    std::vector<std::vector<ScannedDocument>> found(pieces.size());
    for_each_parallel(pieces.size(), threads, [&](std::size_t i) {
        found[i] = scan_documents(sources, pending.source, pieces[i]);
    });
    for (std::vector<ScannedDocument>& documents : found) {
        for (ScannedDocument& scanned : documents) {
            if (!scanned.blank) {
                pending.documents.push_back({.scanned = std::move(scanned)});
            }
        }
    }
}

// A stream that was cut off rarely ends with a line end.
bool may_be_cut(const SourceMap& sources, const PendingFile& file, const Pending& document) {
    const std::string_view text = sources.text(file.source);
    return document.scanned.range.end == text.size() && !text.ends_with('\n');
}

void read_trees(const SourceMap& sources, std::vector<PendingFile>& files, bool in_stream,
                unsigned threads) {
    std::vector<std::pair<SourceId, Pending*>> tasks;
    for (PendingFile& file : files) {
        for (Pending& document : file.documents) {
            if (needs_tree(document.scanned, in_stream) ||
                (in_stream && may_be_cut(sources, file, document))) {
                tasks.emplace_back(file.source, &document);
            }
        }
    }
    for_each_parallel(tasks.size(), threads, [&](std::size_t i) {
        Pending& document = *tasks[i].second;
        document.root =
            read_yaml(sources, tasks[i].first, document.scanned.range, document.diagnostics);
        document.has_tree = true;
    });
}

// `input_words`: of inputs with the operator's settings.
void substitute_files(std::vector<PendingFile>& files,
                      const std::vector<std::string>& input_words) {
    const bool type_decides = std::ranges::find(input_words, "LoadBalancer") != input_words.end();

    for (PendingFile& file : files) {
        const engines::UnitVariables* variables = file.file->unit->variables.get();
        for (Pending& document : file.documents) {
            if (variables != nullptr && document.has_tree && !document.diagnostics.has_errors()) {
                document.undecided = engines::substitute_document(
                    document.root, *variables, document.scanned.mentions_tailscale, type_decides,
                    document.of_variables);
            }
        }
    }
}

void add_source_file(const engines::InputFile& file, SourceId source, Loaded& loaded) {
    loaded.files.push_back({.source = source,
                            .bundle = file.bundle,
                            .path = file.bundle_path,
                            .reachable = file.reachable || file.left_alone || file.is_unlisted,
                            .copied_whole = file.copied_whole,
                            .is_unlisted = file.is_unlisted});
}

// Notes a file whose objects are encrypted as a whole. `first`: the index of its first document.
void note_encrypted(SourceId source, std::size_t first, Loaded& loaded) {
    const bool is_locked = loaded.sources.text(source).starts_with(kGitCrypt);
    const auto documents = std::span(loaded.documents).subspan(first);
    if (is_locked || std::ranges::any_of(documents, [](const Document& document) {
            return is_encrypted_text(text_of(document.kind));
        })) {
        loaded.standings.unreadable.emplace(
            repo::relative_path(loaded.sources.path(source), loaded.root),
            is_locked ? "git-crypt encrypts it" : "SOPS encrypts whole objects of it");
    }
}

void assemble(std::vector<PendingFile>& files, Loaded& loaded, Diagnostics& diagnostics) {
    std::size_t count = loaded.documents.size();
    for (const PendingFile& pending : files) {
        count += pending.documents.size();
    }
    loaded.documents.reserve(count);
    for (PendingFile& pending : files) {
        if (pending.file->left_alone) {
            loaded.unjudged.push_back(pending.source);
        }
        const bool is_copied = pending.file->copied_whole;
        const std::size_t first = loaded.documents.size();
        const bool is_used = is_copied || add_documents_of(pending, loaded, diagnostics) > 0;
        note_encrypted(pending.source, first, loaded);
        if (is_used && has_usable_name(*pending.file, pending.source, loaded, diagnostics)) {
            add_source_file(*pending.file, pending.source, loaded);
        } else {
            loaded.skipped_files += pending.file->reachable ? 1 : 0;
        }
        pending.documents.clear();
    }
}

void assemble_stream(PendingFile scanned, unsigned threads, Loaded& loaded,
                     Diagnostics& diagnostics) {
    loaded.input_bytes += loaded.sources.text(scanned.source).size();
    std::vector<PendingFile> files;
    files.push_back(std::move(scanned));
    read_trees(loaded.sources, files, true, threads);
    add_documents_of(files[0], loaded, diagnostics);
}

// Helm templates that trim too much put text directly behind a separator.
void warn_glued(const SourceMap& sources, const PendingFile& file, std::string_view hint,
                Diagnostics& diagnostics) {
    const std::string_view text = sources.text(file.source);
    for (const Pending& document : file.documents) {
        const std::size_t begin = document.scanned.range.begin;
        if (begin >= 3 && text.substr(begin - 3, 3) == "---" && text[begin] != ' ' &&
            text[begin] != '\t') {
            diagnostics
                .warning("glued-separator", sources.pos(file.source, begin),
                         "text after a document separator")
                .expected("a line that holds only \"---\"")
                .hint(hint);
        }
    }
}

}  // namespace

bool needs_tree(const ScannedDocument& scanned, bool in_stream) {
    const std::string_view kind = text_of(scanned.kind);
    const bool is_mentioned =
        scanned.mentions_tailscale &&
        (in_stream || kind == "HelmRelease" || kind == "Gateway" || is_workload_kind(kind));
    return !scanned.plain || is_mentioned || is_list_kind(kind) ||
           is_decoded_kind(text_of(scanned.api_version), kind);
}

namespace {

// Returns a key that is the same for files that an applier applies together: files of one build, or
// loose files of one folder.
std::pair<std::uint32_t, std::string> unit_of(const engines::InputFile& file) {
    const bool is_loose = file.build == kNone && !file.text;
    return {file.build, is_loose    ? repo::parent_path(file.path)
                        : file.text ? file.path
                                    : std::string()};
}

// Does not report mistakes in files that are applied together with nothing of Tailscale.
void judge_units(std::vector<PendingFile>& files, const Loaded& loaded) {
    std::set<std::pair<std::uint32_t, std::string>> ours;
    for (const PendingFile& pending : files) {
        if (repo::mentions_tailscale(loaded.sources.text(pending.source))) {
            ours.insert(unit_of(*pending.file));
        }
    }
    for (PendingFile& pending : files) {
        const engines::InputFile& file = *pending.file;
        const bool is_plain = loaded.bundles[file.bundle].fleet.is_null();
        const bool is_named = file.required && file.build == kNone;
        pending.is_judged = !is_plain || is_named || ours.contains(unit_of(file));
    }
}

}  // namespace

std::vector<std::uint32_t> read_documents(const repo::SourceTree& tree,
                                          const std::vector<engines::InputFile>& files,
                                          const repo::LoadOptions& options, Loaded& loaded,
                                          Diagnostics& diagnostics) {
    const unsigned threads = options.threads;
    std::vector<Result<std::string>> texts(files.size(), std::string());
    options.steps->begin("reading files", files.size());
    for_each_parallel(files.size(), threads, [&](std::size_t i) {
        texts[i] = files[i].text ? Result(*files[i].text) : tree.read(files[i].path);
    });
    std::vector<PendingFile> pending;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!texts[i]) {
            diagnostics.add(std::move(texts[i].error().diagnostic));
            continue;
        }
        if (loaded.sources.total_bytes() + texts[i]->size() > kMaxSource) {
            diagnostics.error("too-much-input", {}, "the input is larger than 3 GiB")
                .where(files[i].path)
                .hint("render a part of the tree");
            return {};
        }
        loaded.input_bytes += texts[i]->size();
        const SourceId source = loaded.sources.add(files[i].path, std::move(*texts[i]));
        engines::name_documents(files[i].origins, source, loaded.sources);
        pending.push_back({.source = source, .file = &files[i]});
    }
    for_each_parallel(pending.size(), threads, [&](std::size_t i) {
        if (!pending[i].file->copied_whole) {
            scan_file(loaded.sources, pending[i], threads);
        }
        options.steps->done();
    });
    read_trees(loaded.sources, pending, false, threads);
    substitute_files(pending, options.input_words);
    if (!options.validate && !options.one_stream) {
        judge_units(pending, loaded);
    }
    std::vector<std::uint32_t> file_of(loaded.sources.count(), kNone);
    for (const PendingFile& file : pending) {
        if (file.is_judged && file.file->reachable && !file.file->lenient && !file.file->text) {
            warn_glued(loaded.sources, file, "begin a new line: other tools reject this file",
                       diagnostics);
        }
        file_of[file.source] = static_cast<std::uint32_t>(file.file - files.data());
    }
    find_built(tree, files, file_of, loaded);
    assemble(pending, loaded, diagnostics);
    return file_of;
}

void read_stream(std::string text, unsigned threads, Loaded& loaded, Diagnostics& diagnostics) {
    const engines::InputFile file{.path = "<stdin>", .required = true};
    PendingFile pending{.source = loaded.sources.add(file.path, std::move(text)), .file = &file};
    scan_file(loaded.sources, pending, threads);
    warn_glued(loaded.sources, pending,
               "a template trims one line break too many; other tools reject this stream",
               diagnostics);
    assemble_stream(std::move(pending), threads, loaded, diagnostics);
}

void read_parts(SourceId source, const std::vector<RawDocument>& parts, unsigned threads,
                Loaded& loaded, Diagnostics& diagnostics) {
    const engines::InputFile file{.path = std::string(loaded.sources.path(source)),
                                  .required = true};
    PendingFile pending{.source = source, .file = &file};
    for (const RawDocument& part : parts) {
        for (ScannedDocument& scanned : scan_documents(loaded.sources, source, part)) {
            pending.documents.push_back({.scanned = std::move(scanned)});
        }
    }
    assemble_stream(std::move(pending), threads, loaded, diagnostics);
}

}  // namespace renderer::load
