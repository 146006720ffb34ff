#include "renderer/load/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/base/parallel.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/engines/hooks.h"
#include "renderer/kube/decoded_kinds.h"
#include "renderer/load/built_services.h"
#include "renderer/load/file_names.h"
#include "renderer/load/object_checks.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::load {

namespace {

bool is_list_kind(std::string_view kind) {
    return kind.ends_with("List");
}

// A document that was scanned, and parsed if needed.
struct Pending {
    ScannedDocument scanned = {};
    Value root = {};
    Diagnostics diagnostics = {};
    Diagnostics of_variables = {};
    bool has_tree = false;
};

struct PendingFile {
    SourceId source = 0;
    const engines::InputFile* file = nullptr;
    std::vector<Pending> documents = {};
    bool is_judged = true;    // false: mistakes in it are not reported
    bool no_objects = false;  // the text cannot have objects
};

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;  // enough work for a thread

bool may_hold_objects(std::string_view text) {
    return text.find("apiVersion") != std::string_view::npos ||
           text.find("kind") != std::string_view::npos;
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

void substitute_files(std::vector<PendingFile>& files) {
    for (PendingFile& file : files) {
        const engines::UnitVariables* variables = file.file->unit->variables.get();
        for (Pending& document : file.documents) {
            if (variables != nullptr && document.has_tree && !document.diagnostics.has_errors()) {
                engines::substitute_document(document.root, *variables,
                                             document.scanned.mentions_tailscale,
                                             document.of_variables);
            }
        }
    }
}

// Turns the pending documents of one file into Documents, or reports what is wrong with them.
class Assembler {
public:
    Assembler(PendingFile& pending, Loaded& loaded, Diagnostics& diagnostics)
        : pending_(pending),
          file_(*pending.file),
          loaded_(loaded),
          diagnostics_(diagnostics),
          out_(pending.file->lenient || !pending.is_judged ? discarded_ : diagnostics) {}

    // Returns the number of documents that were added.
    std::size_t run() {
        if (!file_.required && std::ranges::none_of(pending_.documents, [this](const auto& one) {
                return may_be_object(one);
            })) {
            return 0;
        }
        std::vector<Pending*> strange;
        const std::size_t before = loaded_.documents.size();
        bool broken = false;
        for (Pending& document : pending_.documents) {
            report_variables(document.of_variables);
            if (document.diagnostics.has_errors() || document.of_variables.has_errors()) {
                out_.append(std::move(document.diagnostics));
                broken = true;
            } else if (document.has_tree && document.root.is_null()) {
                continue;
            } else if (is_strange(document)) {
                strange.push_back(&document);
            } else {
                add(document);
            }
        }
        const std::size_t added = loaded_.documents.size() - before;
        if (file_.required || added > 0 || broken) {
            for (const Pending* document : strange) {
                report_strange(*document);
            }
        }
        if (!file_.lenient && discarded_.has_errors()) {
            warn_unread();
            return std::max<std::size_t>(added, 1);
        }
        return added;
    }

private:
    // A variable that may make an object an input matters wherever the file is.
    void report_variables(const Diagnostics& found) {
        for (const Diagnostic& one : found.all()) {
            (one.rule == "invalid-substitution" || file_.lenient ? out_ : diagnostics_).add(one);
        }
    }

    void warn_unread() {
        loaded_.unjudged.push_back(pending_.source);
        const auto error =
            std::ranges::find(discarded_.all(), Severity::Error, &Diagnostic::severity);
        engines::note_refused(
            file_.unit->name,
            fmt::format("{} cannot be read", loaded_.sources.path(pending_.source)),
            loaded_.standings);
        diagnostics_
            .warning("unread-file", error->pos,
                     "this file cannot be read completely, so it is left as it is")
            .found(error->message)
            .hint(
                "nothing beside it mentions Tailscale, so this is only a warning; \"tailrender "
                "check\" and \"tailrender lint\" report an error");
    }

    // True if the document is neither a Kubernetes object nor an incomplete one.
    [[nodiscard]] bool is_strange(const Pending& document) const {
        const bool has_tree = document.has_tree;
        const bool has_version = has_tree ? document.root.find("apiVersion") != nullptr
                                          : !document.scanned.api_version.is_null();
        const bool has_kind =
            has_tree ? document.root.find("kind") != nullptr : !document.scanned.kind.is_null();
        const bool has_one = has_version != has_kind;
        return (!has_version && !has_kind) ||
               (has_one && !file_.required && !may_be_object(document));
    }

    // Configuration files of other programs may have a kind, but have neither metadata nor items.
    // If a document cannot be parsed, only its words are searched.
    [[nodiscard]] bool may_be_object(const Pending& document) const {
        const bool broken = document.diagnostics.has_errors() || document.of_variables.has_errors();
        if (document.has_tree && !broken) {
            return document.root.find("metadata") != nullptr ||
                   document.root.find("items") != nullptr;
        }
        const RawDocument& range = document.scanned.range;
        const std::string_view text =
            loaded_.sources.text(pending_.source).substr(range.begin, range.end - range.begin);
        const auto holds = [text](std::string_view word) {
            return text.find(word) != std::string_view::npos;
        };
        return (holds("metadata") || holds("items")) &&
               (!broken || (holds("apiVersion") && holds("kind")));
    }

    [[nodiscard]] Pos first_content(const RawDocument& range) const {
        const std::string_view text = loaded_.sources.text(pending_.source);
        std::size_t at = range.begin;
        while (at < range.end) {
            const std::size_t start = std::min(text.find_first_not_of(" \t\r\n", at), range.end);
            if (start == range.end || text[start] != '#') {
                return loaded_.sources.pos(pending_.source, start);
            }
            at = std::min(text.find('\n', start), range.end);
        }
        return loaded_.sources.pos(pending_.source, range.begin);
    }

    void report_strange(const Pending& document) {
        out_.error("not-kubernetes", first_content(document.scanned.range),
                   "this document is not a Kubernetes object")
            .found(document.has_tree ? kind_name(document.root) : "a map")
            .expected("a map with apiVersion and kind")
            .hint(loaded_.is_stream ? "look at the program before the pipe: it may have failed"
                                    : "move it to a separate file, or remove it");
    }

    Document start(const RawDocument& range) const {
        Document document;
        document.source = pending_.source;
        document.range = range;
        document.bundle = file_.bundle;
        document.reachable = file_.reachable;
        return document;
    }

    void add(Pending& pending) {
        Document document = start(pending.scanned.range);
        document.mentions_tailscale = pending.scanned.mentions_tailscale;
        if (!pending.has_tree) {
            document.oddly_indented = pending.scanned.oddly_indented;
            document.api_version = std::move(pending.scanned.api_version);
            document.kind = std::move(pending.scanned.kind);
            document.name = std::move(pending.scanned.name);
            document.ns = std::move(pending.scanned.ns);
            if (complete(document)) {
                loaded_.documents.push_back(std::move(document));
            }
            return;
        }
        document.root = std::move(pending.root);
        add_tree(std::move(document));
    }

    static Value text_at(const Value& root, std::initializer_list<std::string_view> path) {
        const Value* value = root.at(path);
        return value != nullptr && value->is_string() ? value->clone() : Value();
    }

    // Adds a List as a document, followed by its items.
    void add_tree(Document document) {
        document.api_version = text_at(document.root, {"apiVersion"});
        document.kind = text_at(document.root, {"kind"});
        document.name = text_at(document.root, {"metadata", "name"});
        document.ns = text_at(document.root, {"metadata", "namespace"});
        if (!complete(document)) {
            return;
        }
        check_names(document.root, out_);
        document.hook = engines::is_hook(document.root);
        Value* items = document.root.find("items");
        if (items == nullptr || !items->is_list() || !is_list_kind(text_of(document.kind))) {
            check_list(document, out_);
            loaded_.documents.push_back(std::move(document));
            return;
        }
        Value held = std::move(*items);
        const std::uint32_t outermost = document.list;
        const bool mentions_tailscale = document.mentions_tailscale;
        const RawDocument range = document.range;
        document.root = Value();
        if (outermost == kNone) {
            loaded_.documents.push_back(std::move(document));
        }
        const std::uint32_t list = outermost == kNone
                                       ? static_cast<std::uint32_t>(loaded_.documents.size() - 1)
                                       : outermost;
        for (Value& item : held.items()) {
            Document part = start(range);
            part.list = list;
            part.mentions_tailscale = mentions_tailscale;
            part.root = std::move(item);
            add_tree(std::move(part));
        }
    }

    bool complete(const Document& document) {
        const bool has_version = !text_of(document.api_version).empty();
        const bool has_kind = !text_of(document.kind).empty();
        if (has_version && has_kind) {
            return true;
        }
        const std::string_view absent = has_kind ? "apiVersion" : "kind";
        out_.error("incomplete-object", place_of(document),
                   fmt::format("this object has no {}", absent))
            .found(has_kind      ? fmt::format("kind \"{}\"", text_of(document.kind))
                   : has_version ? fmt::format("apiVersion \"{}\"", text_of(document.api_version))
                                 : "neither apiVersion nor kind, as text")
            .expected("apiVersion and kind")
            .hint(fmt::format("add \"{}\", or remove the file from the tree", absent));
        return false;
    }

    [[nodiscard]] Pos place_of(const Document& document) const {
        for (const Value* value : {&document.kind, &document.api_version, &document.root}) {
            if (value->pos().known()) {
                return value->pos();
            }
        }
        return first_content(document.range);
    }

    PendingFile& pending_;
    const engines::InputFile& file_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    Diagnostics discarded_;  // of a file whose mistakes are not reported
    Diagnostics& out_;
};

void add_source_file(const engines::InputFile& file, SourceId source, Loaded& loaded) {
    loaded.files.push_back({.source = source,
                            .bundle = file.bundle,
                            .path = file.bundle_path,
                            .reachable = file.reachable || file.left_alone || file.is_unlisted,
                            .copied_whole = file.copied_whole,
                            .is_unlisted = file.is_unlisted});
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
        const bool is_used = is_copied || Assembler(pending, loaded, diagnostics).run() > 0;
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
    Assembler(files[0], loaded, diagnostics).run();
}

// Helm templates that trim too much put text directly behind a separator.
void warn_glued(const SourceMap& sources, const PendingFile& file, Diagnostics& diagnostics) {
    const std::string_view text = sources.text(file.source);
    for (const Pending& document : file.documents) {
        const std::size_t begin = document.scanned.range.begin;
        if (begin >= 3 && text.substr(begin - 3, 3) == "---" && text[begin] != ' ' &&
            text[begin] != '\t') {
            diagnostics
                .warning("glued-separator", sources.pos(file.source, begin),
                         "text after a document separator")
                .expected("a line that holds only \"---\"")
                .hint("a template trims one line break too many; other tools reject this stream");
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
    });
    read_trees(loaded.sources, pending, false, threads);
    substitute_files(pending);
    if (!options.validate && !options.one_stream) {
        judge_units(pending, loaded);
    }
    std::vector<std::uint32_t> file_of(loaded.sources.count(), kNone);
    for (const PendingFile& file : pending) {
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
    warn_glued(loaded.sources, pending, diagnostics);
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
