// The contents of a rendered tree. Every bundle becomes a directory that an applier can use
// directly: generated objects one per file, foreign files whole at their source path, the bundle's
// fleet.yaml, and a kustomization.yaml that lists what to apply. It lists directories, each with a
// kustomization.yaml of its own, and no file in a subdirectory: Fleet builds in memory below the
// root "", where kustomize's load restrictor does not accept a file of a subdirectory (Fleet
// internal/helmdeployer/kustomize, kustomize ConfirmedDir.HasPrefix).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "renderer/base/parallel.h"
#include "renderer/base/printable.h"
#include "renderer/emit/edits.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/output_path.h"
#include "renderer/emit/tree/generated_file.h"
#include "renderer/emit/tree/source_names.h"
#include "renderer/repo/paths.h"

namespace renderer::emit {
namespace {

constexpr std::string_view kFleetFile = "fleet.yaml";
constexpr std::string_view kKustomizationFile = "kustomization.yaml";

// A finished file with its source, for the message when two have the same path.
struct TreeEntry {
    std::string content;
    std::string label;  // "Service/shop/web" or the file's own name
    Pos pos;
};

class TreeBuilder {
public:
    explicit TreeBuilder(const Output& output)
        : output_(output), edits_(output.plan.edits), names_(output.loaded) {}

    Result<std::vector<OutputFile>> build(unsigned threads) {
        resources_.resize(output_.loaded.bundles.size());
        index_documents();
        for (const load::SourceFile& file : output_.loaded.files) {
            TRY(add_source_file(file));
        }
        const std::vector<const Object*> made = output_.made();
        std::vector<std::string> texts(made.size());
        for_each_parallel(made.size(), threads, [&](std::size_t i) {
            texts[i] = generated_text(made[i]->root, names_.of(made[i]->origin.pos));
        });
        for (std::size_t i = 0; i < made.size(); ++i) {
            TRY(add_object(*made[i], std::move(texts[i])));
        }
        for (std::size_t bundle = 0; bundle < resources_.size(); ++bundle) {
            TRY(add_bundle_files(bundle));
        }
        TRY(check_directories());
        std::vector<OutputFile> files;
        files.reserve(entries_.size());
        for (auto& [path, entry] : entries_) {
            files.push_back({path, std::move(entry.content)});
        }
        return files;
    }

private:
    const engines::Bundle& bundle(std::size_t index) const { return output_.loaded.bundles[index]; }

    std::string relative(const load::SourceFile& file) const {
        return repo::join_path(bundle(file.bundle).dir, file.path);
    }

    void index_documents() {
        for (const Document& document : output_.loaded.documents) {
            if (document.list == kNone && document.kind.is_string()) {
                documents_[document.source].push_back(&document);
            }
        }
    }

    Result<Unit> put(const std::string& path, TreeEntry entry) {
        if (!is_output_path(path)) {
            return Error{{.rule = "unsafe-path",
                          .pos = entry.pos,
                          .where = "-o",
                          .message = "this cannot be the path of an output file",
                          .found = fmt::format("\"{}\" of {}", path, entry.label),
                          .expected = std::string(kOutputPathGrammar),
                          .hint = "rename it"}};
        }
        const auto [found, inserted] = entries_.try_emplace(path, std::move(entry));
        if (inserted) {
            return Unit{};
        }
        return collision(path, found->second, entry);
    }

    static Error collision(const std::string& path, const TreeEntry& one, const TreeEntry& other) {
        return {{.rule = "path-collision",
                 .pos = other.pos.known() ? other.pos : one.pos,
                 .where = "-o",
                 .message = fmt::format("conflict for output path \"{}\"", path),
                 .found = fmt::format("{} and {}", one.label, other.label),
                 .hint = "move or rename the source file"}};
    }

    // A path cannot be both a file and a directory.
    Result<Unit> check_directories() const {
        std::optional<Error> conflict;
        for (const auto& [path, entry] : entries_) {
            for (std::string parent = repo::parent_path(path); parent != ".";
                 parent = repo::parent_path(parent)) {
                const auto found = entries_.find(parent);
                // Prefers a conflict with a file of the directory to one with its resource list.
                if (found != entries_.end() && (!conflict || entry.pos.known())) {
                    conflict = collision(parent, found->second, entry);
                    if (entry.pos.known()) {
                        return *conflict;
                    }
                }
            }
        }
        return conflict ? Result<Unit>(*conflict) : Unit{};
    }

    Result<Unit> add_source_file(const load::SourceFile& file) {
        if (!file.reachable || output_.loaded.only_generated) {
            return Unit{};
        }
        const auto found = documents_.find(file.source);
        const bool has_documents = found != documents_.end() && !file.copied_whole;
        if (has_documents && all_cut(found->second)) {
            return Unit{};
        }
        std::string path = relative(file);
        if (has_documents && !file.is_unlisted) {
            resources_[file.bundle].push_back(file.path);
        }
        const Pos pos = output_.loaded.sources.pos(file.source, 0);
        return put(path, {edited_text(file.source), fmt::format("source file \"{}\"", path), pos});
    }

    bool all_cut(const std::vector<const Document*>& documents) const {
        return std::ranges::all_of(documents, [this](const Document* document) {
            return edits_.cuts(document->source, document->range);
        });
    }

    // Returns the text with its edits. A removed document loses the separator before it as well.
    std::string edited_text(SourceId source) const {
        const std::string_view text = output_.loaded.sources.text(source);
        std::string out;
        out.reserve(text.size() + 64);
        std::size_t done = 0;
        const auto found = documents_.find(source);
        if (found != documents_.end()) {
            for (const Document* document : found->second) {
                if (edits_.cuts(source, document->range)) {
                    edits_.append(out, text, source,
                                  {done, separator_before(text, document->range.begin, done)});
                    done = document->range.end;
                }
            }
        }
        edits_.append(out, text, source, {done, text.size()});
        return out;
    }

    static std::size_t separator_before(std::string_view text, std::size_t begin,
                                        std::size_t done) {
        if (begin <= done + 1) {
            return begin;
        }
        const auto previous = text.rfind('\n', begin - 2);
        const std::size_t line = previous == std::string_view::npos ? 0 : previous + 1;
        return line >= done && text.substr(line).starts_with("---") ? line : begin;
    }

    Result<Unit> add_object(const Object& object, std::string text) {
        const std::string ns(object.ns().empty() ? "_cluster" : object.ns());
        const std::string name = object_file_name(object.kind(), object.name());
        if (!is_path_component(ns) || !is_path_component(name)) {
            return Error{{.rule = "unsafe-path",
                          .pos = object.origin.pos,
                          .where = "-o",
                          .object = object.object_name(),
                          .message = "an object whose name cannot be a file name",
                          .found = fmt::format("\"{}/{}\"", ns, name),
                          .expected = std::string(kOutputPathGrammar)}};
        }
        const std::string path = fmt::format("{}/{}", ns, name);
        resources_[object.bundle].push_back(path);
        return put(repo::join_path(bundle(object.bundle).dir, path),
                   {std::move(text), object.object_name(), object.origin.pos});
    }

    // An empty bundle gets no directory, except with --only generated, where that directory is all
    // that is applied.
    Result<Unit> add_bundle_files(std::size_t index) {
        const engines::Bundle& which = bundle(index);
        const std::vector<std::string>& resources = resources_[index];
        for (const auto& [dir, entries] : kustomizations(index)) {
            TRY(put(repo::join_path(which.dir, repo::join_path(dir, kKustomizationFile)),
                    {kustomization(entries),
                     fmt::format("the list of resources of bundle \"{}\"", which.dir), which.pos}));
        }
        const std::string fleet = repo::join_path(which.dir, kFleetFile);
        const bool copied = !which.rendered;
        if (which.fleet.is_null() || (resources.empty() && !copied)) {
            return Unit{};
        }
        if (copied && entries_.contains(fleet)) {
            return Unit{};  // copied byte for byte; an edit pins its name
        }
        return put(fleet, {generated_text(which.fleet, names_.of(which.pos)),
                           "the bundle's fleet.yaml", which.pos});
    }

    using Entries = std::set<std::string_view>;

    // Returns the entries by directory, "" for the bundle's own.
    std::map<std::string_view, Entries> kustomizations(std::size_t index) const {
        std::map<std::string_view, Entries> found;
        if (output_.loaded.only_generated) {
            found[""];  // without one the applier would fail and remove nothing
        }
        for (const engines::LeftAlone& build : output_.loaded.left_alone) {
            if (build.bundle == index && !build.dir.empty() && !output_.loaded.only_generated) {
                found[""].insert(build.dir);
            }
        }
        for (const std::string_view path : resources_[index]) {
            const std::size_t slash = path.rfind('/');
            const std::string_view dir =
                slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
            found[dir].insert(path.substr(dir.empty() ? 0 : slash + 1));
            if (!dir.empty()) {
                found[""].insert(dir);
            }
        }
        return found;
    }

    static std::string kustomization(const Entries& entries) {
        return generated_text(Value::map({{"apiVersion", "kustomize.config.k8s.io/v1beta1"},
                                          {"kind", "Kustomization"},
                                          {"resources", text_list(entries)}}),
                              {});
    }

    const Output& output_;
    EditIndex edits_;
    SourceNames names_;
    std::map<SourceId, std::vector<const Document*>> documents_;
    std::vector<std::vector<std::string>> resources_;  // by bundle, relative to its directory
    std::map<std::string, TreeEntry> entries_;
};

}  // namespace

Result<std::vector<OutputFile>> emit_tree(const Output& output, unsigned threads) {
    return TreeBuilder(output).build(threads);
}

}  // namespace renderer::emit
